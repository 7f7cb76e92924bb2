/**
 * The rules of the specification by name, and what a step carries from one to the next. A faulty twin is this table with
 * one rule replaced; so every rule that another one uses is called through the table.
 */
import type {
  Activity,
  Answers,
  AsideCode,
  CommitAnswer,
  Event,
  Outcome,
  Path,
  RefusalCode,
  Reply,
  Step,
  StepOutcome,
  ToolRef,
  Verb,
  WakeReason,
} from "../src/contract.ts";
import type {
  Admitted,
  Agent,
  Disk,
  FollowUpOp,
  Live,
  Mail,
  Operation,
  Restoring,
  Result,
  SpawnOp,
  Starting,
  Stored,
  World,
} from "./state.ts";

/** A step under way: the session as the step has changed it so far, and what happened. */
export interface Run {
  readonly world: World;
  readonly live: Live;
  /** How the next commit is answered. */
  readonly commit: CommitAnswer;
  readonly events: readonly Event[];
  /** What callbacks asked for; decided after everything already issued. */
  readonly later: readonly Step[];
  /** A commit of this step crashed: all that was live is gone. */
  readonly crashed: boolean;
}
export type Done = readonly [run: Run, outcome: StepOutcome];
/** A step decided, callbacks not yet. */
export interface Decided {
  readonly world: World;
  readonly outcome: StepOutcome;
  readonly events: readonly Event[];
  readonly later: readonly Step[];
}
export interface Answered {
  readonly world: World;
  readonly reply: Reply;
}
export type Of<V extends Verb> = Extract<Step, { readonly do: V }>;
type Command<V extends Verb> = (m: Rules, run: Run, step: Of<V>) => Done;
/** What an archive says when it is read: who is there, and who cannot be. */
export interface Decoded {
  readonly agents: { readonly [path: Path]: Stored };
  readonly aside: { readonly [path: Path]: AsideCode };
}
export type StartOp = SpawnOp | FollowUpOp;

export interface Rules {
  // Commands on an open session, in the order a life goes.
  readonly spawn: Command<"spawn">;
  readonly followUp: Command<"follow_up">;
  readonly cancel: Command<"cancel">;
  readonly answer: Command<"answer">;
  readonly say: Command<"say">;
  readonly block: Command<"block">;
  readonly release: Command<"release">;
  readonly finish: Command<"finish">;
  readonly interrupt: Command<"interrupt">;
  readonly send: Command<"send">;
  readonly execution: Command<"execution">;
  readonly steer: Command<"steer">;
  readonly wait: Command<"wait">;
  readonly cancelWait: Command<"cancel_wait">;
  readonly elapse: Command<"elapse">;
  readonly sample: Command<"sample">;
  readonly roster: Command<"roster">;
  readonly readResult: Command<"read_result">;
  readonly readHistory: Command<"read_history">;
  readonly inspect: Command<"inspect">;
  readonly evict: Command<"evict">;
  readonly compact: Command<"compact">;
  readonly changeRole: Command<"change_role">;
  readonly setCapacity: Command<"set_capacity">;
  readonly save: Command<"save">;
  readonly verify: Command<"verify">;
  readonly fork: Command<"fork">;
  readonly close: Command<"close">;

  // Starting a turn.
  readonly arrive: (m: Rules, run: Run, op: Operation) => Done;
  readonly answered: (m: Rules, run: Run, op: Operation, how: Of<"answer">["with"]) => Done;
  readonly hydrated: (m: Rules, run: Run, op: Operation, how: Of<"answer">["with"]) => Done;
  readonly admit: (m: Rules, run: Run, op: StartOp) => Done;
  readonly published: (m: Rules, live: Live, op: SpawnOp) => Admitted;
  readonly admitted: (m: Rules, agent: Starting, op: FollowUpOp) => Admitted;
  /** The session as it was before the start, but for what arrived meanwhile. */
  readonly rollBack: (m: Rules, live: Live, op: Operation, why: StepOutcome) => Live;
  /** Ends an operation that waits: quit, cancelled, refused, failed. */
  readonly end: (m: Rules, run: Run, op: Operation, why: StepOutcome) => Done;
  readonly started: (m: Rules, live: Live, agent: Agent) => Agent;
  readonly startedTools: (live: Live, op: StartOp) => readonly ToolRef[];

  // Ending a turn.
  readonly settle: (m: Rules, run: Run, path: Path, result: Result, draft: Live, answers: Answers) => Done;
  readonly settled: (m: Rules, live: Live, agent: Admitted, result: Result, handler: boolean) => Live;
  readonly interrupted: (agent: Admitted, reason: string) => Result;
  readonly handled: (m: Rules, run: Run, op: Operation, how: Of<"answer">["with"]) => Done;
  readonly finishOf: (outcome: Outcome, text: string) => Result;

  // Mail.
  readonly deliver: (m: Rules, run: Run, mail: Mail, to: Path, why: WakeReason) => Done;
  readonly wake: (m: Rules, run: Run, path: Path, why: WakeReason) => Run;
  readonly drained: (m: Rules, live: Live, path: Path) => Live;

  // Capacity and addresses.
  readonly active: (live: Live) => number;
  readonly activity: (agent: Agent) => Activity;
  readonly tools: (live: Live, refs: readonly ToolRef[]) => RefusalCode | null;
  readonly taken: (live: Live, path: Path) => boolean;

  // The archive.
  readonly commit: (m: Rules, run: Run, draft: Live) => readonly [Run, StepOutcome | null];
  readonly record: (agent: Agent) => Stored;
  readonly encodes: (stored: Stored) => boolean;
  readonly written: (m: Rules, disk: Disk, live: Live) => Disk;
  readonly decode: (m: Rules, world: World, live: Pick<Live, "registrars">) => Decoded;
  readonly restore: (m: Rules, world: World, step: Of<"restore">) => Decided;
  /** The whole session as recovery leaves it. */
  readonly recovered: (m: Rules, world: World, restoring: Restoring, decoded: Decoded) => Live;
  /** The whole session as a read-only restore shows it. */
  readonly snapshot: (
    m: Rules,
    world: World,
    step: Of<"restore">,
    registrars: Live["registrars"],
    decoded: Decoded,
  ) => Live;
}
