/** Writes the history down while it happens: one counter of moments, one list for each kind of thing that is seen. */
import type { CommitFault, Event } from "../../../src/contract.ts";
import type { Answered, Asked, Call, CommitSeen, Elapsed, EventSeen, GateAnswer, Look } from "./history.ts";

interface Committing {
  readonly tag: number | null;
  readonly group: number;
  readonly at: number;
  settled: CommitSeen["settled"];
}
export interface Recorder {
  readonly calls: Call[];
  readonly gates: GateAnswer[];
  readonly elapsed: Elapsed[];
  readonly commits: Committing[];
  readonly events: EventSeen[];
  readonly looks: Look[];
  readonly rests: number[];
  abandoned: number | null;
  /** Nothing that happens from now on is part of the history. */
  isOver: boolean;
  now(): number;
  called(client: string, asked: Asked): Call;
  answered(call: Call, outcome: Answered): void;
  began(call: Call, op: string): void;
  aborted(call: Call): void;
  gate(answer: Omit<GateAnswer, "at">): void;
  committing(tags: readonly unknown[]): readonly Committing[];
  committed(commit: Committing, answer: "ok" | CommitFault): void;
  happened(event: Event, tag: unknown): void;
  /** Forgets what was before. */
  clear(): void;
}

const tagOf = (tag: unknown): number | null => (typeof tag === "number" ? tag : null);

export function recorder(): Recorder {
  let moment = 0;
  const now = (): number => ++moment;
  const calls: Call[] = [];
  const gates: GateAnswer[] = [];
  const commits: Committing[] = [];
  const events: EventSeen[] = [];
  const noted: Recorder = {
    ...{ calls, gates, commits, events, elapsed: [], looks: [], rests: [], abandoned: null, isOver: false, now },
    clear: () => {
      for (const each of [calls, gates, commits, events]) each.length = 0;
    },
    called: (client, asked) => {
      const made: Call = { id: calls.length, client, asked, at: now(), begun: null, aborted: null, answered: null };
      calls.push(made);
      return made;
    },
    answered: (call, outcome) => {
      if (!noted.isOver) call.answered = { outcome, at: now() };
    },
    began: (call, op) => {
      call.begun = { op, at: now() };
    },
    aborted: (call) => {
      call.aborted = now();
    },
    gate: (answer) => {
      if (!noted.isOver) gates.push({ ...answer, at: now() });
    },
    committing: (tags) => {
      const group = now();
      const made = tags.map((tag): Committing => ({ tag: tagOf(tag), group, at: now(), settled: null }));
      commits.push(...made);
      return made;
    },
    committed: (commit, answer) => {
      commit.settled = { answer, at: now() };
    },
    happened: (event, tag) => {
      if (!noted.isOver) events.push({ event, tag: tagOf(tag), at: now() });
    },
  };
  return noted;
}
