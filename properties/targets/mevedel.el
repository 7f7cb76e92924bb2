;;; mevedel.el --- mevedel's agent tree as a target of Rollcall -*- lexical-binding: t -*-

;; SPDX-License-Identifier: GPL-3.0-or-later
;; This file runs inside Emacs, beside packages under the GPL, and is under the GNU General Public License, version 3 or
;; later. The rest of Rollcall is under the licence in LICENSE.

;;; Commentary:

;; Steps of properties/PROTOCOL.md done with mevedel's own functions, and what can be seen then: sessions, hooks, runtime,
;; conversations, sidecar and gptel's state machine are real. Only what opens a network connection is replaced. What mevedel
;; does not have is not offered; what it needs beside is a shim, named in the capabilities (`--no-shim NAME' leaves it out).
;; One driver for every commit since 2026-07-20: what a commit lacks is asked for by `fboundp'.
;;
;;   emacs -Q --batch -L emacs -L WEBSOCKET -L GPTEL -L GPTEL-AGENT -L MEVEDEL -l mevedel.el -f mev-main [-- --no-shim NAME]

;;; Code:

(setq backtrace-on-error-noninteractive nil load-prefer-newer t native-comp-enable-subr-trampolines nil
      native-comp-jit-compilation nil write-region-inhibit-fsync t)
(require 'rollcall-target)
(defvar gptel-agent-preset nil)         ; of a later gptel-agent
(dolist (feature '(gptel-openai gptel mevedel mevedel-agent-control mevedel-agent-persistence
                   mevedel-agent-conversation mevedel-agent-runtime mevedel-agent-exec mevedel-agents mevedel-chat
                   mevedel-session-persistence mevedel-structs mevedel-tools mevedel-workspace))
  (condition-case err (require feature)
    (error (message "%s cannot be loaded: %s" feature (error-message-string err)) (kill-emacs 4))))

(defvar mev-session nil)
(defvar mev-root nil "The root's buffer.")
(defvar mev-place nil "The folder of the story.")
(defvar mev-op nil "The start under way.")
(defvar mev-requests nil "Alist from path to token and state machine of requests that are on their way.")
(defvar mev-drained nil "Alist from path to mail that the start under way there has taken out of the mailbox.")
(defvar mev-now 0 "Milliseconds that `elapse' let pass.")
(defvar mev-deadlines nil "Alist from a waiter's path to when its time is up.")
(defvar mev-tokens nil "Alist from a blocker's token to what releases it.")
(defvar mev-blocks (make-hash-table :test #'equal) "By path and turn, blockers so far.")
(defvar mev-notes nil "What must outlive this process: :path of the session, :turns and :texts by agent.")

;;; Shims

(defconst mev-shims
  '(("reserved_path" . "a child that is reserved and not published yet has its path while its first request is sent: without \
this every first spawn fails since 7d93489")
    ("first_sample" . "mail that a start hands to its first request counts as unread until the story samples it, unless \
the start fails")
    ("recovery_order" . "turns that one restore recovers send their results in the order of their paths: mevedel's order is \
that of its list, and no document says any")
    ("control_files" . "what mevedel has a shell do for every file that a save reads or writes, since 2026-08-14, Emacs does \
to the same files: a tenth of the time")))
(defvar mev-without nil "Names of shims left out.")
(defun mev-shim-p (name) (not (member name mev-without)))

(defun mev--reserved-path (path-of context)
  "In the place of PATH-OF, `mevedel-agent-control-context-path', for CONTEXT."
  (condition-case err (funcall path-of context)
    (error
     (let ((path (and (mevedel-agent-invocation-p context) (mevedel-agent-invocation-path context))))
       (if (and path (fboundp 'mevedel-session-agent-reservations)
                (assoc path (mevedel-session-agent-reservations mev-session)))
           path
         (signal (car err) (cdr err)))))))

(defun mev--first-sample (clear context)
  "Around CLEAR, which empties CONTEXT's mailbox: a start's own is remembered."
  (let ((mail (and mev-op (mevedel-agent-invocation-p context)
                   (equal (mevedel-agent-invocation-path context) (rollcall-op-path mev-op))
                   (mevedel-agent-control-context-mailbox context))))
    (when mail (push (cons (rollcall-op-path mev-op) mail) mev-drained))
    (funcall clear context)))

(defun mev--shim ()
  (when (mev-shim-p "reserved_path")
    (advice-add 'mevedel-agent-control-context-path :around #'mev--reserved-path))
  (when (mev-shim-p "first_sample")
    (advice-add 'mevedel-agent-control-clear-context-mailbox :around #'mev--first-sample))
  (when (mev-shim-p "control_files") (mev-control-files)))

;;; The network, and the two gates of a start

(define-error 'mev-provider-failed "The provider could not be reached (injected)" 'error)

(defun mev--request-path (fsm)
  (let* ((info (gptel-fsm-info fsm)) (buffer (plist-get info :buffer))
         (invocation (or (plist-get info :mevedel-agent-invocation)
                         (and (buffer-live-p buffer) (buffer-local-value 'mevedel--agent-invocation buffer)))))
    (if invocation (mevedel-agent-invocation-path invocation) "/root")))

(defun mev--send (fsm)
  "In the place of what sends FSM's request: it is on its way, once the world says so."
  (let* ((info (gptel-fsm-info fsm)) (path (mev--request-path fsm)) (token (generate-new-buffer " *mev-request*")))
    (gptel--json-encode (plist-get info :data))
    (plist-put info :callback (or (plist-get info :callback) #'gptel--insert-response))
    (when mev-op
      (pcase (rollcall-gate mev-op "dispatch")
        ("error" (signal 'mev-provider-failed nil))
        ("quit" (rollcall-quit))))
    (setf (alist-get token gptel--request-alist)
          (cons fsm (lambda () (when (buffer-live-p token) (kill-buffer token)))))
    (push (list path token fsm) mev-requests)))
(advice-add 'gptel-curl-get-response :override #'mev--send)
(advice-add 'gptel--url-get-response :override #'mev--send)

(defun mev--asked (_event)
  "The public extension point at which a task may be refused."
  (pcase (and mev-op (not (rollcall-op-gate mev-op)) (rollcall-gate mev-op "prepare"))
    ("refuse" '(:continue nil :stop-reason "refused by the story"))
    ("quit" (rollcall-quit) nil)))

(defun mev--deliver (path outcome text)
  "PATH's provider is done: OUTCOME with TEXT, through gptel's own state machine."
  (pcase-let* ((`(,token ,fsm) (cdr (assoc path mev-requests))) (info (gptel-fsm-info fsm)))
    (setq mev-requests (assoc-delete-all path mev-requests))
    (setf (alist-get token gptel--request-alist nil 'remove) nil)
    (when (buffer-live-p token) (kill-buffer token))
    (plist-put info :http-status (if (equal outcome "completed") "200" "500"))
    (unless (equal outcome "completed")
      (plist-put info :status "500") (plist-put info :error (list :type "injected" :message text)))
    (gptel--fsm-transition fsm)
    (funcall (plist-get info :callback) (and (equal outcome "completed") text) info)
    (gptel--fsm-transition fsm)))

(defun mev--forget-aborted ()
  (setq mev-requests (cl-remove-if-not (lambda (entry) (assq (nth 1 entry) gptel--request-alist)) mev-requests)))

;;; Notes

(defun mev--noted (what path) (cdr (assoc path (plist-get mev-notes what))))
(defun mev--note (what path value)
  (let ((all (plist-get mev-notes what)))
    (setf (alist-get path all nil nil #'equal) value)
    (setq mev-notes (plist-put mev-notes what all))
    (mev--write)))
(defun mev--write ()
  (let ((coding-system-for-write 'utf-8-emacs-unix) (print-escape-newlines t))
    (with-temp-file (expand-file-name "driver.notes" mev-place) (prin1 mev-notes (current-buffer)))))

(defun mev--text (path payload)
  "What was delivered to PATH, where PAYLOAD is that text: trimmed, in words of mevedel's own, or a preview of it."
  (let ((cut (string-search "\n\nFull transcript: " payload)))
    (or (car (sort (cl-remove-if-not
                    (lambda (text)
                      (or (string-search (string-trim text) payload)
                          (and cut (string-prefix-p (substring payload 0 (min cut 4000)) (string-trim text)))))
                    (mev--noted :texts path))
                   (lambda (one other) (> (length one) (length other)))))
        payload)))

;;; What can be seen

(defun mev--slot (record slot)
  "RECORD's SLOT, or nil where this commit has none."
  (let ((of (intern (format "mevedel-agent-record-%s" slot))))
    (and (fboundp of) (funcall of record))))
(defun mev--word (symbol) (string-replace "-" "_" (symbol-name symbol)))
(defun mev--has-results () (fboundp 'mevedel-agent-record-settled-result))

(defun mev--told (path outcome payload)
  "OUTCOME and PAYLOAD of PATH's turn as a result is shown: outcome, text, reason, partial."
  (let ((outcome (symbol-name outcome)))
    (if (equal outcome "interrupted")
        (vector outcome "" (if (string-search "session recovery" payload) "abandoned" "interrupted") :null)
      (let ((text (mev--text path payload)))
        (vector outcome (rollcall-text text)
                (if (and (equal outcome "errored") (string-empty-p text)) "provider_failed" :null) :null)))))

(defun mev--mail (entry)
  (let ((payload (plist-get entry :payload)) (from (plist-get entry :sender)))
    (pcase (plist-get entry :type)
      ('RESULT
       (let* ((outcome (symbol-name (plist-get entry :outcome)))
              (record (cdr (assoc from (mevedel-session-agent-registry mev-session))))
              (whole (and record (mev--slot record 'settled-result)))
              (full (if (and whole (equal payload (mevedel-agent-control--bounded-result record whole))) whole payload)))
         (vector "result" from outcome
                 (rollcall-hash (if (equal outcome "interrupted") "" (mev--text from full))))))
      (type (vector (downcase (symbol-name type)) from (rollcall-text payload))))))

(defun mev--mails (queue &optional path)
  "QUEUE, newest first, as a view shows it, behind what a start under way at PATH has taken."
  (let ((all (append (cdr (assoc path mev-drained)) (reverse queue))))
    (and all (vconcat (mapcar #'mev--mail all)))))

(defun mev--agent (record)
  (let* ((path (mevedel-agent-record-path record)) (activity (mevedel-agent-record-activity record))
         (result (mev--slot record 'settled-result)))
    (rollcall-object
     :role (mevedel-agent-record-role record) :activity (mev--word activity)
     :turn (and (not (memq activity '(idle starting))) (mev--noted :turns path))
     :result (and result (mev--told path (mev--slot record 'settled-outcome) result))
     :blockers (and (mev--slot record 'blockers)
                    (vconcat (mapcar (lambda (token) (mev--word (car token))) (reverse (mev--slot record 'blockers)))))
     :waiting (and (mevedel-agent-record-waiter record) t)
     :mail (mev--mails (mevedel-agent-record-mailbox record) path)
     :config "" )))

(defun mev--agents (each)
  (let ((agents (make-hash-table :test #'equal)))
    (dolist (entry (mevedel-session-agent-registry mev-session) agents)
      (puthash (car entry) (funcall each (cdr entry)) agents))))

(defun mev-view ()
  (if (null mev-session) (list :mode "closed")
    (rollcall-object
     :mode "write" :capacity (mevedel-session-agent-turn-capacity mev-session)
     :active (let ((active (mevedel-agent-control--active-count mev-session))) (and (> active 0) active))
     :root (or (rollcall-object :waiting (and (mevedel-session-agent-root-waiter mev-session) t)
                                :mail (mev--mails (mevedel-session-messages mev-session)))
               (make-hash-table))
     :agents (mev--agents #'mev--agent)
     :open (and rollcall-ops (rollcall-open)))))

(defun mev--stored (record)
  "RECORD as the sidecar would hold it; an error where it cannot."
  (let* ((raw (mevedel-agent-persistence--serialize-record
               (cons (mevedel-agent-record-path record) record)
               (make-hash-table :test #'equal) (make-hash-table :test #'equal)))
         (path (plist-get raw :path)) (result (plist-get raw :settled-result)))
    (rollcall-object
     :role (plist-get raw :role) :config "" :activity (mev--word (plist-get raw :activity))
     :turns (mev--noted :turns path)
     :result (and result (mev--told path (plist-get raw :settled-outcome) result))
     :mail (mev--mails (plist-get raw :mailbox) path))))

(defun mev-encode ()
  (when mev-session
    (let (at)
      (condition-case nil
          (list :ok (list :capacity (mevedel-session-agent-turn-capacity mev-session)
                          :root (or (rollcall-object
                                     :mail (mev--mails (mevedel-agent-persistence-sanitize-mailbox
                                                        (mevedel-session-messages mev-session) "/root")))
                                    (make-hash-table))
                          :agents (mev--agents (lambda (record)
                                                 (setq at (mevedel-agent-record-path record))
                                                 (mev--stored record)))))
        (error (list :fault "record_invalid" :at (or at "/root")))))))

(provide 'mevedel-target)
(dolist (part '("mevedel-files" "mevedel-steps"))
  (load (expand-file-name part (expand-file-name "emacs" (file-name-directory load-file-name))) nil t))
;;; mevedel.el ends here
