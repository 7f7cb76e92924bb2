;;; mevedel-files.el --- mevedel's control files without a shell for each -*- lexical-binding: t -*-

;; SPDX-License-Identifier: GPL-3.0-or-later
;; This file runs inside Emacs, beside packages under the GPL, and is under the GNU General Public License, version 3 or
;; later. The rest of Rollcall is under the licence in LICENSE.

;;; Commentary:

;; The shim `control_files' of ../mevedel.el. Since 2026-08-14 each save has a shell started for every file that it reads or
;; writes, and a story saves dozens of times. Here Emacs does the same to the same files, and refuses links as the shell does.

;;; Code:

(defun mev--control-write (bytes path new)
  "Put BYTES into PATH, at once; where NEW, only if there is none."
  (let ((coding-system-for-write 'no-conversion))
    (if new (write-region bytes nil path nil 'silent nil 'excl)
      (let ((beside (make-temp-file (concat (file-name-directory path) ".rollcall-"))))
        (write-region bytes nil beside nil 'silent)
        (rename-file beside path t)))
    '(ok)))

(defun mev--control-read (path)
  (let ((coding-system-for-read 'no-conversion))
    (with-temp-buffer
      (set-buffer-multibyte nil)
      (insert-file-contents-literally path)
      (buffer-string))))

(defun mev--control (op)
  "Do OP of a control program: its status, and a value if it has one."
  (let* ((path (expand-file-name (plist-get op :path)))
         (parent (directory-file-name (file-name-directory path)))
         (given (or (plist-get op :content) ""))
         (bytes (if (multibyte-string-p given) (encode-coding-string given (or (plist-get op :coding) 'utf-8-unix))
                  given))
         (there (file-exists-p path)))
    (condition-case nil
        (cond
         ((not (file-exists-p parent)) '(absent))
         ((or (file-symlink-p path) (not (equal (file-truename parent) parent))) '(failed))
         (t (pcase (plist-get op :op)
              ('read (if there (list 'ok (mevedel-session-control-fs--program-value op (mev--control-read path)))
                       '(absent)))
              ('verify (cond ((not there) '(absent))
                             ((equal (mev--control-read path) bytes) '(ok))
                             (t '(mismatch))))
              ('write (mev--control-write bytes path nil))
              ('create (if there '(conflict) (mev--control-write bytes path t)))
              ('make-directory (if there '(conflict) (make-directory path) '(ok)))
              ('path-exists-p (if there '(ok) '(absent)))
              ('directory-p (cond ((not there) '(absent)) ((file-directory-p path) '(ok)) (t '(failed))))
              ('delete-file (when there (delete-file path)) '(ok)))))
      (file-error '(failed)))))

(defconst mev--control-done '(read verify write create make-directory path-exists-p directory-p delete-file))

(defun mev--control-program (run ops)
  "In the place of RUN, `mevedel-session-control-fs-run-program', for OPS on this machine."
  (if (cl-notevery (lambda (op) (and (memq (plist-get op :op) mev--control-done)
                                     (not (file-remote-p (plist-get op :path)))))
                   ops)
      (funcall run ops)
    (let (ended)
      (mapcar (lambda (op)
                (let ((done (if ended '(skipped) (mev--control op))))
                  (unless (or (eq (car done) 'ok) (plist-get op :optional)) (setq ended t))
                  (list :op (plist-get op :op) :path (plist-get op :path) :status (car done) :value (cadr done)
                        :diagnostic (unless (eq (car done) 'ok) ""))))
              ops))))

(defvar mev--hostname nil)
(defun mev--same-hostname (ask)
  (or mev--hostname (setq mev--hostname (funcall ask))))

(defun mev-control-files ()
  (when (fboundp 'mevedel-session-control-fs-run-program)
    (advice-add 'mevedel-session-control-fs-run-program :around #'mev--control-program))
  (when (fboundp 'mevedel-execution-target--local-hostname)
    (advice-add 'mevedel-execution-target--local-hostname :around #'mev--same-hostname)))

(provide 'mevedel-files)
;;; mevedel-files.el ends here
