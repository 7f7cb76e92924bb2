/**
 * The process that is killed: our registry over a real archive in a given folder, driven through its public interface. One
 * JSON line for each request, written at once and not by way of a buffer of ours: whoever reads them holds the ledger.
 */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Scope, Step } from "../../../src/contract.ts";
import { type SqliteOptions, sqliteStore } from "../../../src/index.ts";
import { keptPlaces } from "../places.ts";
import { productionTarget, usual } from "../production.ts";
import { type Death, points } from "./points.ts";

/** Requests, in order; `go` is answered by a line for each step. */
export type Request =
  | { readonly open: Opening }
  | { readonly arm: Death | null }
  | { readonly go: readonly Step[] }
  | { readonly look: true }
  /** Opens the archive for writing, as whoever comes next does, and closes it. */
  | { readonly migrate: string }
  | { readonly passed: true }
  | { readonly leave: true };
export interface Opening {
  readonly folder: string;
  readonly scope: Scope;
  /** Restores tried by processes before this one; `null` where the archive is to be made. */
  readonly openings: number | null;
  readonly durability: NonNullable<SqliteOptions["durability"]>;
}

/** The signal is there before the call is over: nothing is done behind it. */
const passing = points((signal, point) => {
  if (signal === "SIGKILL") say({ dying: point });
  process.kill(process.pid, signal);
});
let target: ReturnType<typeof productionTarget> | null = null;
const opened = () => {
  if (target === null) throw new Error("nothing was opened");
  return target;
};

function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

async function open({ folder, scope, openings, durability }: Opening): Promise<void> {
  const places = keptPlaces(durability);
  places.at(folder, (openings ?? 0) + 1);
  target = productionTarget("killed", places, { ...usual, store: passing.around });
  if (openings === null) await target.reset(scope);
  else await target.resume(scope, openings, { originals: [], originalSession: null, broken: null });
}

async function migrate(file: string): Promise<void> {
  const store = passing.around(sqliteStore(file, { durability: "full" }), "migration");
  const archive = await store.open({ mode: "write", owner: "the next one", takeover: false, create: null });
  await archive.close();
}

async function apply(step: Step): Promise<void> {
  const began = performance.now();
  const reply = await opened().apply(step);
  say({ reply, ms: performance.now() - began });
}

async function serve(request: Request): Promise<void> {
  if ("open" in request) {
    await open(request.open);
    say({ ok: "open" });
  } else if ("arm" in request) passing.arm(request.arm);
  else if ("go" in request) for (const step of request.go) await apply(step);
  else if ("migrate" in request) {
    await migrate(request.migrate);
    say({ ok: "migrate" });
  } else if ("look" in request) {
    const bytes = (await opened().counters())?.bytesWritten ?? 0;
    say({ view: await opened().view(), encode: await opened().encode(), bytes });
  } else if ("passed" in request) say({ passed: passing.passed() });
  else {
    await opened().close();
    say({ ok: "leave" });
  }
}

say({ ok: "ready" });
for await (const line of createInterface({ input: process.stdin })) {
  try {
    const request: Request = JSON.parse(line);
    await serve(request);
  } catch (error) {
    say({ threw: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}
