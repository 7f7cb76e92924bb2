/**
 * The recorded stories, each replayed against the specification and production over both archives, and seen red on the
 * faulty twin that it was recorded against. False would be: a trace that no longer tells its fault from the truth.
 */
import { describe, expect, test } from "vitest";
import { targetNamed } from "../properties/targets/named.ts";
import { readTrace, traceFiles } from "./files.ts";
import { replay } from "./replay.ts";

/** By trace, the fault it was recorded against. A trace without one does not belong into the folder. */
const faults: { readonly [name: string]: string } = {
  "2026-09-21-a-follow-up-after-an-inspection-is-writable": "twin:follow_up_through_inspection",
  "2026-09-21-idle-conversations-are-not-read-by-restore": "twin:eager_hydration",
  "2026-09-21-marks-put-back-after-the-mode": "twin:marks_erased",
  "2026-09-23-execution-during-a-follow-ups-start": "twin:keeps_result_while_starting",
  "2026-10-06-cold-tool-in-a-new-process": "child:cold_tool_dropped",
  "2026-11-30-a-crash-during-a-start-loses-nothing": "twin:start_half_persisted",
  "2026-11-30-a-dispatch-error-gives-the-result-back": "twin:loses_result_on_error",
  "2026-11-30-a-quit-gives-the-result-back": "twin:quit_leaves_starting",
};
const files = await traceFiles();

async function verdictOf(file: string, name: string): Promise<string> {
  const { trace } = await readTrace(file);
  const target = await (await targetNamed(name))();
  try {
    return (await replay(trace, target)).is;
  } finally {
    await target.close();
  }
}

test("every trace has a fault it was seen red on, and every fault its trace", async () => {
  const names = await Promise.all(files.map(async (file) => (await readTrace(file)).name));
  expect(names).toEqual(Object.keys(faults).sort());
});

describe.each(files.map((file) => [file.replace(/^.*[/\\]|\.json$/g, ""), file]))("%s", (name, file) => {
  test.each(["model", "memory", "sqlite"])("agrees with %s", async (target) => {
    expect(await verdictOf(file, target)).toBe("fixed");
  });
  // What needs a program that was built: properties/targets/child.test.ts builds it, and sees the trace red.
  test.skipIf(faults[name]?.startsWith("child:"))("is red on its fault", async () => {
    expect(await verdictOf(file, faults[name] ?? "model")).toBe("reproduces");
  });
});
