// Ownership between processes that are killed, stopped and overtaken.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { RollcallError } from "../errors.ts";
import type { OpenRequest } from "./archive.ts";
import { commit, mail, published } from "./samples.ts";
import { sqliteStore } from "./sqlite.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const write: OpenRequest = { mode: "write", owner: "parent", takeover: false, create: { capacity: 3 } };
const existing: OpenRequest = { ...write, create: null };

/** What another process runs: one answer a line for one command a line. */
const program = `
import { createInterface } from "node:readline";
import { sqliteStore } from "./out/src/archive/sqlite.js";
import { openDatabase } from "./out/src/archive/binding.js";
const [file, owner] = process.argv.slice(2);
let archive;
let held;
const nothing = { records: [], mailAdded: [], mailRemoved: [], messages: [], compact: null, capacity: null, tag: null };
const mail = (seq) => ({ seq, kind: "mail", from: "/root", to: "/root", text: "x".repeat(2000), at: 0, outcome: null, digest: null });
const acts = {
  open: async (takeover) => {
    archive = await sqliteStore(file).open({ mode: "write", owner, takeover: takeover === "takeover", create: { capacity: 3 } });
    return archive.epoch;
  },
  mail: async (seq) => {
    await archive.commit({ ...nothing, mailAdded: [mail(Number(seq))] });
    return Number(seq);
  },
  storm: async () => {
    for (let seq = 1; ; seq++) {
      await archive.commit({ ...nothing, mailAdded: [mail(seq)] });
      process.stdout.write(JSON.stringify({ ok: seq }) + "\\n");
      await new Promise(setImmediate);
    }
  },
  hold: async () => {
    held = openDatabase(file, "rw");
    held.exec("PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE meta SET session = 'half'");
    for (let n = 0; n < 200; n++)
      held.run("INSERT INTO mail (kind, sender, text, at, sum) VALUES ('mail', '/root', ?, 0, '')", "y".repeat(4000));
    return "held";
  },
  letGo: async () => {
    held.exec("ROLLBACK");
    return "let go";
  },
  close: async () => {
    await archive.close();
    return "closed";
  },
};
for await (const line of createInterface({ input: process.stdin })) {
  const [act, ...given] = line.split(" ");
  const told = await acts[act](...given).then((ok) => ({ ok }), (error) => ({ code: error.code, at: error.at }));
  process.stdout.write(JSON.stringify(told) + "\\n");
}
`;

let built = "";
beforeAll(() => {
  built = mkdtempSync(join(tmpdir(), "rollcall-built-"));
  const options = { rootDir: root, outDir: join(built, "out"), incremental: false, tsBuildInfoFile: null };
  const types = { typeRoots: [join(root, "node_modules/@types")] };
  const settings = {
    extends: join(root, ".config/tsconfig.build.json"),
    compilerOptions: { ...options, ...types },
    include: [],
    files: ["sqlite.ts", "binding.ts"].map((each) => join(root, "src/archive", each)),
  };
  writeFileSync(join(built, "tsconfig.json"), JSON.stringify(settings));
  writeFileSync(join(built, "package.json"), '{"type":"module"}');
  writeFileSync(join(built, "other.js"), program);
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", built], { stdio: "inherit" });
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

const folders: string[] = [];
const others: ChildProcess[] = [];
afterEach(() => {
  for (const other of others.splice(0)) other.kill("SIGKILL");
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-"));
  folders.push(folder);
  return join(folder, "run.rollcall");
}

interface Other {
  readonly ask: (command: string) => Promise<unknown>;
  readonly next: () => Promise<unknown>;
  readonly signal: (name: NodeJS.Signals) => void;
  readonly killed: () => Promise<void>;
}
function other(name: string, owner: string): Other {
  const env = { ...process.env, NODE_PATH: join(root, "node_modules") };
  const child = spawn(process.execPath, [join(built, "other.js"), name, owner], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  others.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const { value, done } = await lines.next();
    return done === true ? "ended" : JSON.parse(value);
  };
  return {
    next,
    ask: (command) => {
      child.stdin.write(`${command}\n`);
      return next();
    },
    signal: (signal) => child.kill(signal),
    killed: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill("SIGKILL");
      }),
  };
}
async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error instanceof RollcallError ? [error.code, error.at] : error;
  }
  return "nothing thrown";
}
const locksOf = (name: string) => readdirSync(dirname(name)).filter((each) => each.includes("-owner-"));

describe("an archive that another process owns", () => {
  it("is refused, naming it, also while it is stopped (L40)", async () => {
    const name = file();
    const owner = other(name, "my editor");
    expect(await owner.ask("open")).toEqual({ ok: 1 });
    const store = sqliteStore(name);
    expect(await codeOf(store.open(existing))).toEqual(["owned_elsewhere", "my editor"]);
    owner.signal("SIGSTOP");
    expect(await codeOf(store.open(existing))).toEqual(["owned_elsewhere", "my editor"]);
    owner.signal("SIGCONT");
    expect(await owner.ask("mail 1")).toEqual({ ok: 1 });
    expect(await owner.ask("close")).toEqual({ ok: "closed" });
    expect(locksOf(name)).toEqual([]);
    expect((await store.open(existing)).epoch).toBe(2);
  });

  it("is free as soon as it is killed, with all that was acknowledged (L39)", async () => {
    const name = file();
    const owner = other(name, "my editor");
    await owner.ask("open");
    const acknowledged = [await owner.ask("storm")];
    for (let n = 0; n < 30; n++) acknowledged.push(await owner.next());
    await owner.killed();
    // What was printed before the kill and not read yet counts as well.
    for (let told = await owner.next(); told !== "ended"; told = await owner.next()) acknowledged.push(told);
    const archive = await sqliteStore(name).open(existing);
    expect(archive.epoch).toBe(2);
    const { rootMail } = await archive.head();
    expect(rootMail.map(({ seq }) => seq)).toEqual(rootMail.map((_, index) => index + 1));
    expect(acknowledged).toEqual(acknowledged.map((_, index) => ({ ok: index + 1 })));
    // The commit under way when it died may be there, whole.
    expect([0, 1]).toContain(rootMail.length - acknowledged.length);
    expect(locksOf(name)).toEqual(["run.rollcall-owner-2"]);
  });

  it("loses nothing and shows nothing of a transaction that a kill cut off", async () => {
    const name = file();
    const owner = other(name, "my editor");
    await owner.ask("open");
    await owner.ask("mail 1");
    expect(await owner.ask("hold")).toEqual({ ok: "held" });
    await owner.killed();
    const archive = await sqliteStore(name).open(existing);
    expect(await archive.head()).toMatchObject({ capacity: 3, rootMail: [{ seq: 1 }], seq: 1 });
    await archive.commit(commit({ mailAdded: [mail("/root", 2)] }));
  });

  it("can be taken over on purpose, after which the other one writes nothing (L40)", async () => {
    const name = file();
    const owner = other(name, "my editor");
    await owner.ask("open");
    await owner.ask("mail 1");
    owner.signal("SIGSTOP");
    const archive = await sqliteStore(name).open({ ...existing, takeover: true });
    expect(archive.epoch).toBe(2);
    await archive.commit(published("/root/a"));
    owner.signal("SIGCONT");
    expect(await owner.ask("mail 2")).toEqual({ code: "ownership_lost", at: "archive" });
    expect((await archive.head()).rootMail.map(({ seq }) => seq)).toEqual([1]);
    // A third asks the lock of the epoch that is in the archive, not the one the first still holds.
    expect(await other(name, "third").ask("open")).toEqual({ code: "owned_elsewhere", at: "parent" });
    await owner.ask("close");
    expect(await other(name, "fourth").ask("open")).toEqual({ code: "owned_elsewhere", at: "parent" });
    await archive.close();
    expect(await owner.ask("open")).toEqual({ ok: 3 });
    expect(await owner.ask("mail 2")).toEqual({ ok: 2 });
  });

  it("is busy while it is stopped inside a write, and stays its own", async () => {
    const name = file();
    const owner = other(name, "my editor");
    await owner.ask("open");
    await owner.ask("hold");
    owner.signal("SIGSTOP");
    const store = sqliteStore(name);
    expect(await codeOf(store.open({ ...existing, takeover: true }))).toEqual(["busy", "archive"]);
    expect(locksOf(name)).toEqual(["run.rollcall-owner-1"]);
    owner.signal("SIGCONT");
    expect(await owner.ask("letGo")).toEqual({ ok: "let go" });
    expect(await owner.ask("mail 1")).toEqual({ ok: 1 });
    expect(await codeOf(store.open(existing))).toEqual(["owned_elsewhere", "my editor"]);
  });

  it("goes to one of several that open it at once", async () => {
    const name = file();
    const all = ["a", "b", "c"].map((owner) => other(name, owner));
    const told = await Promise.all(all.map((each) => each.ask("open")));
    const refused = told.filter((each) => JSON.stringify(each) !== '{"ok":1}');
    expect(refused).toHaveLength(all.length - 1);
    for (const each of refused) expect(each).toHaveProperty("code", expect.stringMatching(/^(owned_elsewhere|busy)$/));
    expect(locksOf(name)).toEqual(["run.rollcall-owner-1"]);
  });

  it("can be read meanwhile", async () => {
    const name = file();
    const owner = other(name, "my editor");
    await owner.ask("open");
    await owner.ask("mail 1");
    const reader = await sqliteStore(name).open({ ...existing, mode: "read" });
    await owner.ask("mail 2");
    expect((await reader.head()).rootMail).toHaveLength(1);
    await reader.close();
    const later = await sqliteStore(name).open({ ...existing, mode: "read" });
    expect((await later.head()).rootMail).toHaveLength(2);
    expect(locksOf(name)).toEqual(["run.rollcall-owner-1"]);
  });
});

describe("the file of an archive", () => {
  it("is one under every spelling, and nobody else's to read", async () => {
    const name = file();
    const archive = await sqliteStore(name).open(write);
    symlinkSync(name, join(dirname(name), "link"));
    symlinkSync(dirname(name), join(dirname(name), "folder"));
    for (const spelling of [join(dirname(name), "link"), join(dirname(name), "folder", "run.rollcall")])
      expect(await codeOf(sqliteStore(spelling).open(write))).toEqual(["owned_elsewhere", "parent"]);
    for (const each of readdirSync(dirname(name)).filter((one) => one.startsWith("run")))
      expect([each, statSync(join(dirname(name), each)).mode & 0o777]).toEqual([each, 0o600]);
    await archive.close();
  });

  it("is refused when it is a folder, and missing where its folder is", async () => {
    const name = file();
    expect(await codeOf(sqliteStore(dirname(name)).open(write))).toEqual(["archive_malformed", "archive"]);
    expect(await codeOf(sqliteStore(join(name, "run.rollcall")).open(write))).toEqual(["archive_missing", "archive"]);
    expect(readdirSync(dirname(name))).toEqual([]);
  });
});
