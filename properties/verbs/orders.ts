/** `rollcall orders`: everything that can happen at the same time in short stories, in every order that can make a difference. */
import { parseArgs } from "node:util";
import { createColors } from "picocolors";
import { counted, exit, grouped, type Io, interruptible, progress, seconds, type Verb, verb, whole } from "../io.ts";
import { countOf, type Tried, tryOrders } from "../orders/orders.ts";
import { type Thread, threads } from "../orders/threads.ts";
import { reasons, story } from "../report.ts";
import type { OpenTarget } from "../target.ts";
import { Unusable } from "../unusable.ts";
import { configHelp, configured } from "./config.ts";
import { write } from "./drafts.ts";
import { chosen as onTarget, opened, targetHelp, targetOptions } from "./on-target.ts";

const names = Object.keys(threads);
const togetherUsual = 3;
/** For a gate: what starts, what comes meanwhile, and what ends it. */
export const quickSets: readonly (readonly string[])[] = [
  ["start", "mail", "wait"],
  ["spawn", "quit", "interrupt"],
  ["failing_start", "read", "crash"],
];

const help = `
Tells every order of threads that go on at the same time, four steps each, to a target and to the specification. Orders that
come to the same state of the specification are told once from there on.

  THREAD          ${Object.entries(threads)
    .map(([name, { says }]) => `${name}: ${says}`)
    .join("\n                  ")}
                  [every three of them]

${targetHelp("memory")}
${configHelp}
  --sets N        no more than so many threes, evenly chosen
  --full          every order, also those that cannot differ
  --json FILE     what was found, for programs`;

export const orders: Verb = verb(
  "orders",
  "orders [THREAD THREAD ...] [--target TARGET] [--sets N] [--full] [--json FILE]",
  help,
  async (args, io) => {
    const { values: typed, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...targetOptions,
        sets: { type: "string" },
        full: { type: "boolean" },
        json: { type: "string" },
      },
    });
    const { values, judged: more } = await configured(typed);
    const unknown = positionals.find((name) => !names.includes(name));
    if (unknown !== undefined) throw new Unusable(2, `there is no thread ${unknown}; there are ${names.join(", ")}`);
    if (positionals.length === 1) throw new Unusable(2, "one thread has one order: name two or more");
    const sets =
      positionals.length > 0 ? [positionals] : chosen(whole(values.sets, Number.MAX_SAFE_INTEGER, "--sets", 1));
    const target = onTarget(values, "memory", more);
    const { name } = target;
    const found = await orderSets(await opened(target), name, sets, { merged: values.full !== true }, io);
    io.out(found.map((each) => told(each, name, io)).join(""));
    io.out(sum(found, sets.length));
    if (values.json !== undefined) await write(values.json, `${JSON.stringify(found.map(machine), null, 2)}\n`);
    return found.some(({ tried }) => tried.failed !== null) ? exit.broken : exit.held;
  },
);

/** Every three threads, or so many of them. */
function chosen(most: number): readonly (readonly string[])[] {
  const all = combinations(names, togetherUsual);
  const step = Math.max(1, all.length / most);
  return all.filter((_, at) => Math.floor((at + 1) / step) > Math.floor(at / step));
}
function combinations<Item>(items: readonly Item[], count: number): readonly (readonly Item[])[] {
  if (count === 0) return [[]];
  return items.flatMap((each, at) => combinations(items.slice(at + 1), count - 1).map((rest) => [each, ...rest]));
}

export interface OrderedSet {
  readonly set: readonly string[];
  readonly all: number;
  readonly tried: Tried;
  readonly ms: number;
}

/** Until a set fails, or Ctrl-C. */
export async function orderSets(
  open: OpenTarget,
  name: string,
  sets: readonly (readonly string[])[],
  { merged }: { readonly merged: boolean },
  io: Io,
): Promise<readonly OrderedSet[]> {
  return interruptible((signal) => orderEach(open, name, sets, merged, io, signal));
}

async function orderEach(
  open: OpenTarget,
  name: string,
  sets: readonly (readonly string[])[],
  merged: boolean,
  io: Io,
  signal: AbortSignal,
): Promise<readonly OrderedSet[]> {
  const line = progress(io);
  const target = await open();
  const found: OrderedSet[] = [];
  try {
    for (const set of sets) {
      if (signal.aborted) break;
      line.tell(`${name}  ${found.length + 1} of ${counted(sets.length, "set")}: ${set.join(", ")}`);
      const chosen: readonly Thread[] = set.flatMap((each) => threads[each] ?? []);
      const started = performance.now();
      const tried = await tryOrders(target, chosen, { merged, signal });
      found.push({ set, all: countOf(chosen), tried, ms: performance.now() - started });
      if (tried.failed !== null) break;
    }
    return found;
  } finally {
    line.done();
    await target.close();
  }
}

export function told({ set, all, tried, ms }: OrderedSet, name: string, io: Io): string {
  const { green, red, dim } = createColors(io.color);
  const { orders: count, steps, failed } = tried;
  const head = `${failed === null ? green("held") : red("failed")}  ${set.join(", ")}: ${counted(all, "order")} in ${counted(count, "story", "stories")}, ${counted(steps, "step")}  ${dim(seconds(ms))}\n`;
  if (failed === null) return head;
  const paper = { columns: Math.min(io.columns, 160), texts: true };
  return `${head}\n${reasons(failed.failure, name)}\n\n${story(failed.told, failed.failure, name, paper)}\n`;
}

function sum(found: readonly OrderedSet[], asked: number): string {
  const all = found.reduce((total, each) => total + each.all, 0);
  const ms = found.reduce((total, each) => total + each.ms, 0);
  const left = asked - found.length;
  return `${counted(found.length, "set")}, ${grouped(all)} orders  ${seconds(ms)}${left > 0 ? `; ${counted(left, "set")} not tried` : ""}\n`;
}

function machine({ set, all, tried, ms }: OrderedSet): object {
  const { failed, ...counts } = tried;
  const why =
    failed === null
      ? null
      : { kinds: failed.failure.kinds, order: failed.order.map((at) => set[at]), steps: failed.told };
  return { threads: set, orders: all, told: counts.orders, steps: counts.steps, seconds: ms / 1_000, failed: why };
}
