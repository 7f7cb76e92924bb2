/**
 * Several commands in one commit, so that many senders share one sync. It looks like the same commands one after another, each
 * with a commit of its own, because
 * - they are those next in the queue and are decided in its order, each on what those before it changed: one draft is handed on,
 *   and a refusal changes nothing in it, so the last draft is the state that single steps would have led to;
 * - what single commits would have written is written: mail and messages in the same order with the same numbers, and a record
 *   woken by one is written awake by the next that commits, as the next commit would have (`overtaken`);
 * - nothing is told before the one commit is written, neither an outcome nor a refusal nor an event (L20): an answer may rest on
 *   what those before it changed. Nobody can then tell that the first was not written before the second was decided, but by a
 *   crash between the two, and after a crash an unacknowledged step is there whole or not at all (L39);
 * - if the commit is not written, nothing was changed and nothing told, and all are decided again one by one, each with a commit
 *   and a fault of its own: single steps.
 * Only commands that begin no operation and decide by the draft alone take part, so no start depends on a batch that may still
 * fail; rows that they are about are looked at first, for all of them at once. `group.test.ts` compares it with the specification.
 */
import type { Path } from "../contract.ts";
import type { Act } from "./decision.ts";
import { beginDraft, type Draft } from "./draft.ts";
import type { State } from "./state.ts";

/** A command in the queue that may share a commit. */
export interface Member {
  /** When it was issued. */
  readonly asked: number;
  readonly tag: unknown;
  /** How much it may add, in UTF-16 units. */
  readonly size: number;
  /** Whether it can be decided beside others. */
  readonly canJoin: () => boolean;
  /** Whose rows have to be looked at first. */
  readonly unseen: () => readonly Path[];
  readonly decide: (draft: Draft) => { readonly commits: boolean; readonly tell: () => void };
  readonly alone: () => Promise<void> | void;
}

/** Whatever a caller handed in for a text. */
export function sizeOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}

const membersMax = 512;
/** So that one transaction stays small beside the memory of a machine. */
const sizeMax = 4 * 1024 * 1024;

/** The first and those behind it that can share its commit; they are taken out of the queue. */
export function gathered(first: Member, queue: { readonly member: Member | null }[]): readonly Member[] {
  const group = [first];
  if (!first.canJoin()) return group;
  let { size } = first;
  for (let next = queue[0]?.member ?? null; next?.canJoin() === true; next = queue[0]?.member ?? null) {
    size += next.size;
    if (group.length >= membersMax || size > sizeMax) break;
    group.push(next);
    queue.shift();
  }
  return group;
}

export interface Together {
  readonly draft: Draft;
  /** Tags of those that commit, in order: an answer or a refusal writes nothing. */
  readonly tags: readonly unknown[];
  /** In order: whom to tell, and what is to be done for it. */
  readonly told: readonly { readonly member: Member; readonly tell: () => void; readonly acts: readonly Act[] }[];
}

/** Null where deciding one of them failed: that is a bug, which belongs to that one alone. */
export function decideTogether(state: State, group: readonly Member[]): Together | null {
  const draft = beginDraft(state, group[0]?.asked ?? 0);
  const tags: unknown[] = [];
  const told: Together["told"][number][] = [];
  try {
    for (const member of group) {
      draft.now = member.asked;
      const woken = [...(draft.woken?.keys() ?? [])];
      const done = draft.acts.length;
      const decided = member.decide(draft);
      if (decided.commits) {
        overtaken(draft, woken);
        tags.push(member.tag);
      }
      told.push({ member, tell: decided.tell, acts: draft.acts.slice(done) });
    }
  } catch {
    return null;
  }
  return { draft, tags, told };
}
/** Woken by an earlier one: a commit of its own would have shown them asleep, and this one's shows them as they are. */
function overtaken(draft: Draft, woken: readonly string[]): void {
  for (const path of woken) {
    draft.woken?.delete(path);
    draft.rows ??= new Set();
    draft.rows.add(path);
  }
}
