/** A commit encoded, the same for every store: whatever is invalid in it has been refused before anything is written. */
import { fault } from "../errors.ts";
import type { Commit } from "./archive.ts";
import { type Cells, encodeAgent, encodeMail, encodeSession, requireMessage, type SessionCells } from "./codec.ts";
import { capacityFlaw } from "./flaws.ts";

export interface Encoded {
  readonly agents: readonly ReturnType<typeof encodeAgent>[];
  readonly mail: readonly Cells[];
  /** Where it changes. */
  readonly capacity: number | null;
  readonly commit: Commit;
}

/** The session's own row; the fault `record_invalid` at `session` if that is no capacity. */
export function encodedSession(session: SessionCells): Cells {
  requireCapacity(session.capacity);
  return encodeSession(session);
}
function requireCapacity(capacity: number): void {
  const flaw = capacityFlaw(capacity);
  if (flaw !== null) throw fault("record_invalid", "session", new Error(flaw));
}

export function encoded(commit: Commit): Encoded {
  const { records, mailAdded, capacity, messages, compact } = commit;
  const agents = records.map(encodeAgent);
  const mail = mailAdded.map(encodeMail);
  // Numbered later: where a message goes is known only when it is written.
  for (const { path, append } of messages) for (const each of append) requireMessage(path, each);
  if (compact !== null) requireMessage(compact.path, compact.note);
  if (capacity !== null) requireCapacity(capacity);
  return { agents, mail, capacity, commit };
}

/** Whether it leaves everything as it is: a save of what is saved, the close of a session that changed nothing. */
export function isEmpty({ agents, mail, capacity, commit }: Encoded): boolean {
  const { mailRemoved, messages, compact } = commit;
  return (
    [agents, mail, mailRemoved, messages].every((each) => each.length === 0) && capacity === null && compact === null
  );
}
