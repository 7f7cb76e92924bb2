/**
 * The plumbing of targets in Emacs, on a real one, against a registry of a few lines that is defined here: false would be a line
 * lost or answered twice, gates closed in another order than last in, first out, a prompt that eats a line, a quit that is an
 * error, or a crash that nobody notices. Skipped, and said so, where there is no emacs.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { openLines } from "../lines.ts";

const folder = dirname(fileURLToPath(import.meta.url));
const hasEmacs = spawnSync("emacs", ["--version"]).status === 0;
const scratch = mkdtempSync(join(tmpdir(), "rollcall-plumbing-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Names who were started; a start waits at its dispatch gate, and what a send says is done. */
const registry = `;;; -*- lexical-binding: t -*-
(require 'rollcall-target)
(defvar toy-names nil)
(defun toy-view ()
  (list :mode "write" :root (make-hash-table)
        :agents (let ((all (make-hash-table :test #'equal)))
                  (dolist (name toy-names all) (puthash name (list :role "r" :config "" :activity "running") all)))
        :open (rollcall-open)))
(defun toy-spawn (step)
  (let ((op (rollcall-operation (concat "/root/" (plist-get step :name)) step)))
    (condition-case nil
        (pcase (rollcall-gate op "dispatch")
          ("quit" (rollcall-quit))
          ("error" (list :fault "provider_failed" :at (rollcall-op-path op)))
          (_ (push (rollcall-op-path op) toy-names) (list :ok (rollcall-op-path op))))
      (quit (list :quit t)))))
(defun toy-send (text)
  (condition-case err
      (pcase text
        ("prompt" (list :ok (read-string "Really? ")))
        ("choice" (list :ok (completing-read "Which? " '("a" "b"))))
        ("yes" (list :ok (yes-or-no-p "Sure? ")))
        ("say" (message "it is said") (list :ok (car rollcall-messages)))
        ("die" (kill-emacs 7))
        ("bug" (car 1))
        ("opened" (rollcall-opened) (list :ok "done"))
        ("refused" (rollcall-opening-tried) (list :refused "session_open"))
        ("then" (setq rollcall-then (list '(:do "spawn" :name "then"))) (list :ok "done"))
        (_ (list :ok (vector (rollcall-text text) (if (rollcall-malformed-p text) t :false)))))
    (user-error (list :refused "x"))
    (wrong-type-argument (signal (car err) (cdr err)))
    (error (list :fault "io_failed" :at (error-message-string err)))))
(defun toy-main ()
  (rollcall-quieten)
  (rollcall-serve :name "toy" :capabilities (lambda () '(:level "core" :nesting "lifo"))
                  :reset (lambda (_scope _place) (setq toy-names nil)) :resume #'ignore
                  :apply (lambda (step) (if (equal (plist-get step :do) "spawn") (toy-spawn step)
                                          (toy-send (plist-get step :text))))
                  :view #'toy-view :encode #'ignore :close #'ignore))
`;
const file = join(scratch, "toy.el");
writeFileSync(file, registry);

const command = ["emacs", "-Q", "--batch", "-L", folder, "-l", file, "-f", "toy-main"];
const any = z.looseObject({});
/** The program, asked in order. */
async function asked(...requests: readonly object[]): Promise<readonly unknown[]> {
  const lines = openLines("toy", command, 60_000);
  try {
    const answers = await Promise.all(requests.map((request) => lines.ask(request, any)));
    return answers.map(({ answer }) => answer);
  } finally {
    await lines.kill();
  }
}
const spawn = (name: string, answers?: object) => ({
  apply: { do: "spawn", name, ...(answers === undefined ? {} : { answers }) },
});
const answer = (op: string, given: string) => ({ apply: { do: "answer", op, gate: "dispatch", with: given } });
const send = (text: string) => ({ apply: { do: "send", text } });
const seen = (step: { readonly apply: object }) => ({ ...step, want: ["view"] });
const reset = { reset: {}, place: scratch };
const patience = 120_000;

test.skipIf(hasEmacs)("is skipped: there is no emacs", () => {
  expect(hasEmacs).toBe(false);
});

describe.skipIf(!hasEmacs)("the plumbing in Emacs", { timeout: patience }, () => {
  test("answers each line once, in order, texts as they came", async () => {
    const text = `é\u{1f600}"\\\n\u0000\u2028`;
    expect(
      await asked({ hello: { protocol: 1 } }, reset, send(text), send("a".repeat(65)), { counters: true }),
    ).toEqual([
      { hello: { protocol: 1, name: "toy", capabilities: { level: "core", nesting: "lifo" } } },
      { ok: true },
      { reply: { ok: [text, false] } },
      { reply: { ok: [{ length: 65, sha256: "635361c48bb9eab1" }, false] } },
      { counters: null },
    ]);
  });

  test("tells half a character from a whole one, and from a backslash", async () => {
    const [, half, whole, slash] = await asked(reset, send("a\ud83d"), send("\u{1f600}"), send("\\ud83d"));
    expect(half).toMatchObject({ reply: { ok: [expect.anything(), true] } });
    expect([whole, slash]).toEqual([{ reply: { ok: ["\u{1f600}", false] } }, { reply: { ok: ["\\ud83d", false] } }]);
  });

  test("serves others while one waits, and closes gates last in, first out", async () => {
    const told = await asked(
      ...[reset, spawn("a"), seen(spawn("b")), answer("/root/a#1.1", "ok"), send("hi")],
      ...[answer("/root/b#1.1", "ok"), seen(answer("/root/a#1.1", "ok")), answer("/root/a#1.1", "ok")],
    );
    expect(told.slice(1)).toMatchObject([
      { reply: { gate: "dispatch", op: "/root/a#1.1" } },
      {
        reply: { gate: "dispatch", op: "/root/b#1.1" },
        view: {
          open: [
            ["/root/a#1.1", "dispatch"],
            ["/root/b#1.1", "dispatch"],
          ],
        },
      },
      { reply: { ok: "late" } },
      { reply: { ok: ["hi", false] } },
      { reply: { ok: "/root/b" } },
      { reply: { ok: "/root/a" }, view: { open: [], agents: { "/root/a": {}, "/root/b": {} } } },
      { reply: { ok: "late" } },
    ]);
  });

  test("takes answers in advance, errors and quits, and numbers operations of a path", async () => {
    const told = await asked(
      ...[reset, spawn("a", { dispatch: "error" }), spawn("a", { dispatch: "quit" }), spawn("a")],
      ...[answer("/root/a#1.3", "quit"), seen(spawn("a", { dispatch: "ok" }))],
    );
    expect(told.slice(1)).toMatchObject([
      { reply: { fault: "provider_failed" } },
      { reply: { quit: true } },
      { reply: { gate: "dispatch", op: "/root/a#1.3" } },
      { reply: { quit: true } },
      { reply: { ok: "/root/a" }, view: { open: [] } },
    ]);
  });

  test("turns every prompt into an error, and keeps what is said", async () => {
    const told = await asked(reset, send("prompt"), send("choice"), send("yes"), send("say"), send("hi"));
    const error = { reply: { fault: "io_failed", at: expect.stringMatching(/^Nobody is here to answer/) } };
    expect(told.slice(1)).toEqual([
      error,
      error,
      error,
      { reply: { ok: "it is said" } },
      { reply: { ok: ["hi", false] } },
    ]);
  });

  test("begins anew where a story ends while operations stand at gates", async () => {
    const told = await asked(reset, spawn("a"), spawn("b"), reset, seen(spawn("c", { dispatch: "ok" })));
    expect(told.slice(3)).toMatchObject([{ ok: true }, { reply: { ok: "/root/c" }, view: { open: [] } }]);
  });

  test("names operations by the openings tried so far, and leaves alone what a refused one found open", async () => {
    const told = await asked(
      ...[reset, spawn("a", { dispatch: "ok" }), send("refused"), spawn("b"), answer("/root/b#1.1", "ok")],
      ...[send("opened"), spawn("a"), answer("/root/a#3.1", "ok")],
    );
    expect(told.slice(2)).toMatchObject([
      { reply: { refused: "session_open" } },
      { reply: { gate: "dispatch", op: "/root/b#1.1" } },
      { reply: { ok: "/root/b" } },
      { reply: { ok: "done" } },
      { reply: { gate: "dispatch", op: "/root/a#3.1" } },
      { reply: { ok: "/root/a" } },
    ]);
  });

  test("answers a step whose waiter's own step stops at a gate, and that one's end at the answer", async () => {
    const told = await asked(reset, seen(send("then")), answer("/root/then#1.1", "ok"));
    expect(told.slice(1)).toMatchObject([
      { reply: { ok: "done" }, view: { open: [["/root/then#1.1", "dispatch"]] } },
      { reply: { ok: "/root/then" } },
    ]);
  });

  test("says what was wrong with itself, and its end is noticed with its code", async () => {
    await expect(asked(reset, send("bug"))).rejects.toThrow(/it says: the driver failed: Wrong type argument/);
    await expect(asked(reset, spawn("a"), send("die"))).rejects.toThrow(/ended \(exit code 7\)/);
    expect((await asked({ close: true })).length).toBe(1);
  });
});
