;;; rollcall-target.el --- Serve a registry in Emacs over Rollcall's line protocol -*- lexical-binding: t -*-

;; SPDX-License-Identifier: GPL-3.0-or-later
;; This file runs inside Emacs, beside packages under the GPL, and is under the GNU General Public License, version 3 or
;; later. The rest of Rollcall is under the licence in LICENSE.

;;; Commentary:

;; The other side of properties/PROTOCOL.md for any registry that lives in Emacs: JSON lines, nested requests while one
;; operation waits at a gate (Emacs is one thread, so gates close last in, first out), prompts turned into errors, quit, and
;; the same over a socket in a graphical frame. It knows no registry: `rollcall-serve' is given its functions.

;;; Code:

(require 'cl-lib)
(require 'json)
(require 'subr-x)

(defvar rollcall-registry nil
  "Property list of functions: :name :capabilities :reset :resume :apply :view :encode :close.
:capabilities, :view and :encode take nothing and answer JSON data; :reset takes scope and place; :resume also the number
of openings; :apply takes a step, calls `rollcall-gate' where it waits for the world, and answers an outcome.")

(cl-defstruct rollcall-op
  "An operation that waits for the world: NAME once it first does, GIVEN the last answer it was given."
  path name advance given gate)

(defvar rollcall-opening 1 "Number of the opening that is there.")
(defvar rollcall--tried 1 "Openings tried so far.")
(defvar rollcall-ops nil "Operations that stand at a gate, newest first.")
(defvar rollcall-messages nil "What was said in the echo area since the step began, newest first.")
(defvar rollcall-then nil "Steps that woken waiters take once the current one is done, oldest first.")
(defvar rollcall-person nil "Function of a prompt's arguments: what a person would answer, or nil.")
(defvar rollcall-press nil "In a graphical frame: function that has a key pressed.")
(defvar rollcall--ordinals (make-hash-table :test #'equal) "By path, in this opening.")
(defvar rollcall--request nil "The request that is to be answered next.")
(defvar rollcall--due nil "Outcome of a step that is done but for what its waiters do.")
(defvar rollcall--reading nil "Non-nil while the loop itself reads a line.")
(defvar rollcall--read #'rollcall--read-stdin)
(defvar rollcall--write #'send-string-to-terminal)

;;; JSON

(defconst rollcall--lone (string #xFFFE) "Stands for half a character that a text came with; no text may hold it.")

(defun rollcall--whole (line)
  "LINE with every escaped half of a surrogate pair replaced: Emacs reads none."
  (if (not (string-match-p "\\\\u[dD][89a-fA-F]" line)) line
    (replace-regexp-in-string
     "\\\\u[dD][89abAB][[:xdigit:]]\\{2\\}\\\\u[dD][c-fC-F][[:xdigit:]]\\{2\\}\\|\\\\u[dD][89a-fA-F][[:xdigit:]]\\{2\\}\\|\\\\."
     (lambda (found) (if (string-match-p "\\`\\\\u[dD][89a-fA-F][[:xdigit:]]\\{2\\}\\'" found) "\\ufffe" found))
     line t t)))

(defun rollcall-malformed-p (text)
  "Non-nil when TEXT came with half a character in it."
  (string-search rollcall--lone text))

(defun rollcall-mended (text)
  "TEXT from the world, well-formed."
  (string-replace rollcall--lone (string #xFFFD) text))

(defun rollcall-object (&rest members)
  "A JSON object of MEMBERS, a property list; those that are nil are left out."
  (cl-loop for (key value) on members by #'cddr when value append (list key value)))

(defun rollcall--units (text)
  "UTF-16 units of TEXT."
  (cl-loop for char across text sum (if (> char #xFFFF) 2 1)))

(defun rollcall-hash (text)
  "The first 16 hex digits of TEXT's SHA-256 over UTF-8."
  (substring (secure-hash 'sha256 (encode-coding-string text 'utf-8-unix)) 0 16))

(defun rollcall-text (text)
  "TEXT as a view shows it."
  (let ((units (rollcall--units text)))
    (if (<= units 64) text (list :length units :sha256 (rollcall-hash text)))))

(defun rollcall--send (&rest object)
  (funcall rollcall--write (concat (json-serialize object) "\n")))

;;; Gates

(defun rollcall-operation (path step)
  "A new operation at PATH, with the answers that ride on STEP."
  (make-rollcall-op :path path :advance (plist-get step :answers)))

(defun rollcall-name (op)
  "The name of OP, which it gets when it first waits for the world."
  (or (rollcall-op-name op)
      (setf (rollcall-op-name op)
            (format "%s#%d.%d" (rollcall-op-path op) rollcall-opening
                    (cl-incf (gethash (rollcall-op-path op) rollcall--ordinals 0))))))

(defun rollcall-gate (op gate)
  "Have OP wait at GATE, serving other requests meanwhile, and return the answer it is given."
  (let ((name (rollcall-name op))
        (ahead (plist-get (rollcall-op-advance op) (intern (concat ":" gate)))))
    (setf (rollcall-op-gate op) gate)
    (setf (rollcall-op-given op)
          (or ahead
              (unwind-protect
                  (progn
                    (push op rollcall-ops)
                    (rollcall--answer (or rollcall--due (list :gate gate :op name)))
                    (setq rollcall--due nil)
                    (rollcall--until name gate))
                (setq rollcall-ops (delq op rollcall-ops)))))))

(defun rollcall-quit ()
  "The user gives up: C-g, pressed on the keyboard where there is one."
  (if (null rollcall-press) (signal 'quit nil)
    (funcall rollcall-press "ctrl+g")
    (with-timeout (10 (error "C-g was pressed and nothing was quit"))
      (while t (sit-for 0.05)))))

(defun rollcall--until (name gate)
  "Serve requests until operation NAME is answered at GATE; return that answer."
  (cl-loop
   (let* ((request (rollcall--next))
          (step (plist-get request :apply)))
     (cond
      ((not (or step (plist-member request :counters))) (throw 'rollcall--top request))
      ((and (equal (plist-get step :do) "answer")
            (equal (plist-get step :op) name) (equal (plist-get step :gate) gate))
       (setq rollcall--request request rollcall-messages nil)
       (cl-return (plist-get step :with)))
      (t (rollcall--handle request))))))

(defun rollcall-open ()
  "Operations that stand at a gate, in the order in which they began, as a view shows them."
  (vconcat (mapcar (lambda (op) (vector (rollcall-op-name op) (rollcall-op-gate op))) (reverse rollcall-ops))))

;;; Requests

(defun rollcall--answer (outcome)
  "Answer the request that is due with OUTCOME and what can be seen now."
  (when rollcall-press (rollcall--show (plist-get rollcall--request :apply) outcome))
  (let ((want (plist-get rollcall--request :want)))
    (apply #'rollcall--send :id (plist-get rollcall--request :id) :reply outcome
           (append (and (member "view" want) (list :view (funcall (plist-get rollcall-registry :view))))
                   (and (member "encode" want)
                        (list :encode (or (funcall (plist-get rollcall-registry :encode)) :null)))))))

(defun rollcall--apply (step)
  (if (member (plist-get step :do) '("answer" "cancel"))
      ;; The newest gate is answered in `rollcall--until': whatever comes here is gone.
      (list :ok "late")
    (funcall (plist-get rollcall-registry :apply) step)))

(defun rollcall--handle (request)
  "Do what REQUEST asks for, and answer it."
  (let ((id (plist-get request :id)) (rollcall--due nil))
    (condition-case err
        (cond
         ((plist-get request :apply)
          (setq rollcall--request request rollcall-messages nil)
          (let ((outcome (rollcall--apply (plist-get request :apply))))
            (while rollcall-then
              (setq rollcall--due outcome)
              (let ((own rollcall--request) (also (rollcall--apply (pop rollcall-then))))
                ;; It came to a gate, so the step is answered, and this is the answer to the answer.
                (unless (eq own rollcall--request) (setq outcome also))))
            (rollcall--answer outcome)))
         ((plist-member request :counters) (rollcall--send :id id :counters :null))
         ((plist-get request :hello)
          (rollcall--send :id id :hello
                          (list :protocol 1 :name (plist-get rollcall-registry :name)
                                :capabilities (funcall (plist-get rollcall-registry :capabilities)))))
         ((or (plist-member request :reset) (plist-member request :resume))
          (clrhash rollcall--ordinals)
          (setq rollcall-ops nil rollcall-then nil)
          (if (plist-member request :reset)
              (progn (setq rollcall-opening 1 rollcall--tried 1)
                     (funcall (plist-get rollcall-registry :reset)
                              (plist-get request :reset) (plist-get request :place)))
            (setq rollcall-opening (plist-get request :opening) rollcall--tried rollcall-opening)
            (funcall (plist-get rollcall-registry :resume)
                     (plist-get request :resume) (plist-get request :place)))
          (rollcall--send :id id :ok t))
         ((plist-get request :picture)
          (unless rollcall-press (error "There is no screen to take a picture of"))
          (redisplay t)
          (funcall rollcall-press (concat "picture " (plist-get request :picture)))
          ;; The picture is there before the answer: whoever takes it does one thing after another.
          (rollcall--send :id id :ok t))
         ((plist-get request :close)
          (funcall (plist-get rollcall-registry :close))
          (rollcall--send :id id :ok t)
          (kill-emacs 0))
         (t (rollcall--send :id id :error "this request is not known")))
      ((error quit)
       (rollcall--send :id (plist-get rollcall--request :id)
                       :error (format "the driver failed: %s" (error-message-string err)))))))

(defun rollcall-opening-tried ()
  "A restore was tried, and refused: what is open stays, and its names."
  (cl-incf rollcall--tried))

(defun rollcall-opened ()
  "A session is opened once more: names begin anew."
  (setq rollcall-opening (rollcall-opening-tried))
  (clrhash rollcall--ordinals))

(defun rollcall--next ()
  (let ((line (funcall rollcall--read)))
    (unless line (kill-emacs 0))
    (json-parse-string (rollcall--whole line) :object-type 'plist :array-type 'list
                       :null-object nil :false-object nil)))

(defun rollcall-serve (&rest registry)
  "Serve REGISTRY, a property list as `rollcall-registry' has it, until the requests end."
  (set-language-environment "UTF-8")
  (setq rollcall-registry registry)
  (let (thrown)
    (while t
      (let ((request (or thrown (rollcall--next))))
        (setq rollcall-ops nil
              ;; A story that ends while operations stand at gates leaves them by this way.
              thrown (catch 'rollcall--top (rollcall--handle request) nil))))))

;;; What would wait for a person is an error, and what would be said to one is kept

(defun rollcall--read-stdin ()
  (let ((rollcall--reading t))
    (condition-case nil (read-from-minibuffer "") (end-of-file nil))))

(defun rollcall--no-prompt (ask &rest args)
  (cond
   (rollcall--reading (apply ask args))
   ((and rollcall-person (funcall rollcall-person args)))
   (t (error "Nobody is here to answer: %S" (car args)))))

(defun rollcall--quiet (_say format &rest args)
  (when format
    (let ((text (apply #'format-message format args)))
      (unless (string-empty-p text) (push text rollcall-messages))
      text)))

(defun rollcall-quieten ()
  "From now on prompts are errors, and messages and warnings are kept in `rollcall-messages'."
  (dolist (ask '(read-from-minibuffer read-string read-char read-event read-char-choice read-key read-passwd
                 yes-or-no-p y-or-n-p))
    (advice-add ask :around #'rollcall--no-prompt))
  (setq completing-read-function (lambda (&rest args) (error "Nobody is here to answer: %S" (car args)))
        select-safe-coding-system-function nil)
  (advice-add 'message :around #'rollcall--quiet)
  (advice-add 'display-warning :around
              (lambda (_warn _type text &rest _) (push (format "%s" text) rollcall-messages) nil)))

;;; In a graphical frame

(defvar rollcall--socket nil)
(defvar rollcall--rest "")
(defvar rollcall--lines nil)

(defun rollcall--take (_socket chunk)
  (let* ((parts (split-string (concat rollcall--rest chunk) "\n")))
    (setq rollcall--rest (car (last parts))
          rollcall--lines
          (nconc rollcall--lines
                 (mapcar (lambda (line) (decode-coding-string line 'utf-8-unix)) (butlast parts))))))

(defun rollcall--show (step outcome)
  "Put STEP and its OUTCOME on the screen, above what the registry shows of itself."
  (with-current-buffer (get-buffer-create "*story*")
    (goto-char (point-max))
    (insert (format "%S\n    %s\n" step (json-serialize outcome))))
  (let ((show (plist-get rollcall-registry :show)))
    (delete-other-windows)
    (switch-to-buffer "*story*")
    (goto-char (point-max))
    (when-let* ((buffers (and show (funcall show))))
      (split-window-below)
      (dolist (buffer (take 2 buffers))
        (other-window 1)
        (switch-to-buffer buffer)
        (unless (eq buffer (car (last (take 2 buffers)))) (split-window-right)))
      (select-window (frame-first-window)))
    (redisplay t)))

(defun rollcall--read-socket ()
  (while (and (null rollcall--lines) (process-live-p rollcall--socket))
    (accept-process-output rollcall--socket 0.2 nil 1)
    (redisplay))
  (pop rollcall--lines))

(defun rollcall-over-socket (port)
  "Serve whoever listens on PORT of this machine in the place of standard input and output."
  (setq rollcall--socket (make-network-process :name "rollcall" :host "127.0.0.1" :service port
                                               :coding 'binary :noquery t :filter #'rollcall--take)
        rollcall--read #'rollcall--read-socket
        rollcall--write (lambda (line) (process-send-string rollcall--socket line))
        rollcall-press (lambda (key) (process-send-string rollcall--socket (concat "!" key "\n")))))

(provide 'rollcall-target)
;;; rollcall-target.el ends here
