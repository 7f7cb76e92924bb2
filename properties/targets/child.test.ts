/**
 * A target in a process of its own. False would be: that it tells anything else than in this process; that a program that
 * misbehaves gets a verdict, or outlives it; that a warm table hides the fault of 2026-10-06 from the child as well.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTrace } from "../../regressions/files.ts";
import { replay } from "../../regressions/replay.ts";
import type { Scope, Step } from "../../src/contract.ts";
import { run } from "../loop.ts";
import type { Target } from "../target.ts";
import { Unusable } from "../unusable.ts";
import { check } from "../verbs/check.ts";
import { said } from "../verbs/said.ts";
import { childTarget } from "./child.ts";
import { coldToolDropped } from "./cold-tools.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const coldTool = join(root, "regressions/2026-10-06-cold-tool-in-a-new-process.json");

let folder = "";
/** One for all well-behaved stories. */
let child: Target | null = null;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "rollcall-served-"));
  const settings = {
    extends: join(root, ".config/tsconfig.build.json"),
    compilerOptions: {
      ...{ rootDir: root, outDir: join(folder, "out"), incremental: false, tsBuildInfoFile: null },
      ...{ noCheck: true, declaration: false, isolatedDeclarations: false, types: [] },
    },
    include: [],
    files: [join(root, "properties/targets/serve.ts")],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "dir");
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], { stdio: "inherit" });
  child = await childTarget("child", served("sqlite"), patient);
}, 60_000);
afterAll(async () => {
  await child?.close();
  rmSync(folder, { recursive: true, force: true });
});

const served = (...args: readonly string[]): readonly string[] => [
  process.execPath,
  join(folder, "out/properties/targets/serve.js"),
  ...args,
];
const patient = { fresh: true, timeoutMs: 30_000 };

const role = (model: string) => ({
  ...{ instructions: "", model, effort: null, tools: [["core", "read"]], limits: {}, parameters: {} },
});
const scope: Scope = {
  capacity: 2,
  roles: { r: role("m") },
  registrars: { core: { category: "core", tools: ["read"] } },
  archive: "sqlite",
  process: "fresh",
};
const started = { prepare: "ok", dispatch: "ok" } as const;
const spawn = (name: string): Step => ({ do: "spawn", by: "/root", name, role: "r", text: "t", answers: started });
const restore: Step = { do: "restore", mode: "write", answers: { hydrate: "ok" } };

/** The steps against the model, in a story that is told to its end. */
async function failureOf(steps: readonly Step[]): Promise<unknown> {
  if (child === null) throw new Error("the child was not started");
  const { failure, told } = await run(child, scope, (_, index) => steps[index] ?? null);
  return failure ?? (told.length === steps.length ? null : "it ended early");
}

describe("a story goes on in another process", () => {
  test("after a crash, a crash within a commit, damage, and a changed role", async () => {
    const steps: readonly Step[] = [
      spawn("a"),
      { do: "finish", path: "/root/a", turn: 1, outcome: "completed", text: "R1" },
      { do: "change_role", role: "r", config: role("another") },
      { do: "crash" },
      { do: "roster" },
      { do: "damage", what: "record", path: "/root/a", how: "checksum" },
      restore,
      { do: "send", by: "/root", to: "/root", text: "kept", commit: "crash_after" },
      { do: "mend", what: "record", path: "/root/a" },
      restore,
      { ...spawn("b"), commit: "crash_before" },
      restore,
      spawn("b"),
    ];
    expect(await failureOf(steps)).toBeNull();
  });

  test("not while another handle is open in the old one", async () => {
    const steps: readonly Step[] = [
      spawn("a"),
      { do: "restore", mode: "read", as: "w2" },
      { do: "crash" },
      { do: "roster", as: "w2" },
      { ...restore, mode: "read" },
      { do: "crash", as: "w2" },
      { do: "crash" },
      restore,
    ];
    expect(await failureOf(steps)).toBeNull();
  });
});

describe("2026-10-06: a tool that the new process has not loaded yet", () => {
  const verdict = async (target: Target | null) => {
    if (target === null) throw new Error("the child was not started");
    return await replay((await readTrace(coldTool)).trace, target);
  };
  test("the fault is found where the restore runs in another process", async () => {
    const faulty = await childTarget(
      "child:cold_tool_dropped",
      served("sqlite", "--fault", "cold_tool_dropped"),
      patient,
    );
    const found = await verdict(faulty);
    await faulty.close();
    // The restore looks at nothing that is idle; the roster after it does.
    expect(found).toMatchObject({ is: "reproduces", step: 5 });
  });
  test("production is without it", async () => {
    expect(await verdict(child)).toMatchObject({ is: "fixed" });
  });
  test("the same story in one process does not notice it", async () => {
    expect(await verdict(coldToolDropped())).toMatchObject({ is: "fixed" });
  });
});

/** A program that speaks the protocol until it is asked for a step, and then does this; it writes its number down first. */
const program = (acts: string, hello = "{}"): readonly string[] => {
  const file = join(folder, "pid");
  const text = `
    require("fs").writeFileSync(${JSON.stringify(file)}, String(process.pid));
    const say = (id, told) => process.stdout.write(JSON.stringify({ id, ...told }) + "\\n");
    const view = { mode: "write", capacity: 2, root: {}, agents: {} };
    require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, ...asked } = JSON.parse(line);
      if (asked.hello) say(id, { hello: { protocol: 1, name: "it", capabilities: ${hello} } });
      else if (asked.reset || asked.close) say(id, { ok: true });
      else if (asked.counters && globalThis.isMute) return;
      else if (asked.counters) say(id, { counters: null });
      else { ${acts} }
    });`;
  return [process.execPath, "-e", text];
};
const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("a program that misbehaves is a fault of the world, and is gone", () => {
  const ways: readonly (readonly [string, string, RegExp])[] = [
    ["garbage", `process.stdout.write("garbage\\n")`, /answered garbage to .*roster.*: the line is not JSON/],
    [
      "half a line",
      `process.stdout.write('{"id"'); globalThis.isMute = true`,
      /only half a line, \{"id" within 2000 ms; expected is one line for/,
    ],
    ["two replies", "say(id, { reply: { ok: [] }, view }); say(id, { reply: { ok: [] }, view })", /expected is "id":4/],
    ["nothing", "globalThis.isMute = true", /answered nothing within 2000 ms/],
    [
      "a flood",
      `globalThis.isMute = true; const on = () => {
         while (process.stdout.write("x".repeat(1 << 16))); process.stdout.once("drain", on) }; on()`,
      /without an end of line; a line has at most/,
    ],
    ["its end", `process.stderr.write("no more\\n"); process.exit(3)`, /ended \(exit code 3\).*last words: no more/],
    ["another id", "say(77, { reply: { ok: [] }, view })", /expected is "id":3/],
    ["an unknown event", `say(id, { reply: { ok: [], events: [["sang", "/root"]] }, view })`, /reply.events.0/],
    ["an unknown key", "say(id, { reply: { ok: [] }, view, mood: 1 })", /Unrecognized key: "mood"/],
    ["no view", "say(id, { reply: { ok: [] } })", /the answer at view/],
    ["a hang", "for (;;);", /answered nothing within 2000 ms; expected is one line for .*roster/],
    ["its own error", `say(id, { error: "out of ink" })`, /out of ink/],
  ];
  test.each(ways)("%s", async (_, acts, sentence) => {
    const timeoutMs = /within 2000/.test(sentence.source) ? 2_000 : 30_000;
    const opened = await childTarget("it", program(acts), { timeoutMs });
    await opened.reset(scope);
    const error: unknown = await (async () => opened.apply({ do: "roster" }))().then(
      () => opened.view(),
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(Unusable);
    expect(error).toMatchObject({ exit: 4, message: expect.stringMatching(sentence) });
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    await opened.close();
    expect(alive(pid)).toBe(false);
  });

  test("the verb that checks exits with 4, says what came and what was expected, and leaves no process", async () => {
    const file = join(folder, "garbage.cjs");
    writeFileSync(file, program(`process.stdout.write("garbage\\n")`).at(-1) ?? "");
    const target = `${process.execPath} ${file}`;
    const told = await said(check, "--target", target, "--runs", "3");
    expect(told).toEqual({
      code: 4,
      out: "",
      err: expect.stringMatching(/answered garbage to .*: the line is not JSON/),
    });
    expect(told.err.trimEnd().split("\n")).toHaveLength(1);
    expect(alive(Number(readFileSync(join(folder, "pid"), "utf8")))).toBe(false);
  });

  test("capabilities that are none, and a program that is not there", async () => {
    await expect(childTarget("it", program("", '{ colour: "red" }'))).rejects.toThrow(/Unrecognized key: "colour"/);
    await expect(childTarget("it", [join(folder, "nowhere")])).rejects.toThrow(/it ended .*ENOENT/);
  });
});
