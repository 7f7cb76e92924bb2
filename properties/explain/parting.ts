/**
 * The first step after which model and target can be told apart: by what they show, also where the target promises less than
 * it shows, or by what a reader would be told then (texts of conversations, for one, stand in no view).
 */

import { begin, step as decide, type World } from "../../model/index.ts";
import type { Scope, Step } from "../../src/contract.ts";
import { applicable } from "../applicable.ts";
import { digest } from "../digest.ts";
import { type Reduction, reduction } from "../reduce.ts";
import type { Capabilities } from "../target.ts";
import type { Frame, Parting } from "./explanation.ts";
import { unlikeOf } from "./frames.ts";
import { type Laboratory, plain } from "./laboratory.ts";

/** Messages of a conversation that a reader asks for. */
const lastMax = 1_000;

export interface Story {
  readonly scope: Scope;
  readonly steps: readonly Step[];
  readonly frames: readonly Frame[];
  readonly capabilities: Capabilities;
}

export async function partingOf(lab: Laboratory, story: Story): Promise<Parting | null> {
  const shown = narrowed(story);
  const at = story.frames.findIndex((frame) => frame.target === null || unlikeOf(frame, shown).length > 0);
  const end = at < 0 ? story.frames.length : at;
  let world = begin(digest, story.scope);
  for (let length = 0; length < end; length++) {
    const found = await read(lab, story, world, length);
    if (found !== null) return found;
    const step = story.steps[length];
    if (step !== undefined) world = decide(world, step).world;
  }
  const frame = story.frames[at];
  if (frame === undefined) return null;
  return { step: at - 1, by: null, unlike: unlikeOf(frame, shown)[0] ?? null };
}

/** What is hidden is left out only where it is not shown after all. */
function narrowed({ capabilities, frames }: Story): Reduction {
  const said = JSON.stringify(frames.map(({ target }) => target));
  const unsaid = (word: string, form: (word: string) => string): boolean => !said.includes(form(word));
  const fields = (capabilities.hides?.fields ?? []).filter((field) =>
    unsaid(field, (word) => `${JSON.stringify(word)}:`),
  );
  const events = (capabilities.hides?.events ?? []).filter((event) =>
    unsaid(event, (word) => `[${JSON.stringify(word)},`),
  );
  return reduction({ ...capabilities, hides: { fields, events } });
}

/** The story up to there, and then everything that can be read. */
async function read(lab: Laboratory, story: Story, world: World, length: number): Promise<Parting | null> {
  const steps = story.steps.slice(0, length);
  const readers = readersOf(world).filter((step) => applicable(step, story.capabilities, world) === null);
  if (readers.length === 0) return null;
  const telling = await lab.tell([...steps, ...readers].map(plain));
  const failure = telling?.run.failure ?? null;
  if (telling === null || failure === null || failure.difference === null || failure.found === null) return null;
  const last = telling.run.told.length - 1;
  const by = telling.run.told[last]?.[0];
  if (last < length || by === undefined) return null;
  const frame = { model: failure.expected, target: failure.found };
  return { step: length - 1, by, unlike: unlikeOf(frame, reduction(story.capabilities))[0] ?? null };
}

function readersOf(world: World): readonly Step[] {
  const live = world.handles["w1"];
  if (live?.is !== "open") return [];
  const paths = Object.keys(live.agents).sort();
  const history = (path: string): Step => ({ do: "read_history", path, last: lastMax, answers: { hydrate: "ok" } });
  return [
    { do: "roster" },
    ...paths.map((path): Step => ({ do: "read_result", path })),
    history("/root"),
    ...paths.map(history),
    { do: "verify" },
  ];
}
