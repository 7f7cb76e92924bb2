;;; mevedel-steps.el --- What each step of a story is in mevedel -*- lexical-binding: t -*-

;; SPDX-License-Identifier: GPL-3.0-or-later
;; This file runs inside Emacs, beside packages under the GPL, and is under the GNU General Public License, version 3 or
;; later. The rest of Rollcall is under the licence in LICENSE.

;;; Commentary:

;; The second half of ../mevedel.el: sessions, the steps, and what is offered. A condition that mevedel signals is a refusal,
;; unless the story has injected what it comes from.

;;; Code:

;;; Sessions

(defun mev--backend ()
  (condition-case nil (gptel-get-backend "rollcall")
    (user-error (gptel-make-openai "rollcall" :key "k" :host "127.0.0.1:1" :protocol "http" :stream nil
                                   :models '(rollcall-model)))))

(defun mev--settings ()
  (setq-default gptel-backend (mev--backend) gptel-model 'rollcall-model gptel-stream nil gptel-use-curl nil
                gptel-log-level nil mevedel-user-prompt-submit-functions (list #'mev--asked))
  (setq mevedel-agent-conversation-save-debounce 0 mevedel-hooks-slow-threshold nil mevedel-skills-include-bundled nil
        make-backup-files nil auto-save-default nil create-lockfiles nil vc-handled-backends nil))

(defun mev--roles (scope)
  "Make SCOPE's roles known, those that name tools which nobody has left out: mevedel would not take them either."
  (let* ((owned (cl-loop for (_ owner) on (plist-get scope :registrars) by #'cddr
                         unless (assoc (plist-get owner :category) known)
                         collect (cons (plist-get owner :category) (plist-get owner :tools)) into known
                         finally return known))
         (known-p (lambda (tool) (member (cadr tool) (cdr (assoc (car tool) owned))))))
    (cl-loop for (key config) on (plist-get scope :roles) by #'cddr
             for tools = (plist-get config :tools)
             when (and (= (length config) 12) (stringp (plist-get config :instructions))
                       (not (rollcall-malformed-p (plist-get config :instructions)))
                       (cl-every known-p tools) (equal tools (delete-dups (copy-sequence tools))))
             do (let ((name (substring (symbol-name key) 1)))
                  (setf (alist-get name mevedel-agent--registry nil nil #'equal)
                        (mevedel-agent--create
                         :name name :description name :tools '((:tool "Read"))
                         :system-prompt (let ((text (plist-get config :instructions))) (lambda () text))))))))

(defun mev--workspace ()
  (if (fboundp 'mevedel-workspace-get-or-create)
      (mevedel-workspace-get-or-create 'file mev-place mev-place "rollcall")
    (mevedel-workspace--create :type 'file :id mev-place :root mev-place :name "rollcall")))

(defun mev--crash ()
  "All that is live is gone, and nothing is written."
  (let ((session mev-session) (root mev-root))
    (setq mev-session nil mev-root nil mev-op nil mev-drained nil mev-deadlines nil mev-tokens nil)
    (dolist (entry mev-requests)
      (setf (alist-get (nth 1 entry) gptel--request-alist nil 'remove) nil)
      (when (buffer-live-p (nth 1 entry)) (kill-buffer (nth 1 entry))))
    (setq mev-requests nil)
    (when session
      (dolist (timer timer-list)
        (when (eq (timer--function timer) 'mevedel-agent-control--wait-timeout) (cancel-timer timer)))
      (dolist (entry (mevedel-session-agent-registry session))
        (setf (mevedel-agent-record-activity (cdr entry)) 'idle (mevedel-agent-record-invocation (cdr entry)) nil))
      (let ((mevedel-agent-control-suppress-persistence t) kill-buffer-hook kill-buffer-query-functions)
        (dolist (buffer (append (buffer-list) (list root)))
          (when (and (buffer-live-p buffer)
                     (or (eq buffer root) (eq (buffer-local-value 'mevedel--session buffer) session)))
            (with-current-buffer buffer
              (set-buffer-modified-p nil)
              (setq-local kill-buffer-hook nil kill-buffer-query-functions nil))
            (ignore-errors (kill-buffer buffer)))))
      ;; A dead process has no lock, whoever is asked.
      (ignore-errors (mevedel-session-persistence-lock-release (mevedel-session-save-path session))))))

(defun mev-reset (scope place)
  (mev--crash)
  (clrhash mev-blocks)
  (setq mev-place (file-name-as-directory place) mev-notes nil mev-now 0)
  (mev--settings)
  (mevedel-install)
  (mev--roles scope)
  (setq mev-root (mevedel--chat-buffer "main" t (mev--workspace))
        mev-session (buffer-local-value 'mevedel--session mev-root))
  (setf (mevedel-session-agent-turn-capacity mev-session) (plist-get scope :capacity))
  (with-current-buffer mev-root
    (mevedel-preset-apply (alist-get mevedel-default-chat-preset mevedel-action-preset-alist))
    (setq-local gptel-backend (mev--backend) gptel-model 'rollcall-model)
    (mevedel-agents-set-specs nil)
    (mevedel-session-persistence-save mev-session mev-root))
  (setq mev-notes (list :path (mevedel-session-save-path mev-session)))
  (mev--write))

(defun mev-resume (scope place)
  (mev--crash)
  (clrhash mev-blocks)
  (setq mev-place (file-name-as-directory place) mev-now 0)
  (mev--settings)
  (mevedel-install)
  (mev--roles scope)
  (setq mev-notes (with-temp-buffer
                    (let ((coding-system-for-read 'utf-8-emacs-unix))
                      (insert-file-contents (expand-file-name "driver.notes" mev-place)))
                    (read (current-buffer)))))

(defun mev--restore ()
  (rollcall-opened)
  ;; A turn that is recovered has its conversation read: an operation of its own there.
  (let ((sidecar (mevedel-session-persistence-read (expand-file-name "session.meta.el" (plist-get mev-notes :path)))))
    (dolist (raw (plist-get sidecar :agent-registry))
      (unless (memq (plist-get raw :activity) '(idle starting))
        (rollcall-name (rollcall-operation (plist-get raw :path) nil)))))
  (let ((rollcall-person #'mev--breaks-lock))
    (setq mev-root (if (>= (cdr (func-arity 'mevedel-session-persistence-restore)) 4)
                     (mevedel-session-persistence-restore (plist-get mev-notes :path) nil nil (mev--workspace))
                   (mevedel-session-persistence-restore (plist-get mev-notes :path)))
        mev-session (buffer-local-value 'mevedel--session mev-root)))
  (with-current-buffer mev-root
    (setq-local gptel-backend (mev--backend) gptel-model 'rollcall-model)
    (mevedel-agents-set-specs nil))
  (when (mev-shim-p "recovery_order") (mev--recovery-order))
  (list :ok "done"))

(defun mev--recovery-order ()
  "Bring the results of turns that were recovered together into the order of their paths."
  (dolist (path (cons "/root" (mapcar #'car (mevedel-session-agent-registry mev-session))))
    (let* ((queue (mevedel-agent-control--mailbox-queue mev-session path))
           (recovered (cl-loop for entry in queue
                               while (and (eq (plist-get entry :type) 'RESULT)
                                          (string-search "session recovery" (plist-get entry :payload)))
                               collect entry)))
      (when (cdr recovered)
        (mevedel-agent-control--set-mailbox-queue
         mev-session path
         (append (sort recovered (lambda (one other)
                                   (string> (plist-get one :sender) (plist-get other :sender))))
                 (nthcdr (length recovered) queue)))))))

(defun mev--breaks-lock (prompt)
  "The owner is dead, and whoever is asked by PROMPT knows."
  (and (string-match-p "lock" (format "%s" (car prompt)))
       (if (string-search "[b]reak" (car prompt)) ?b t)))

;;; Steps

(defvar mev-loud nil "Whether to say on standard error why mevedel refuses.")
(defun mev--record (path) (cdr (assoc path (mevedel-session-agent-registry mev-session))))
(defun mev--refused (code) (list :refused code))
(defun mev--admitted-p (path)
  (or (equal path "/root")
      (let ((record (mev--record path)))
        (and record (not (memq (mevedel-agent-record-activity record) '(idle starting)))))))

(defmacro mev--as (path &rest body)
  "BODY in the buffer of the caller PATH; a refusal where there is none, or mevedel signals a condition."
  (declare (indent 1))
  `(let ((buffer (if (equal ,path "/root") mev-root
                   (let ((record (mev--record ,path)))
                     (and record (mevedel-agent-record-conversation-buffer record))))))
     (if (not (buffer-live-p buffer)) (mev--refused "caller_unknown")
       (condition-case err (with-current-buffer buffer ,@body)
         (quit (list :quit t))
         (error (mev--refusal err))))))

(defun mev--refusal (err)
  "ERR as an outcome: where the story has made it, that."
  (pcase (and mev-op (rollcall-op-given mev-op))
    ("refuse" (mev--refused "task_refused"))
    ("error" (list :fault "provider_failed" :at (rollcall-op-path mev-op)))
    ("quit" (list :quit t))
    (_ (when mev-loud (princ (format "%s\n" (error-message-string err)) #'external-debugging-output))
       (mev--refused "mevedel_refused"))))

(defun mev--admitted (path)
  "A turn of PATH was admitted."
  (mev--note :turns path (1+ (or (mev--noted :turns path) 0)))
  (let ((taken (cdr (assoc path mev-drained))) (record (mev--record path)))
    (when (and taken record)
      (setf (mevedel-agent-record-mailbox record) (append (mevedel-agent-record-mailbox record) (reverse taken)))
      (mevedel-agent-control--persist-session mev-session)))
  (list :ok path))

(defmacro mev--starting (path step &rest body)
  "BODY as a start of PATH, with the answers that ride on STEP."
  (declare (indent 2))
  `(let ((mev-op (rollcall-operation ,path ,step)))
     (unwind-protect (progn ,@body)
       ;; Who steers an agent that is starting leaves alone what its start has taken.
       (unless (cl-find ,path rollcall-ops :key #'rollcall-op-path :test #'equal)
         (setq mev-drained (assoc-delete-all ,path mev-drained))))))

(defun mev--spawn (step)
  (let* ((by (plist-get step :by)) (name (plist-get step :name)) (path (concat by "/" name)) (role (plist-get step :role))
         outcome)
    (mev--as by
      ;; A conversation that was read anew knows the bundled roles only, and none of a story's.
      (mevedel-agents-set-specs nil)
      (mev--starting path step
        (condition-case err
            (progn
              (if (mev--prepares-p)
                  (mevedel-agent-control-spawn mev-session name (plist-get step :text)
                                               (lambda (told) (setq outcome told)) :role role)
                (mevedel-agent-control-spawn mev-session name (plist-get step :text) :role role)
                (setq outcome '(:outcome success)))
              (if (eq (plist-get outcome :outcome) 'success) (mev--admitted path)
                (mev--refusal (list 'error (format "%s" (plist-get outcome :error))))))
          (quit (list :quit t))
          (error (mev--refusal err)))))))

(defun mev--follow-up (step)
  (let ((by (plist-get step :by)))
    (mev--as by
      (let* ((path (mevedel-agent-control-resolve-path mev-session by (plist-get step :to)))
             (record (mev--record path))
             (before (if record (mevedel-agent-record-activity record) 'idle)))
        (mev--starting path step
          (condition-case err
              (progn
                (mevedel-agent-control-followup mev-session (plist-get step :to) (plist-get step :text))
                (if (eq before 'idle) (mev--admitted path) (list :ok (mev--word before))))
            (quit (list :quit t))
            (error (mev--refusal err))))))))

(defun mev--finish (step)
  (let* ((path (plist-get step :path)) (record (mev--record path)) (text (rollcall-mended (plist-get step :text))))
    (cond
     ((equal path "/root") (list :ok "late"))
     ((null record) (mev--refused "agent_unknown"))
     ((or (not (mev--admitted-p path)) (not (equal (plist-get step :turn) (mev--noted :turns path))))
      (list :ok "late"))
     ((null (assoc path mev-requests)) (list :fault "provider_failed" :at path))
     (t (mev--note :texts path (cons text (mev--noted :texts path)))
        (mev--deliver path (plist-get step :outcome) text)
        (list :ok "settled")))))

(defun mev--interrupt (step)
  (let ((by (plist-get step :by)))
    (mev--as by
      (let* ((path (mevedel-agent-control-resolve-path mev-session by (plist-get step :to))))
        (when (and (not (equal path "/root")) (not (equal path by)) (mev--admitted-p path))
          (rollcall-name (rollcall-operation path nil)))
        (prog1 (list :ok (mev--word (plist-get (mevedel-agent-control-interrupt mev-session (plist-get step :to))
                                               :previous-activity)))
          (mev--forget-aborted))))))

(defun mev--wait (step)
  (let* ((by (plist-get step :by)) (callback (plist-get step :callback)) (limit (plist-get step :timeoutMs)) asleep)
    (if (not (mev--admitted-p by)) (mev--refused "not_active")
      (mev--as by
        (if (mevedel-agent-control-wait
             mev-session
             (lambda (_why)
               (when asleep
                 (setq mev-deadlines (assoc-delete-all by mev-deadlines))
                 (when callback
                   (setq rollcall-then (append rollcall-then (list (plist-get callback :then)))))))
             limit)
            (progn (setq asleep t)
                   (push (cons by (+ mev-now (min 3600000 (max 10000 (or limit 30000))))) mev-deadlines)
                   (list :ok "waiting"))
          (list :ok "mailbox"))))))

(defun mev--elapse (ms)
  "Fire the waits whose time is up after MS, in order of time and path, and no other timers."
  (cl-incf mev-now ms)
  (let ((due (sort (cl-remove-if (lambda (entry) (> (cdr entry) mev-now)) mev-deadlines)
                   (lambda (one other) (or (< (cdr one) (cdr other))
                                           (and (= (cdr one) (cdr other)) (string< (car one) (car other))))))))
    (dolist (entry due)
      (dolist (timer (copy-sequence timer-list))
        (when (and (eq (timer--function timer) 'mevedel-agent-control--wait-timeout)
                   (equal (nth 1 (timer--args timer)) (car entry)))
          (cancel-timer timer)
          (ignore-errors (apply (timer--function timer) (timer--args timer))))))
    (setq mev-deadlines (cl-set-difference mev-deadlines due)))
  (list :ok "done"))

(defun mev--sample (path)
  (if (not (mev--admitted-p path))
      (mev--refused (if (mev--record path) "not_active" "agent_unknown"))
    (mev--as path
      (let* ((context (if (equal path "/root") mev-session (mevedel-agent-record-invocation (mev--record path))))
             (mail (vconcat (mapcar #'mev--mail (mevedel-agent-control-context-mailbox context)))))
        (mevedel-agent-control-clear-context-mailbox context)
        (list :ok mail)))))

(defun mev--block (step)
  (let* ((path (plist-get step :path)) (turn (mev--noted :turns path)))
    (cond
     ((equal path "/root") (mev--refused "target_root"))
     ((null (mev--record path)) (mev--refused "agent_unknown"))
     ((not (mev--admitted-p path)) (mev--refused "not_active"))
     (t (let ((token (format "%s@%d.%d" path turn (cl-incf (gethash (cons path turn) mev-blocks 0)))))
          (push (cons token (mevedel-agent-control-block-turn
                             mev-session path (intern (string-replace "_" "-" (plist-get step :kind)))))
                mev-tokens)
          (list :ok token))))))

(defun mev--release (token)
  (let* ((release (cdr (assoc token mev-tokens)))
         (before (and release (mev-view))))
    (setq mev-tokens (assoc-delete-all token mev-tokens))
    (if (null release) (list :ok "late")
      (funcall release)
      (list :ok (if (equal (json-serialize before) (json-serialize (mev-view))) "late" "done")))))

(defun mev--people (step)
  "A refusal where a person's text in STEP is no text."
  (let ((text (plist-get step :text)))
    (and (stringp text) (rollcall-malformed-p text) (mev--refused "text_malformed"))))

(defun mev--do (step)
  (pcase (plist-get step :do)
    ("spawn" (or (mev--people step) (mev--spawn step)))
    ("follow_up" (or (mev--people step) (mev--follow-up step)))
    ("finish" (mev--finish step))
    ("interrupt" (mev--interrupt step))
    ("send" (or (mev--people step)
                (mev--as (plist-get step :by)
                  (mevedel-agent-control-send-message mev-session (plist-get step :to) (plist-get step :text))
                  (list :ok "done"))))
    ("execution" (mev--as "/root"
                   (mevedel-agent-control-enqueue-execution-result
                    mev-session (plist-get step :owner) (rollcall-mended (plist-get step :text)))
                   (list :ok "done")))
    ("steer" (or (mev--people step)
                 (mev--as "/root"
                   (if (mevedel-agent-control-steer-user mev-session (plist-get step :text)) (list :ok "done")
                     (mev--refused "not_waiting")))))
    ("wait" (mev--wait step))
    ("cancel_wait" (let ((by (plist-get step :by)))
                     (setq mev-deadlines (assoc-delete-all by mev-deadlines))
                     (mev--as by (if (mevedel-agent-control-cancel-wait mev-session by) (list :ok "done")
                                   (mev--refused "not_waiting")))))
    ("elapse" (mev--elapse (plist-get step :ms)))
    ("sample" (mev--sample (plist-get step :path)))
    ("block" (mev--block step))
    ("release" (mev--release (plist-get step :token)))
    ("roster" (mev--as "/root"
                (list :ok (vconcat (mapcar (lambda (row)
                                             (let ((path (plist-get row :path)))
                                               (vector path (if (equal path "/root") :null (plist-get row :role))
                                                       ;; The root's own requests are not driven: it is at work.
                                                       (if (equal (plist-get row :activity) "idle")
                                                           (cond ((not (equal path "/root")) "idle")
                                                             ((mevedel-session-agent-root-waiter mev-session) "waiting")
                                                             (t "running"))
                                                         (string-replace "-" "_" (plist-get row :activity))))))
                                           (mevedel-agent-control-list-agents
                                            mev-session
                                            ;; As its tool does, which takes an empty prefix for none.
                                            (let ((prefix (plist-get step :prefix)))
                                              (and prefix (not (string-empty-p prefix)) prefix))))))))
    ("read_result" (let* ((record (mev--record (plist-get step :path)))
                          (settled (and record (mevedel-agent-control-settled-result record))))
                     (if settled (list :ok (mev--told (plist-get step :path) (plist-get settled :outcome)
                                                      (plist-get settled :payload)))
                       (mev--refused "not_ready"))))
    ("save" (mev--as "/root" (mevedel-session-persistence-save mev-session mev-root) (list :ok "done")))
    (verb (error "The driver has no step %s" verb))))

(defun mev-apply (step)
  (let ((verb (plist-get step :do)))
    (cond
     ((and (equal verb "restore") mev-session) (rollcall-opening-tried) (mev--refused "session_open"))
     ((equal verb "restore") (mev--restore))
     ((equal verb "crash") (mev--crash) (list :ok "done"))
     ((null mev-session) (if (equal verb "release") (list :ok "late") (mev--refused "session_closed")))
     (t (let ((outcome (mev--do step))
              (unsaved (cl-find-if (lambda (said) (string-search "rewrite failed" said)) rollcall-messages)))
          ;; mevedel only logs a save that failed, whatever it was for.
          (if (and unsaved (plist-member outcome :ok))
              (list :fault "record_invalid" :at (or (plist-get (mev-encode) :at) "archive"))
            outcome))))))

;;; What is offered

(defun mev--asks-p () (fboundp 'mevedel-agent-runtime--run-prompt-hook))
(defun mev--prepares-p () (>= (car (func-arity 'mevedel-agent-control-spawn)) 4))

(defun mev-capabilities ()
  (let ((results (mev--has-results)))
    (list
     :pictures (if rollcall-press t :false) :level "core" :nesting "lifo" :encodes t :stores :false :commits :false :handles :false
     :verbs (vconcat '("spawn" "follow_up" "answer" "finish" "interrupt" "send" "execution" "steer" "wait" "cancel_wait"
                       "elapse" "sample" "block" "release" "roster" "save" "crash" "restore")
                     (and results '("read_result")))
     ;; Before d1061a4 a task was not asked about.
     :passes (vconcat '("hydrate" "abort" "handler") (and (not (mev--asks-p)) '("prepare")))
     ;; Before 7d93489 a child was published before its first request was sent, and is seen then.
     :advance (if (mev--prepares-p) [] ["spawn"])
     :answers (list :hydrate ["ok"] :prepare (if (mev--asks-p) ["ok" "refuse" "quit"] ["ok"])
                    :dispatch ["ok" "error" "quit"] :abort ["ok"] :handler ["ok"])
     :hides (list :fields (vconcat '("config" "residency" "marks" "messages" "owed" "undo")
                                   (and (not results) '("result"))))
     :shims (vconcat (mapcar (lambda (shim) (list :name (car shim) :why (cdr shim)
                                                  :on (if (mev-shim-p (car shim)) t :false)))
                             mev-shims))
     :lacks
     [(:step (:do "spawn" :handler t) :why "a result handler belongs to its own workflows")
      (:step (:do "follow_up" :handler t) :why "a follow-up takes no result handler")
      (:step (:do "finish" :op "*") :why "a provider answers after it was asked, never while it is")
      (:step (:do "finish" :outcome "interrupted") :why "a provider does not interrupt its own turn")
      (:step (:do "execution" :owner "/root/*") :why "an agent's executions come with its turn, not by mail")
      (:step (:do "wait" :callback "throws") :why "what wakes its waiters is its own, and does not throw")
      (:step (:from "starting") :why "an agent acts in its turns, and its buffer may not be open before one is admitted")
      (:step (:from "cold") :why "an agent acts from its conversation's buffer, and has none before that is read")
      (:step (:do "restore" :mode "read") :why "a read-only session is another command there")
      (:step (:do "restore") :only (:registrars ["core" "web" "late"]) :why "its tools belong to nobody else")])))

(defun mev-show ()
  "What a frame shows: the root's view, and the youngest agent's conversation."
  (when mev-session
    (delq nil (list (let ((view (buffer-local-value 'mevedel--view-buffer mev-root)))
                      (if (buffer-live-p view) view mev-root))
                    (let ((buffer (and (mevedel-session-agent-registry mev-session)
                                       (mevedel-agent-record-conversation-buffer
                                        (cdar (mevedel-session-agent-registry mev-session))))))
                      (and (buffer-live-p buffer) buffer))))))

(defun mev-main ()
  (let ((args (cdr (member "--" command-line-args))))
    (while args
      (pcase (pop args)
        ("--no-shim" (let ((name (pop args)))
                       (unless (assoc name mev-shims)
                         (message "there is no shim %s; there are %s" name (mapconcat #'car mev-shims ", "))
                         (kill-emacs 4))
                       (push name mev-without)))
        ("--loud" (setq mev-loud t))
        ("--port" (rollcall-over-socket (string-to-number (pop args)))))))
  (setq command-line-args-left nil)
  (mev--shim)
  (rollcall-quieten)
  (rollcall-serve :name "mevedel" :capabilities #'mev-capabilities :reset #'mev-reset :resume #'mev-resume
                  :show #'mev-show :apply #'mev-apply :view #'mev-view :encode #'mev-encode :close #'mev--crash))

(provide 'mevedel-steps)
;;; mevedel-steps.el ends here
