/**
 * The one door through which a conversation becomes resident. What comes out is whole: a reader's inspection with its
 * marks, or a writable conversation; a failure leaves whatever was there. L33, L34
 */
import type { Message } from "./archive/archive.ts";
import type { Mark, Path } from "./contract.ts";
import type { Viewer } from "./registry/ports.ts";

export interface Resident {
  readonly residency: "inspection" | "writable";
  readonly marks: readonly Mark[];
  /** All of it, for a writable one; an inspection keeps no messages, so none of it can be stale or saved. */
  readonly messages: Message[] | null;
}

const inspectionMarks: readonly Mark[] = ["read_only", "no_save"];

/** Throws what the viewer's mode hook throws: nothing is resident then. */
export function makeResident(
  path: Path,
  residency: "inspection" | "writable",
  messages: readonly Message[],
  viewer: Viewer | null,
): Resident {
  const given = residency === "inspection" ? inspectionMarks : [];
  const marks = new Set(given);
  viewer?.show?.(path, marks);
  // Setting up a mode erases marks, so they are put back after it, not before.
  applyMarks(marks, given);
  return {
    residency,
    marks: Object.freeze([...marks]),
    messages: residency === "writable" ? messages.map(frozen) : null,
  };
}

/** A provider is shown the very messages that history answers from. */
function frozen(message: Message): Message {
  return Object.freeze(message);
}
function applyMarks(marks: Set<Mark>, given: readonly Mark[]): void {
  marks.clear();
  for (const each of given) marks.add(each);
}
