/**
 * The target port: what an implementation offers so that the checker can compare it with the model. Anything that can be
 * reset, given a step, and asked what it sees is a target: our registry, a faulty twin, a child process, somebody else's
 * implementation. Answers may be promises or, where nothing has to be waited for, plain values.
 */
import type { Law } from "../model/index.ts";
import type {
  Answer,
  Counters,
  Encoded,
  Event,
  Gate,
  Level,
  Reply,
  Scope,
  Step,
  StoredView,
  Verb,
  View,
} from "../src/contract.ts";
import type { Pattern } from "./pattern.ts";

export type Awaitable<Value> = Value | Promise<Value>;

/** A difference or broken law that is known and accepted: reported each time, and a failure once it no longer occurs. */
export interface Divergence {
  /** The kind of failure as reports name it: `L8`, `outcome`, `view.agents.result`; `*` is any part, `view.*.mail`. */
  readonly kind: string;
  readonly why: string;
  /** What it is called in reports [its kind]. */
  readonly name?: string;
  /** Only where the step at which it shows is like this [at any]. */
  readonly step?: Pattern;
}

/** What reports call it. */
export const called = ({ kind, name = kind }: Divergence): string => name;

/** What a target cannot be given: steps like `step`, or those of them that are not like `only`. */
interface Lack {
  readonly step: Pattern;
  readonly only?: Pattern;
  readonly why: string;
}

/** What a target was given beside the implementation, so that it can be asked at all. */
export interface Shim {
  readonly name: string;
  readonly why: string;
  readonly on: boolean;
}

/** What a target can do. What it lacks is not asked of it, or removed on both sides before comparing. */
export interface Capabilities {
  readonly level: Level;
  /** Commands it offers; all when absent. */
  readonly verbs?: readonly Verb[];
  /** Answers it can take, by gate; all when absent. */
  readonly answers?: { readonly [gate in Gate]?: readonly Answer[] };
  /** Gates it cannot stop at: their answer rides on the step that begins. */
  readonly passes?: readonly Gate[];
  /** Commands that it cannot stop once they have begun: all their answers ride on them. */
  readonly advance?: readonly Verb[];
  /** Steps that it cannot be given. */
  readonly lacks?: readonly Lack[];
  readonly shims?: readonly Shim[];
  /** It can take a picture of its screen. */
  readonly pictures?: boolean;
  /** `lifo`: only its newest gate may be answered, and it is restarted only when none is open. */
  readonly nesting: "any" | "lifo";
  /** Fields of views, and kinds of events, that it does not show. */
  readonly hides?: { readonly fields?: readonly string[]; readonly events?: readonly Event[0][] };
  /** Whether it answers `encode` and `stored`; takes answers to commits; has second handles. */
  readonly encodes: boolean;
  readonly stores: boolean;
  readonly commits: boolean;
  readonly handles: boolean;
  /** It looks at idle records only when they are read: the loop asks `verify` after every restore. */
  readonly checksLate: boolean;
  /** It drops conversations of its own accord, of agents at rest: the model is told to evict whom it has dropped [no]. */
  readonly evicts?: boolean;
  /** What a row costs besides its texts, in the bytes it counts; absent: what a commit costs is not judged. */
  readonly rowBytes?: number;
  /** What becomes of a start that a crash cut off; `rolls_back` is what the specification says. */
  readonly abandonedStart: "rolls_back" | "interrupts";
  readonly diverges?: readonly Divergence[];
}

/** Where two tellings of one story may come to differ, though the story is the same. */
export type Source = "clock" | "ids" | "iteration order" | "unawaited work";

export interface Target {
  readonly name: string;
  /** Sources that it can be opened with pinned, so that each telling finds them as the one before. */
  readonly pins?: readonly Source[];
  readonly capabilities: Capabilities;
  /** Laws beside those of the specification, about what it shows. */
  readonly laws?: readonly Law[];
  /** What every story's scope is to be, whatever was drawn. */
  readonly scope?: Partial<Pick<Scope, "capacity" | "limits">>;
  /** A new archive, handle `w1` open on it for writing, nothing else. */
  reset(scope: Scope): Awaitable<void>;
  /** Applies one step and comes to rest: whatever can happen without an answer from the world has happened. */
  apply(step: Step): Awaitable<Reply>;
  view(): Awaitable<View>;
  /** What a commit would write now, for the default handle; `null` where nothing is open for writing. */
  encode(): Awaitable<Encoded | null>;
  /** What the archive means now, read from what was written; `null` where that cannot be told. */
  stored(): Awaitable<StoredView | null>;
  /** Work counted since reset; `null` where nothing is counted. */
  counters(): Awaitable<Counters | null>;
  /** Writes what is on its screen to a PNG file. */
  picture?(file: string): Awaitable<void>;
  close(): Awaitable<void>;
}

/** A fresh target of one kind; `close` lets go of it. Asked for a pinned one only where it says that it can be. */
export type OpenTarget = (pinned?: Source) => Awaitable<Target>;

/** The module a user writes for `--target ./my-target.js` exports this. */
export interface TargetModule {
  readonly openTarget: OpenTarget;
}

/** A target that offers everything the specification speaks of. */
export const everything: Capabilities = {
  level: "house",
  nesting: "any",
  encodes: true,
  stores: true,
  commits: true,
  handles: true,
  checksLate: false,
  abandonedStart: "rolls_back",
};
