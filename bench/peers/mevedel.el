;;; mevedel.el --- mevedel's agent tree as a peer of Rollcall's bench -*- lexical-binding: t -*-

;; SPDX-License-Identifier: GPL-3.0-or-later
;; This file runs inside Emacs, beside packages under the GPL, and is under the GNU General Public License, version 3 or
;; later. The rest of Rollcall is under the licence in LICENSE.

;;; Commentary:

;; What bench/peers/mevedel.ts asks for, done with mevedel's own functions: archives are made, restored, read, mailed and
;; closed by it. How it is loaded, what stands in the network's place and how lines are read is the driver's in
;; properties/targets, which is loaded before this file. Nothing here is measured, but for what it calls.

;;; Code:

(require 'mevedel-target)
;; Whatever a restore or a turn would load on its way is there before, as it is in an Emacs that somebody works in.
(dolist (feature '(org org-element gptel-org mevedel-compact mevedel-hooks mevedel-pipeline mevedel-resource mevedel-session-control-transfer
                   mevedel-session-recovery mevedel-skills-prompt mevedel-tool-repair mevedel-transcript
                   mevedel-transcript-audit mevedel-transcript-restore mevedel-view mevedel-view-stream))
  (require feature))

(defconst peer-separator "\n\n" "Between two parts of what a model said; no text of the bench holds it.")
(defvar peer-configurations nil "Alist from a role to its frozen configuration, while an archive is made.")

(defun peer--settings ()
  (mev--settings)
  ;; The driver writes as fast as it can; here a file is written as in an Emacs that somebody sits before.
  (setq write-region-inhibit-fsync nil)
  (setq-default mevedel-user-prompt-submit-functions nil)
  (mevedel-install))

;;; An archive

(defun peer--configurations (roles)
  "Alist from a name in ROLES to its agent's configuration, frozen by mevedel in the root's buffer."
  (cl-loop for (key config) on roles by #'cddr
           for name = (substring (symbol-name key) 1)
           for agent = (let ((text (plist-get config :instructions)))
                         (mevedel-agent--create :name name :description name :tools '((:tool "Read"))
                                                :system-prompt (lambda () text)))
           do (setf (alist-get name mevedel-agent--registry nil nil #'equal) agent)
           collect (cons name (mevedel-agent-exec-freeze-configuration
                               name (peer--invocation agent "/root/nobody" nil)))))

(defun peer--invocation (agent path configuration)
  (let ((invocation (mevedel-agent-invocation-create agent)))
    (setf (mevedel-agent-invocation-path invocation) path
          (mevedel-agent-invocation-description invocation) (file-name-nondirectory path)
          (mevedel-agent-invocation-parent-session invocation) mev-session
          (mevedel-agent-invocation-parent-data-buffer invocation) mev-root
          (mevedel-agent-invocation-transcript-status invocation) 'completed
          (mevedel-agent-invocation-frozen-configuration invocation) configuration)
    invocation))

(defun peer--letter (mail)
  "MAIL, as the bench has it, as mevedel keeps it."
  (list :type 'MAIL :sender (plist-get mail :from) :recipient (plist-get mail :to) :payload (plist-get mail :text)
        :timestamp (time-convert (cons (plist-get mail :at) 1000) 'list)))

(defun peer--said (text)
  "Append TEXT as what the model said, as gptel does."
  (goto-char (point-max))
  (insert (propertize (concat peer-separator text) 'gptel 'response 'front-sticky '(gptel))))

(defun peer--message (invocation message)
  "Append MESSAGE to INVOCATION's conversation as mevedel would have."
  (let ((text (plist-get message :text)))
    (pcase (plist-get message :kind)
      ("task" (mevedel-agent-runtime--insert-prompt
               invocation (current-buffer) (mevedel-agent-invocation-description invocation) text nil t))
      ("mail" (mevedel--insert-user-role-block-at-marker
               (mevedel-tools--message-delivery-block
                (list :type 'MAIL :sender (plist-get message :from) :recipient (mevedel-agent-invocation-path invocation)
                      :payload text))))
      (_ (peer--said text)))))

(defun peer--agent (agent)
  "Keep AGENT, as the bench has it: its conversation in a file of its own, its record in the session."
  (let* ((path (plist-get agent :path)) (role (plist-get agent :role))
         (configuration (cdr (assoc role peer-configurations)))
         (invocation (peer--invocation (mevedel-agent-configuration-agent configuration) path configuration))
         (id (format "%s--%s" role (md5 path)))
         (buffer (progn (setf (mevedel-agent-invocation-agent-id invocation) id)
                        (mevedel-agent-conversation-open invocation mev-root))))
    (setf (mevedel-agent-invocation-buffer invocation) buffer)
    (mevedel-agent-runtime--setup-transcript invocation buffer)
    (mevedel-agent-conversation-configure invocation buffer)
    (with-current-buffer buffer
      ;; A turn writes its task at once; here everything is written at the end.
      (cl-letf (((symbol-function 'mevedel-agent-conversation-save) #'always))
        (mapc (lambda (message) (peer--message invocation message)) (plist-get agent :messages)))
      (set-buffer-modified-p t)
      (setf (mevedel-agent-invocation-sidecar-dirty invocation) nil)
      (unless (mevedel-agent-conversation-save invocation) (error "The conversation of %s is not written" path))
      (setq-local kill-buffer-hook nil)
      (kill-buffer buffer))
    (mevedel-session-persistence--update-transcript-entry mev-session id '(:status completed))
    (cons path
          (mevedel-agent-record--create
           :id id :path path :parent-path (directory-file-name (file-name-directory path)) :role role
           :configuration configuration :activity (intern (plist-get agent :activity))
           :conversation-location (mevedel-agent-invocation-transcript-relative-path invocation)
           :settled-result (plist-get agent :result) :settled-outcome (and (plist-get agent :result) 'completed)
           :mailbox (reverse (mapcar #'peer--letter (plist-get agent :mail)))))))

;; Each of the following takes a step of bench/peers/mevedel.ts, a property list, and answers JSON data.

(defun peer-create (step)
  "A session without agents, below the place of STEP."
  (setq mev-place (file-name-as-directory (plist-get step :place))
        mev-root (mevedel--chat-buffer "main" t (mev--workspace))
        mev-session (buffer-local-value 'mevedel--session mev-root))
  (with-current-buffer mev-root
    (mevedel-preset-apply (alist-get mevedel-default-chat-preset mevedel-action-preset-alist))
    (setq-local gptel-backend (mev--backend) gptel-model 'rollcall-model)
    (mevedel-agents-set-specs nil)
    (mevedel-session-persistence-save mev-session mev-root)
    (setq peer-configurations (peer--configurations (plist-get step :roles))))
  t)

(defun peer-add (step)
  "One more agent."
  (with-current-buffer mev-root
    (push (peer--agent (plist-get step :agent)) (mevedel-session-agent-registry mev-session)))
  t)

(defun peer-save (_step)
  "Written and closed; answers where it lies."
  (prog1 (mevedel-session-save-path mev-session)
    (with-current-buffer mev-root (mevedel-session-persistence-save mev-session mev-root))
    (peer-close nil)))

;;; A session that is open

(defun peer-open (step)
  (setq mev-place (file-name-as-directory (plist-get step :place)))
  ;; A process that was killed has left its lock.
  (let ((rollcall-person #'mev--breaks-lock))
    (setq mev-root (mevedel-session-persistence-restore (plist-get step :session) nil nil (mev--workspace))
          mev-session (buffer-local-value 'mevedel--session mev-root)))
  (with-current-buffer mev-root
    (setq-local gptel-backend (mev--backend) gptel-model 'rollcall-model)
    (mevedel-agents-set-specs nil))
  t)

(defun peer-close (_step)
  "As somebody does who is done: killing the root's buffer kills those of the agents, and gives up the lock."
  (kill-buffer mev-root)
  (setq mev-root nil mev-session nil mev-requests nil)
  t)

(defun peer--record (path) (or (mev--record path) (error "There is no agent %s" path)))

(defun peer-roster (_step)
  (vconcat (cl-loop for row in (mevedel-agent-control-list-agents mev-session)
                    for path = (plist-get row :path)
                    unless (equal path "/root") collect (vector path (plist-get row :activity)))))

(defconst peer--item
  "^--- evidence item; provenance: \\([a-z-]+\\) ---\n\\(\\(?:.\\|\n\\)*?\\)\n--- end evidence item ---$")

(defun peer-history (step)
  "How many messages the conversation holds, once it is read as mevedel reads one: all of it, without the mails.
They are counted where they stand."
  (let* ((record (peer--record (plist-get step :path)))
         (text (mevedel-resource--history-read record mev-session))
         (count (with-current-buffer (mevedel-agent-record-conversation-buffer record)
                  (count-matches "^<agent-\\(?:message\\|result\\) " (point-min) (point-max))))
         (from 0))
    (while (string-match peer--item text from)
      (setq from (match-end 0))
      (let ((who (match-string 1 text)) (said (match-string 2 text)))
        (cl-incf count (cond ((equal who "assistant") (length (split-string said peer-separator t "[ \n]+")))
                             ;; Where the next task would go, behind an answer.
                             ((string-match-p "\\`\\*+\\'" said) 0)
                             (t 1)))))
    count))

(defun peer-send (step)
  (with-current-buffer mev-root
    (mevedel-agent-control-send-message mev-session (plist-get step :to) (plist-get step :text)))
  (peer--written))

(defun peer-begin (step)
  (with-current-buffer mev-root
    (mevedel-agent-control-followup mev-session (plist-get step :path) (plist-get step :text)))
  (peer--written))

(defun peer-settle (step)
  (let ((path (plist-get step :path)))
    (mev--deliver path "completed" (plist-get step :text))
    (unless (eq (mevedel-agent-record-activity (peer--record path)) 'idle) (error "%s did not settle" path)))
  (peer--written))

(defun peer-drain (_step)
  "The root's mail into the root's conversation, as its next request would do, but saved once and not twice."
  (let ((mails (mevedel-agent-control-context-mailbox mev-session)))
    (with-current-buffer mev-root
      (dolist (mail mails)
        (mevedel--insert-user-role-block-at-marker (mevedel-tools--message-delivery-block mail)))
      (let ((mevedel-agent-control-suppress-persistence t))
        (mevedel-agent-control-clear-context-mailbox mev-session))
      (mevedel-session-persistence-save mev-session mev-root))
    (length mails)))

(defun peer-unread (step)
  (length (mevedel-agent-record-mailbox (peer--record (plist-get step :path)))))

(defun peer--written ()
  "An error where mevedel only said that something was not written."
  (let ((said (cl-find-if (lambda (said) (string-match-p "rewrite failed\\|save failed" said)) rollcall-messages)))
    (when said (error "%s" said)))
  t)

;;; The loop

(defconst peer-steps
  (list "create" #'peer-create "add" #'peer-add "save" #'peer-save "open" #'peer-open "close" #'peer-close
        "roster" #'peer-roster "history" #'peer-history "send" #'peer-send "begin" #'peer-begin "settle" #'peer-settle
        "drain" #'peer-drain "unread" #'peer-unread))

(defun peer-apply (step)
  (funcall (or (plist-get peer-steps (plist-get step :do) #'equal) (error "There is no step %s" (plist-get step :do)))
           step))

(defun peer-dump (file)
  "This Emacs, with all that is loaded, as an image in FILE."
  ;; Compiled queries of tree-sitter cannot be kept in one; modes that nobody enters here have them.
  (mapatoms (lambda (symbol)
              (when (and (boundp symbol) (string-suffix-p "--treesit-settings" (symbol-name symbol)))
                (set symbol nil))))
  (setq command-line-args nil)
  (dump-emacs-portable file))

(defun peer-main ()
  (rollcall-quieten)
  (peer--settings)
  (rollcall-serve :name "mevedel" :apply #'peer-apply))

(provide 'mevedel-peer)
;;; mevedel.el ends here
