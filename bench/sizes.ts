/** Which contents are measured beside peers and how much of each, and what is told of it: tables, then what has to hold. */
import { measureContent, type Plan } from "./beside.ts";
import { bytesLabel, found, type Measurement, sentences, sizeLabel, type Workload } from "./cells.ts";
import type { Content } from "./content.ts";
import { floorsOf } from "./floors.ts";
import type { Findings, Setting } from "./setting.ts";
import type { Row, Section } from "./table.ts";

const nothing = { processes: [], warm: [], acts: false } as const;
const of = (agents: number, conversation: number, plan: Partial<Plan>): Plan => ({
  ...nothing,
  ...plan,
  content: { agents, conversation },
});
const everything = { warm: ["roster", "first", "all"], acts: true } as const;
const plans: { readonly [effort in "full" | "quick" | "gate"]: readonly Plan[] } = {
  full: [
    of(28, 0, { processes: ["roster"], warm: ["roster"], acts: true }),
    of(28, 1_000, { warm: ["roster"] }),
    of(28, 50_000, { processes: ["roster", "first", "all"], ...everything }),
    of(28, 500_000, { processes: ["all"], ...everything }),
    of(28, 5_000_000, { warm: ["roster"], acts: true }),
    of(1_000, 0, { processes: ["roster"], warm: ["roster"], acts: true }),
    of(1_000, 1_000, { warm: ["roster", "all"] }),
    of(1_000, 50_000, { processes: ["roster", "first", "all"], ...everything }),
    of(10_000, 0, { processes: ["roster"], warm: ["roster"], acts: true }),
    of(10_000, 1_000, { warm: ["roster", "all"] }),
    of(10_000, 50_000, { warm: ["roster"] }),
    of(100_000, 0, { processes: ["roster"], warm: ["roster"], acts: true }),
    of(100_000, 1_000, { warm: ["roster"] }),
    of(100_000, 50_000, { warm: ["roster"] }),
  ],
  quick: [
    of(28, 50_000, { processes: ["roster"], ...everything }),
    of(1_000, 1_000, { processes: ["roster"], warm: ["roster"], acts: true }),
  ],
  gate: [
    of(28, 50_000, { processes: ["roster", "all"] }),
    of(1_000, 0, { acts: true }),
    of(10_000, 0, { processes: ["roster"], acts: true }),
  ],
};

/** All that can be done to it: nobody continues a conversation that nobody began. */
function asked({ agents, conversation }: Content): Plan {
  const until = conversation === 0 ? (["roster"] as const) : everything.warm;
  return of(agents, conversation, { processes: until, warm: until, acts: true });
}

export async function peers(setting: Setting): Promise<Findings> {
  const { isQuick, isGate, at } = setting;
  const all: Measurement[] = [];
  // A size that was asked for is measured whole, whether others are or not.
  const wanted = at === null ? null : [asked(at)];
  for (const plan of wanted ?? plans[isGate ? "gate" : isQuick ? "quick" : "full"]) {
    const { agents, conversation } = plan.content;
    console.error(`peers: ${sizeLabel(agents)} agents x ${bytesLabel(conversation)}`);
    all.push(...(await measureContent(setting, plan)));
  }
  return { sections: sectionsOf(all, setting.peers), claims: floorsOf(all, isGate), measured: all };
}

// ── Tables ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const columnsMax = 4;
const contentLabel = ({ agents, conversation }: Content) =>
  `${sizeLabel(agents)}x${bytesLabel(conversation).replace(" ", "")}`;

function contentsOf(all: readonly Measurement[], what: Workload): readonly Content[] {
  const seen = new Map<string, Content>();
  for (const each of all) if (each.what === what) seen.set(contentLabel(each), each);
  return [...seen.values()];
}
function rowOf(all: readonly Measurement[], what: Workload, peer: string, contents: readonly Content[]): Row {
  const at = contents.map((content) => found(all, what, content, peer));
  return { label: peer, unit: "ms", values: at.map((each) => each?.timing?.median ?? null) };
}
function spreadOf(all: readonly Measurement[], what: Workload, contents: readonly Content[]): Row {
  const at = contents.map((content) => found(all, what, content, "rollcall")?.timing);
  return {
    label: "  rollcall: middle half of its samples, of the median",
    unit: "times",
    values: at.map((timing) => (timing ? (timing.high - timing.low) / timing.median : null)),
  };
}
function sectionsOf(all: readonly Measurement[], names: readonly string[]): readonly Section[] {
  const workloads = [...new Set(all.map(({ what }) => what))];
  return workloads.flatMap((what) => {
    const contents = contentsOf(all, what);
    const sections: Section[] = [];
    for (let at = 0; at < contents.length; at += columnsMax) {
      const some = contents.slice(at, at + columnsMax);
      const written = some.map((content) => found(all, what, content, "rollcall")?.written ?? null);
      const read = some.map((content) => found(all, what, content, "rollcall")?.read ?? null);
      sections.push({
        title: `Beside peers, ${sentences[what]}`,
        columns: some.map(contentLabel),
        rows: [
          ...names.map((peer) => rowOf(all, what, peer, some)),
          spreadOf(all, what, some),
          { label: "  rollcall: bytes read", unit: "bytes", values: read },
          { label: "  rollcall: bytes written", unit: "bytes", values: written },
        ],
        notes: reasonsOf(all, what, some),
      });
    }
    return sections;
  });
}
/** Each reason once, with who gave it. */
function reasonsOf(all: readonly Measurement[], what: Workload, contents: readonly Content[]): readonly string[] {
  const reasons = all.flatMap((each) =>
    each.what === what &&
    each.cannot !== null &&
    contents.some((content) => contentLabel(content) === contentLabel(each))
      ? [`${each.peer}: ${each.cannot}`]
      : [],
  );
  return [...new Set(reasons)];
}
