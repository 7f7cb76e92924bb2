/** What the production target holds during one story: the archive, the handles on it, the host's roles, and what is counted. */
import type { Cells, RecordRows } from "../../src/archive/codec.ts";
import type { ArchiveDamage, Event, Json, Path, Scope, Step, StepOutcome } from "../../src/contract.ts";
import type { RecordOptions, Registrar, Session, Store, Viewer } from "../../src/index.ts";
import type { ManualClock } from "./clock.ts";
import { type Context, isContext, type Sheet } from "./context.ts";
import type { Handle } from "./handle.ts";
import type { Letters } from "./letters.ts";
import type { Place, Places } from "./places.ts";

/** A step that was issued: answered at once, by a call, or by the end of the operation whose gate it answers. */
export interface Issued {
  readonly step: Step;
  readonly on: Sheet;
  readonly handle: Handle;
  readonly context: Context | null;
  readonly outcome: StepOutcome | null;
}

/** What a twin may put in the place of a port. */
export interface Ports {
  readonly store: (store: Store) => Store;
  readonly viewer: Viewer;
  readonly registrar: (registrar: Registrar) => Registrar;
  readonly clock?: () => ManualClock;
  /** Of this many, the next. */
  readonly ids?: (count: number) => string;
  /** How many conversations stay in memory. */
  readonly residentsMax?: number;
  /** In which order the archive hands out what has none. */
  readonly order?: (store: Store) => Store;
  /** Where the default handle records its sessions. */
  readonly record?: RecordOptions;
  /** Until nothing goes on that nobody waits for. */
  readonly settle?: () => Promise<void>;
}

/** What is known of damage, so that it can be mended: also by another process, if it is told. */
export interface Damages {
  /** Rows as they were before they were damaged. */
  readonly originals: readonly (readonly [Path, RecordRows])[];
  readonly originalSession: Cells | null;
  readonly broken: ArchiveDamage | null;
}

export interface Stage {
  readonly scope: Scope;
  readonly places: Places;
  readonly place: Place;
  readonly ports: Ports;
  /** Where forks went. */
  readonly forks: Place[];
  readonly handles: Map<string, Handle>;
  /** The host's; each session is given them when it opens, and told of changes. */
  roles: { readonly [role: string]: Json };
  openings: number;
  /** Steps so far. */
  number: number;
  /** For what happens on nobody's behalf. */
  current: Sheet;
  /** Of the step that lets time pass: what runs out then is its doing. */
  elapsing: Sheet | null;
  /** What woken waiters asked for in this step. */
  called: Issued[];
  /** Every session of this story, for counting. */
  readonly sessions: Session[];
  /** The newest anybody took. */
  epoch: number;
  ids: number;
  busy: number;
  /** Conversations that were read from the archive. */
  reads: number;
  /** What was written, as commits had it. */
  readonly letters: Letters;
  /** Rows as they were before they were damaged. */
  readonly originals: Map<Path, RecordRows>;
  originalSession: Cells | null;
  broken: ArchiveDamage | null;
}

/** The sheet of the call behind something, if it is of this step; else that of the step. */
export function sheetOf({ number, current }: Stage, tag: unknown): Sheet {
  return isContext(tag) && tag.sheet.number === number ? tag.sheet : current;
}

/** Where an event goes. What is set aside is asked for after the restore, and only remembered here. */
export function heard(stage: Stage, handle: Handle, event: Event, tag: unknown): void {
  if (event[0] === "set_aside") {
    handle.reported.set(event[1], event[2]);
    return;
  }
  if (event[0] === "ended") handle.witness.ends.set(event[1], event[2]);
  if (event[0] === "settled" && isContext(tag)) handle.settlers.set(`${event[1]}@${event[2]}`, tag);
  if (event[0] === "provider" && event[2] === "stopped") handle.stops--;
  const { elapsing } = stage;
  (elapsing !== null && !isContext(tag) ? elapsing : sheetOf(stage, tag)).events.push(event);
}
