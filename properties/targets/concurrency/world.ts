/**
 * The world around one session: provider, handlers, tools and archive, each answering when its turn comes and as the numbers
 * of the story say. What it answers is written down just before the registry gets it.
 */
import type { Archive, Commit } from "../../../src/archive/archive.ts";
import type { CommitFault, Gate, Op } from "../../../src/contract.ts";
import type { Clock, Deadlines, DispatchRequest, Handler, Provider, Registrar, Store } from "../../../src/index.ts";
import type { GateAnswer, Own } from "./history.ts";
import type { Recorder } from "./recorder.ts";
import { passing, type Schedule } from "./schedule.ts";

export type Library = Pick<typeof import("../../../src/index.ts"), "openSession" | "memoryStore" | "RollcallError">;

interface Numbers {
  /** The next one of a list that begins anew when it is used up; 0 from an empty one. */
  gate(): number;
  commit(): number;
}
export interface Surroundings {
  readonly library: Library;
  readonly recorder: Recorder;
  readonly schedule: Schedule;
  readonly numbers: Numbers;
  /** A provider that speaks for its turn. */
  readonly says: (own: Own) => void;
  readonly dispatching: (request: DispatchRequest) => void;
  /** An archive that was abandoned in the middle of a commit never answers it. */
  readonly hangs: boolean;
}
export interface World {
  readonly provider: Provider;
  readonly handler: Handler;
  readonly registrars: readonly Registrar[];
  store(store: Store): Store;
  /** Tells when a gate was not answered in time. */
  clock(clock: Clock): Clock;
  dispatched(op: Op): DispatchRequest | undefined;
}

const commitFaults: readonly CommitFault[] = ["not_written", "disk_full", "busy", "io_failed"];

/** Each of a length of its own, so that a timer says which gate it is for. */
export const deadlines: Deadlines = { prepareMs: 4_001, abortMs: 4_002, handlerMs: 4_003 };
/** A gate with a deadline: whoever asks starts the timer, then asks. */
interface Timed {
  gate: Pick<GateAnswer, "gate" | "op"> | null;
  isOver: boolean;
}

/** Mostly all is well; one in eight is not. */
function wordOf<Word>(number: number, bad: readonly Word[], good: Word): Word {
  return number % 8 === 7 ? (bad[(number >> 3) % bad.length] ?? good) : good;
}

export function world(around: Surroundings): World {
  const { recorder, schedule, numbers, library } = around;
  const requests = new Map<Op, DispatchRequest>();

  let timed: Timed | null = null;
  /** At once and without a promise, or when its turn comes; what comes after its time is no answer. */
  function answer<Given>(
    gate: Gate,
    op: Op,
    number: number,
    how: GateAnswer["with"],
    given: Given,
    before: () => void = () => {},
  ): Given | Promise<Given> {
    const own = timed;
    timed = null;
    if (own !== null) own.gate = { gate, op };
    const give = (): Given => {
      before();
      if (own?.isOver !== true) recorder.gate({ gate, op, with: how, isLate: false });
      if (own !== null) own.isOver = true;
      if (how === "error" || how === "throw") throw new Error(`${gate} failed`);
      return given;
    };
    if ((number >> 6) % 4 === 3) return give();
    return passing(schedule, `${gate} ${op}`, number >> 14).then(give);
  }

  async function dispatched(request: DispatchRequest, number: number): Promise<void> {
    for (const own of afterwards(request, number)) {
      await passing(schedule, `turn of ${request.op}`, number >> 13);
      around.says(own);
    }
  }

  const provider: Provider = {
    prepare: ({ op }) => {
      const number = numbers.gate();
      const how = wordOf(number, ["refuse", "error"] as const, "ok");
      return answer("prepare", op, number, how, how === "refuse" ? how : undefined);
    },
    dispatch: (request) => {
      const number = numbers.gate();
      requests.set(request.op, request);
      around.dispatching(request);
      const how = wordOf(number, ["error"] as const, "ok");
      const inside = inDispatch(request, number);
      void dispatched(request, number >> 3);
      return answer("dispatch", request.op, number, how, undefined, () => inside.forEach(around.says));
    },
    abort: ({ op }) => {
      const number = numbers.gate();
      return answer("abort", op, number, wordOf(number, ["error"] as const, "ok"), undefined);
    },
    stop: () => {},
  };
  const handler: Handler = ({ op }) => {
    const number = numbers.gate();
    return answer("handler", op, number, wordOf(number, ["throw"] as const, "ok"), undefined);
  };
  const registrars: readonly Registrar[] = [
    { category: "core", names: () => ["read"], load: () => schedule.point("load core/read") },
  ];

  const fail = (code: CommitFault | "conversation_missing" | "conversation_corrupt"): Error =>
    new library.RollcallError("fault", code, "archive");
  const archive = (inner: Archive): Archive => ({
    mode: inner.mode,
    epoch: inner.epoch,
    head: () => inner.head(),
    rows: (paths) => schedule.point("rows").then(() => inner.rows(paths)),
    scan: (...page) => schedule.point("scan").then(() => inner.scan(...page)),
    messages: async (request) => {
      const { op, path } = request;
      const number = op === undefined ? 0 : numbers.gate();
      await passing(schedule, `read ${op ?? path}`, number >> 14);
      const read = inner.messages(request);
      if (op === undefined) return await read;
      const how = wordOf(number, ["error", "missing", "corrupt"] as const, "ok");
      const found = await read;
      await schedule.point(`was read ${op}`);
      recorder.gate({ gate: "hydrate", op, with: how, isLate: false });
      if (how === "error") throw new Error("reading failed");
      if (how !== "ok") throw fail(`conversation_${how}`);
      return found;
    },
    commit: async (commit: Commit) => {
      const fault = wordOf(numbers.commit(), commitFaults, null);
      // What is not written together comes again one by one: nothing is seen of the whole.
      const tags = commit.group === undefined ? [commit.tag] : fault === null ? commit.group : [];
      const seen = recorder.committing(tags);
      await schedule.point("commit");
      if (fault === null && recorder.abandoned === null) await inner.commit(commit);
      await schedule.point("committed");
      if (recorder.abandoned !== null && around.hangs) await new Promise(() => {});
      for (const each of seen) recorder.committed(each, fault ?? "ok");
      if (fault !== null) throw fail(fault);
    },
    bytesWritten: () => inner.bytesWritten(),
    close: () => schedule.point("close").then(() => inner.close()),
    abandon: () => {
      recorder.abandoned ??= recorder.now();
      inner.abandon();
    },
  });
  return {
    ...{ provider, handler, registrars },
    store: (store) => ({ open: async (request) => archive(await store.open(request)) }),
    clock: ({ now, after }) => ({
      now,
      after: (ms, ring) => {
        if (!Object.values(deadlines).includes(ms)) return after(ms, ring);
        const own: Timed = { gate: null, isOver: false };
        timed = own;
        return after(ms, () => {
          if (!own.isOver && own.gate !== null) recorder.gate({ ...own.gate, with: "error", isLate: true });
          own.isOver = true;
          ring();
        });
      },
    }),
    dispatched: (op) => requests.get(op),
  };
}

/** What a provider does before its dispatch is answered. */
function inDispatch({ op, path, turn }: DispatchRequest, number: number): readonly Own[] {
  const own = { op, path, turn };
  switch ((number >> 8) % 8) {
    case 5:
      return [{ do: "own_finish", ...own, outcome: "completed", text: `inside ${op}` }];
    case 6:
      return [
        { do: "own_finish", ...own, outcome: "errored", text: "" },
        { do: "own_finish", ...own, outcome: "completed", text: `twice ${op}` },
      ];
    case 7:
      return [
        { do: "own_say", ...own, text: "too early" },
        { do: "own_block", ...own, kind: "permission_blocked" },
      ];
    default:
      return [];
  }
}
/** And after it was asked, one thing a turn; that may still be before the answer. */
function afterwards({ op, path, turn }: DispatchRequest, number: number): readonly Own[] {
  const own = { op, path, turn };
  const finish = { do: "own_finish", ...own, outcome: "completed", text: `done ${op}` } as const;
  const say = { do: "own_say", ...own, text: `said ${op}` } as const;
  const block = { do: "own_block", ...own, kind: "interaction_blocked" } as const;
  switch ((number >> 8) % 8) {
    case 3:
      return [finish];
    case 4:
      return [say, finish];
    case 5:
      return [block, say];
    case 6:
      return [block, finish];
    case 7:
      return [finish, finish];
    default:
      return [];
  }
}
