/** The verb that explains: its exit codes, and that it tells the law of a story that fails and nothing of one that holds. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { traceFiles } from "../../regressions/files.ts";
import type { Io } from "../io.ts";
import { explain } from "./explain.ts";

function heard(): Io & { readonly said: string[] } {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  return { said, out: say, err: say, tty: false, color: false, columns: 100, env: {} };
}
const september = (await traceFiles()).filter((file) => file.includes("2026-09-23"));

test("a story that fails is explained with its law, and as a page", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-"));
  const page = join(folder, "page.html");
  const io = heard();
  try {
    expect(await explain([...september, "--target", "twin:keeps_result_while_starting", "--html", page], io)).toBe(1);
    expect(io.said.join("")).toContain("L9 The registry encodes at every gate.");
    expect(readFileSync(page, "utf8")).toContain("<!doctype html>");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a story that holds exits 0, and no story is a usage error", async () => {
  expect(await explain([...september, "--target", "model"], heard())).toBe(0);
  const io = heard();
  expect(await explain([], io)).toBe(2);
  expect(io.said.join("")).toContain("name one trace");
});
