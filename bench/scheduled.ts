/**
 * The checker's loop beside fast-check's own way of telling stories with schedules, `scheduledModelRun`, doing comparable work: the
 * same production registry in memory, the same specification, stories of as many steps. There a class a command, here data.
 */
import fc from "fast-check";
import {
  begin,
  type Checked,
  checkTarget,
  digest,
  encode,
  equal,
  type OpenTarget,
  step,
  stored,
  type Target,
  targetNamed,
  view,
  type World,
} from "../properties/index.ts";
import type { Scope, Step } from "../src/contract.ts";
import { atLeast, exactly } from "./claims.ts";
import { type Case, interleave, type Laps, medianOf } from "./measure.ts";
import { calibrationLoop, type Findings, type Setting } from "./setting.ts";

const stories = 60;
const storyStepsMax = 60;
const timesAsked = 5;

const scope: Scope = {
  capacity: 3,
  roles: { r: { instructions: "do", model: "m", effort: null, tools: [["core", "read"]], limits: {}, parameters: {} } },
  registrars: { core: { category: "core", tools: ["read"] } },
  archive: "memory",
  process: "same",
};

interface Model {
  world: World;
}
interface Counted {
  steps: number;
}
/** Where a story stands: agents by what they are doing, and whether a session is open. */
interface Place {
  readonly isOpen: boolean;
  readonly isWaiting: boolean;
  readonly idle: readonly string[];
  readonly active: readonly { readonly path: string; readonly turn: number }[];
  readonly gates: readonly (readonly [op: string, gate: string])[];
}

function placeOf({ world }: Model): Place {
  const { mode, agents = {}, root, open = [] } = view(world);
  const all = Object.entries(agents);
  return {
    isOpen: mode !== "closed",
    isWaiting: root?.waiting === true,
    idle: all.filter(([, { activity }]) => activity === "idle").map(([path]) => path),
    active: all.flatMap(([path, { turn }]) => (turn === undefined ? [] : [{ path, turn }])),
    gates: open,
  };
}

/** As fast-check wants commands: a class each, with a precondition, and a step on both sides. */
abstract class Command implements fc.AsyncCommand<Model, Target> {
  readonly pick: number;
  readonly counted: Counted;
  constructor(pick: number, counted: Counted) {
    this.pick = pick;
    this.counted = counted;
  }
  abstract stepAt(place: Place): Step | null;
  check(model: Readonly<Model>): boolean {
    return this.stepAt(placeOf(model)) !== null;
  }
  async run(model: Model, target: Target): Promise<void> {
    const next = this.stepAt(placeOf(model));
    if (next === null) return;
    this.counted.steps++;
    const { world, reply } = step(model.world, next);
    model.world = world;
    const told = await target.apply(next);
    if (!equal(reply, told)) throw new Error(`${JSON.stringify(next)}: ${JSON.stringify(told)}`);
    // Idle records are looked at when they are read: the checker's loop asks for all of them after a restore, too.
    if (next.do === "restore") await target.apply({ do: "verify" });
    if (!equal(view(world), await target.view())) throw new Error(`${JSON.stringify(next)}: the view differs`);
    const encoded = await target.encode();
    if (encoded !== null && !equal(encode(world), encoded)) throw new Error("the encoding differs");
    const archive = await target.stored();
    if (archive !== null && !equal(stored(world), archive)) throw new Error("the archive differs");
  }
  some<Item>(items: readonly Item[]): Item | null {
    return items[this.pick % items.length] ?? null;
  }
  toString(): string {
    return `${this.constructor.name}(${this.pick})`;
  }
}

class Spawn extends Command {
  stepAt({ isOpen, idle, active, gates }: Place): Step | null {
    if (!isOpen || idle.length + active.length > 3 || gates.length > 0) return null;
    const start = { do: "spawn", by: "/root", name: `a${this.pick % 4}`, role: "r", text: "t" } as const;
    return this.pick % 2 === 0 ? start : { ...start, answers: { prepare: "ok", dispatch: "ok" } };
  }
}
class FollowUp extends Command {
  stepAt({ isOpen, idle }: Place): Step | null {
    const to = this.some(idle);
    return isOpen && to !== null ? { do: "follow_up", by: "/root", to, text: "u" } : null;
  }
}
class Answer extends Command {
  stepAt({ isOpen, gates }: Place): Step | null {
    const open = this.some(gates);
    if (!isOpen || open === null) return null;
    const [op, gate] = open;
    return { do: "answer", op, gate, with: this.pick % 5 === 0 && gate !== "handler" ? "error" : "ok" } as Step; // `error` answers every gate but this one
  }
}
class Finish extends Command {
  stepAt({ active }: Place): Step | null {
    const found = this.some(active);
    return found === null ? null : { do: "finish", ...found, outcome: "completed", text: "R" };
  }
}
class Send extends Command {
  stepAt({ isOpen, idle, active }: Place): Step | null {
    const to = this.some(["/root", ...idle, ...active.map(({ path }) => path)]);
    return isOpen && to !== null ? { do: "send", by: "/root", to, text: "m" } : null;
  }
}
class Execution extends Command {
  stepAt({ isOpen, active }: Place): Step | null {
    const owner = this.some(["/root", ...active.map(({ path }) => path)]);
    return isOpen && owner !== null ? { do: "execution", owner, text: "e" } : null;
  }
}
class Wait extends Command {
  stepAt({ isOpen, isWaiting }: Place): Step | null {
    return isOpen && !isWaiting ? { do: "wait", by: "/root" } : null;
  }
}
class Elapse extends Command {
  stepAt({ isOpen }: Place): Step | null {
    return isOpen ? { do: "elapse", ms: 10_000 } : null;
  }
}
class Sample extends Command {
  stepAt({ isOpen, active }: Place): Step | null {
    const path = this.some(["/root", ...active.map((each) => each.path)]);
    return isOpen && path !== null ? { do: "sample", path } : null;
  }
}
class Interrupt extends Command {
  stepAt({ isOpen, active }: Place): Step | null {
    const found = this.some(active);
    return isOpen && found !== null ? { do: "interrupt", by: "/root", to: found.path } : null;
  }
}
class Save extends Command {
  stepAt({ isOpen }: Place): Step | null {
    return isOpen ? { do: "save" } : null;
  }
}
class CrashAndRestore extends Command {
  stepAt({ isOpen, gates }: Place): Step | null {
    if (!isOpen && gates.length === 0) return { do: "restore", mode: "write", answers: { hydrate: "ok" } };
    return isOpen && this.pick % 4 === 0 ? { do: "crash" } : null;
  }
}

const classes = [
  Spawn,
  FollowUp,
  Answer,
  Finish,
  Send,
  Execution,
  Wait,
  Elapse,
  Sample,
  Interrupt,
  Save,
  CrashAndRestore,
];

/** For the checker: the same commands and no others; `verify` is what it asks after a restore. */
const verbs: readonly Step["do"][] = [
  ...(["spawn", "follow_up", "answer", "finish", "send", "execution", "wait", "elapse", "sample"] as const),
  ...(["interrupt", "save", "crash", "restore", "verify"] as const),
];

/** So many stories by `scheduledModelRun`; answers how many steps they had. */
async function scheduled(open: OpenTarget, seed: number): Promise<number> {
  const counted: Counted = { steps: 0 };
  const target = await open();
  const commands = fc.commands(
    classes.map((Of) => fc.nat({ max: 999 }).map((pick) => new Of(pick, counted))),
    // Some of them find their precondition false: twice as many are drawn, so that as many are told.
    { maxCommands: storyStepsMax * 2, size: "max" },
  );
  const told = fc.asyncProperty(fc.scheduler(), commands, async (scheduler, all) => {
    await target.reset(scope);
    await fc.scheduledModelRun(scheduler, () => ({ model: { world: begin(digest, scope) }, real: target }), all);
  });
  try {
    await fc.assert(told, { numRuns: stories, seed, endOnFailure: true });
  } finally {
    await target.close();
  }
  return counted.steps;
}

export async function scheduledModelRun({ isQuick }: Setting): Promise<Findings> {
  const open = await targetNamed("memory");
  const fewer: OpenTarget = async () => {
    const target = await open();
    return { ...target, capabilities: { ...target.capabilities, verbs } };
  };
  const held: number[] = [];
  const steps = { ours: 0, samplesOfOurs: 0, theirs: 0, samples: 0 };
  const check = async (opening: OpenTarget): Promise<Checked> => {
    const found = await checkTarget({ runs: stories, seed: held.length + 1, open: opening, shrinksMax: 0 });
    held.push(found.failed === null ? found.stories : found.stories - 1);
    return found;
  };
  const ours = async (): Promise<Laps> => {
    const found = await check(fewer);
    steps.ours += found.steps;
    steps.samplesOfOurs++;
    return { step: found.ms / found.steps };
  };
  const all = async (): Promise<Laps> => {
    const found = await check(open);
    return { step: found.ms / found.steps };
  };
  const theirs = async (): Promise<Laps> => {
    const began = performance.now();
    const told = await scheduled(open, ++steps.samples);
    steps.theirs += told;
    return { step: (performance.now() - began) / told };
  };
  const cases: readonly Case[] = [
    { name: "calibration", sample: async () => ({ step: calibrationLoop() }) },
    { name: "ours", sample: ours },
    { name: "theirs", sample: theirs },
    { name: "all", sample: all },
  ];
  const timings = await interleave(cases, { roundsMin: isQuick ? 3 : 7, budgetMs: 0 });
  const rate = (name: string): number => 1_000 / medianOf(timings, name, "step");
  const perStory = {
    ours: steps.ours / (steps.samplesOfOurs * stories),
    theirs: steps.theirs / (steps.samples * stories),
  };
  // Stories of one length, that of ours: a story of fewer steps is told sooner.
  const storiesOf = (name: string): number => rate(name) / perStory.ours;
  const times = storiesOf("ours") / storiesOf("theirs");
  const section = {
    title: `Stories of ${perStory.ours.toFixed(0)} steps on production in memory, compared after each`,
    columns: ["stories/s", "steps/s"],
    rows: [
      {
        label: "the checker: the same commands, all faults, every law",
        unit: "per_second",
        values: [storiesOf("ours"), rate("ours")],
      },
      {
        label: "scheduledModelRun: twelve commands, no law",
        unit: "per_second",
        values: [storiesOf("theirs"), rate("theirs")],
      },
      {
        label: "the checker: all commands as well",
        unit: "per_second",
        values: [storiesOf("all"), rate("all")],
      },
      { label: "calibration loop", unit: "per_second", values: [null, rate("calibration")] },
    ],
    notes: [`Those of scheduledModelRun had ${perStory.theirs.toFixed(0)} steps each and are counted by their steps.`],
  } as const;
  const claims = [
    exactly("stories that held beside scheduledModelRun", stories, held),
    atLeast("stories per second, of those by scheduledModelRun", timesAsked, times, "times"),
  ];
  return { sections: [section], claims };
}
