/**
 * Both sides of every moment of a story, and where they are unlike. The model's side is told again, being cheap and always
 * the same; the target's is written down while the loop looks at it.
 */
import { begin, step as decide, encode, stored, view, type World } from "../../model/index.ts";
import type { Encoded, Reply, Scope, Step, StoredView, View } from "../../src/contract.ts";
import { equal } from "../compare.ts";
import { digest } from "../digest.ts";
import type { Reduction } from "../reduce.ts";
import type { Awaitable, Target } from "../target.ts";
import type { Frame, Side, Sight, Unlike } from "./explanation.ts";

/** A target that does what the other does, and what it showed: one side for each look, the first before any step. */
export interface Recording {
  readonly target: Target;
  readonly sides: readonly Side[];
}

type Mutable = { -readonly [key in keyof Side]: Side[key] };

/** Where the checker follows a restore by `verify`, the reply to the restore is the one kept. */
export function recording(target: Target): Recording {
  const sides: Mutable[] = [];
  let reply: Reply | null = null;
  const last = (): Mutable | undefined => sides.at(-1);
  const look = (view: View): View => {
    sides.push({ reply, view, encoded: null, stored: null });
    reply = null;
    return view;
  };
  const encoded = (given: Encoded | null): Encoded | null => {
    const side = last();
    if (side !== undefined) side.encoded = given;
    return given;
  };
  const archived = (given: StoredView | null): StoredView | null => {
    const side = last();
    if (side !== undefined) side.stored = given;
    return given;
  };
  const recorded: Target = {
    name: target.name,
    capabilities: target.capabilities,
    reset: (scope) => {
      sides.length = 0;
      reply = null;
      return target.reset(scope);
    },
    apply: (step) =>
      after(target.apply(step), (given) => {
        reply ??= given;
        return given;
      }),
    view: () => after(target.view(), look),
    encode: () => after(target.encode(), encoded),
    stored: () => after(target.stored(), archived),
    counters: () => target.counters(),
    close: () => target.close(),
  };
  return { target: recorded, sides };
}

/** No promise where none is given, so that a synchronous target stays one. */
function after<Given, Made>(given: Awaitable<Given>, make: (given: Given) => Made): Awaitable<Made> {
  return given instanceof Promise ? given.then(make) : make(given);
}

export function framesOf(scope: Scope, steps: readonly Step[], recorded: readonly Side[]): readonly Frame[] {
  let world: World = begin(digest, scope);
  const model: Side[] = [seen(world, null)];
  for (const step of steps) {
    const next = decide(world, step);
    world = next.world;
    model.push(seen(world, next.reply));
  }
  return model.map((side, index) => ({ model: side, target: recorded[index] ?? null }));
}

function seen(world: World, reply: Reply | null): Side {
  return { reply, view: view(world), encoded: encode(world), stored: stored(world) };
}

/** Where the two sides of a moment are unlike, as far as the target promises to agree. */
export function unlikeOf({ model, target }: Frame, reduced: Reduction): readonly Unlike[] {
  if (target === null) return [];
  const found: Unlike[] = [];
  const put = (sight: Sight, one: unknown, other: unknown): void => {
    for (const each of places(one, other, [])) found.push({ sight, ...each });
  };
  if (model.reply !== null && target.reply !== null) {
    const { events, ...outcome } = loose(reduced.reply(model.reply));
    const { events: others, ...other } = loose(reduced.reply(target.reply));
    // An answer is one thing: `ok` here and `refused` there are not two differences.
    if (!equal(outcome, other)) found.push({ sight: "reply", at: [], model: outcome, target: other });
    put("reply", { events }, { events: others });
  }
  put("view", reduced.view(model.view), reduced.view(target.view));
  if (target.encoded !== null && model.encoded !== null && reduced.sights.includes("encode")) {
    if ("ok" in model.encoded && "ok" in target.encoded) put("encoded", model.encoded.ok, target.encoded.ok);
    else if (!equal(model.encoded, target.encoded))
      found.push({ sight: "encoded", at: [], model: model.encoded, target: target.encoded });
  }
  if (target.stored !== null) put("stored", model.stored, target.stored);
  return found;
}

const loose = (given: unknown): { readonly [key: string]: unknown } => (isRecord(given) ? given : {});

type Place = Pick<Unlike, "at" | "model" | "target">;

const isRecord = (given: unknown): given is { readonly [key: string]: unknown } =>
  typeof given === "object" && given !== null && !Array.isArray(given);

/** Down to whole fields: lists (mail, blockers, results) are told as a whole, since an item less moves all that follow. */
function places(model: unknown, target: unknown, at: readonly string[]): readonly Place[] {
  if (equal(model, target)) return [];
  if (!isRecord(model) || !isRecord(target)) return [{ at, model, target }];
  const keys = new Set([...Object.keys(model), ...Object.keys(target)]);
  return [...keys].flatMap((key) => places(model[key], target[key], [...at, key]));
}
