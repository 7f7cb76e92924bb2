/** A story as one standalone test for ERT, Emacs's own: objects are property lists, lists vectors, and nothing is nil. */
import type { Beat } from "./beats.ts";

/** As Emacs Lisp reads it. */
function text(given: string): string {
  const escaped = given.replace(/[\\"]/g, String.raw`\$&`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return `"${escaped.replace(/[\u0000-\u001f\ud800-\udfff]/gu, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`;
}

function lisp(value: unknown): string {
  if (value === null || value === undefined || value === false) return "nil";
  if (value === true) return "t";
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return `[${value.map(lisp).join(" ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `:${key.replace(/[^\w/-]/g, String.raw`\$&`)} ${lisp(member)}`,
  );
  return members.length === 0 ? "nil" : `(${members.join(" ")})`;
}

const alike = `(defun story-like-p (expected found)
  "Whether FOUND is as EXPECTED; a property list in any order."
  (cond ((keywordp (car-safe expected))
         (and (consp found) (= (length expected) (length found))
              (cl-loop for (key value) on expected by #'cddr
                       always (and (plist-member found key) (story-like-p value (plist-get found key))))))
        ((and (vectorp expected) (vectorp found) (= (length expected) (length found)))
         (cl-every #'story-like-p expected found))
        (t (equal expected found))))`;

export function ertOf(
  name: string,
  beats: readonly Beat[],
  head: readonly string[],
  contract: readonly string[],
  marks: { readonly opens: string; readonly closes: string },
): string {
  const [title = name, ...story] = head;
  const verbs = [...new Set(beats.map(({ verb }) => verb))];
  const step = ({ says, verb, given, answers, seen }: Beat, index: number): readonly string[] => [
    "",
    `    ;; ${index + 1}. ${says}`,
    `    (should (story-like-p '${lisp(answers)} (funcall host '${verb} '${lisp(given)})))`,
    ...(seen === null ? [] : [`    (should (story-like-p '${lisp(seen)} (funcall host 'seen nil)))`]),
    ...(seen !== null && "closed" in seen ? [] : ["    (should (funcall host 'saves nil))"]),
  ];
  return [
    `${title} -*- lexical-binding: t -*-`,
    ...story,
    "",
    "(require 'ert)",
    "(require 'cl-lib)",
    "",
    alike,
    "",
    `;; ${marks.opens}`,
    ...contract.map((line) => `;; ${line}`),
    ";; The object is a function of a verb and a property list; lists are vectors, nothing is nil, true is t.",
    "(defun open-host ()",
    "  (lambda (verb _given)",
    "    (pcase verb",
    ...[...verbs, "seen", "saves"].map((verb) => `      ('${verb} (error "Write ${verb}"))`),
    '      (_ (error "The story has no %s" verb)))))',
    `;; ${marks.closes}`,
    "",
    `(ert-deftest ${name.replace(/\W+/g, "-")} ()`,
    "  (let ((host (open-host)))",
    ...beats.flatMap(step),
    "    ))",
    "",
  ].join("\n");
}
