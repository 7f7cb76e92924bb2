/**
 * The recorded stories, each replayed against the specification and production over both archives, and seen red on the
 * fault that it names. False would be: a trace that no longer tells its fault from the truth.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { specification } from "../properties/specification.ts";
import { targetNamed } from "../properties/targets/named.ts";
import { readTrace, traceFiles } from "./files.ts";
import { stepsMax, wordsMin } from "./promote.ts";
import { replay } from "./replay.ts";
import { sources } from "./sources.ts";

const recorded = await Promise.all((await traceFiles()).map(readTrace));
const faultOf = (name: string): string => recorded.find((each) => each.name === name)?.trace.fault ?? "";
const inCopies = (fault: string): boolean => /^(plant|commit):/.test(fault);

async function verdictOf(file: string, name: string): Promise<string> {
  const { trace, rot } = await readTrace(file);
  const target = await (await targetNamed(name))();
  try {
    return (await replay(trace, target, rot)).is;
  } finally {
    await target.close();
  }
}

test("every trace names a fault it was seen red on, the specification of today, and what it comes to", () => {
  const lacking = recorded.filter(
    ({ trace, rot }) =>
      rot !== null || trace.fault === undefined || trace.ends === undefined || trace.spec !== specification,
  );
  expect(lacking.map(({ name }) => name)).toEqual([]);
});

test("every trace is named by its day and what it shows, and is short enough to be read aloud", () => {
  for (const { name, trace } of recorded) {
    expect(name).toMatch(/^\d{4}-\d{2}-\d{2}-[a-z0-9]+(-[a-z0-9]+)*$/);
    expect([name, trace.steps.length <= stepsMax]).toEqual([name, true]);
    expect([name, trace.why.trim().split(/\s+/).length >= wordsMin]).toEqual([name, true]);
  }
});

describe.each(recorded.map(({ name, file }) => [name, file]))("%s", (name, file) => {
  test.each(["model", "memory", "sqlite"])("agrees with %s", async (target) => {
    expect(await verdictOf(file, target)).toBe("fixed");
  });
  // What needs a program that was built: properties/targets/child.test.ts builds it, and sees the trace red.
  test.skipIf(inCopies(faultOf(name)) || faultOf(name).startsWith("child:"))("is red on its fault", async () => {
    expect(await verdictOf(file, faultOf(name))).toBe("reproduces");
  });
});

describe("traces of faults in the production source", () => {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const isThere = (ref: string): boolean => {
    try {
      execFileSync("git", ["-C", root, "cat-file", "-e", `${ref}^{commit}`], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  // A shallow clone lacks old commits, and a package has none at all.
  const planted = recorded.filter(
    ({ trace: { fault = "" } }) =>
      inCopies(fault) && (fault.startsWith("plant:") || isThere(fault.slice("commit:".length))),
  );
  test("are red on a copy of the source with that fault, and there are some", { timeout: 120_000 }, async () => {
    expect(planted).not.toEqual([]);
    const copies = await sources(planted.map(({ trace }) => trace.fault ?? ""));
    try {
      for (const { name, trace, rot } of planted) {
        const target = await (await copies.target(trace.fault ?? "", trace.scope.archive))();
        expect([name, (await replay(trace, target, rot)).is]).toEqual([name, "reproduces"]);
        await target.close();
      }
    } finally {
      await copies.remove();
    }
  });
});
