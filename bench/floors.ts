/**
 * What was promised of ours beside peers, as ratios within one run, pair by pair. On a machine that does other work the
 * gate asks for less: what it misses then is no noise.
 */

import { found, type Measurement, sentences, sizeLabel, type Workload } from "./cells.ts";
import { atLeast, atMost, within } from "./claims.ts";
import type { Content } from "./content.ts";
import type { Claim } from "./table.ts";

interface Floor {
  readonly what: Workload;
  readonly content: Content;
  readonly peer: string;
  /** Ours takes at most so many times what the peer takes; or the peer at least so many times ours. */
  readonly atMost?: number;
  readonly atLeast?: number;
  /** For the gate; left out where it is not judged there. */
  readonly gate?: number;
}
const at = (agents: number, conversation = 0): Content => ({ agents, conversation });
const floors: readonly Floor[] = [
  { what: "process_roster", content: at(28), peer: "files", atMost: 1.2 },
  { what: "process_roster", content: at(28, 50_000), peer: "files", atMost: 1.2, gate: 4 },
  { what: "process_roster", content: at(1_000), peer: "files", atMost: 1 },
  { what: "process_roster", content: at(10_000), peer: "files", atMost: 1, gate: 12 },
  { what: "process_roster", content: at(100_000), peer: "files", atMost: 0.2 },
  { what: "process_all", content: at(28, 50_000), peer: "files", atMost: 1.2, gate: 5 },
  { what: "process_all", content: at(1_000, 50_000), peer: "files", atMost: 1.2 },
  { what: "mail", content: at(1_000), peer: "files", atMost: 0.05, gate: 0.5 },
  { what: "mail", content: at(1_000), peer: "journal", atMost: 2, gate: 10 },
  { what: "mail", content: at(1_000, 50_000), peer: "files", atMost: 0.05 },
  { what: "mail", content: at(1_000, 50_000), peer: "journal", atMost: 2 },
  { what: "mail", content: at(10_000), peer: "files", atMost: 0.02, gate: 0.2 },
  { what: "list", content: at(10_000), peer: "table", atMost: 2, gate: 20 },
  { what: "list", content: at(100_000), peer: "table", atMost: 2 },
  // A restore is asked for, which may end when it is open or when its roster is there: both are judged.
  { what: "open", content: at(1_000, 50_000), peer: "xstate", atLeast: 15 },
  { what: "open", content: at(1_000, 50_000), peer: "xstate-all", atLeast: 150 },
  { what: "open", content: at(1_000, 50_000), peer: "langgraph-one", atLeast: 20 },
  { what: "open", content: at(1_000, 50_000), peer: "langgraph-each", atLeast: 500 },
  { what: "roster", content: at(1_000, 50_000), peer: "xstate", atLeast: 15 },
  { what: "roster", content: at(1_000, 50_000), peer: "xstate-all", atLeast: 150 },
  { what: "roster", content: at(1_000, 50_000), peer: "langgraph-one", atLeast: 20 },
  { what: "roster", content: at(1_000, 50_000), peer: "langgraph-each", atLeast: 500 },
  { what: "mail", content: at(1_000, 50_000), peer: "xstate", atLeast: 30 },
  { what: "mail", content: at(1_000, 50_000), peer: "langgraph-each", atLeast: 3 },
];
/** Bytes that one durable mail may write, whatever is kept. */
const mailBytesMax = 32 * 1024;

function name({ what, content, peer }: Floor): string {
  const size = `${sizeLabel(content.agents)} x ${content.conversation / 1_000} KB`;
  return `${sentences[what]}, ${size}, ${peer}`;
}
export function floorsOf(all: readonly Measurement[], isGate: boolean): readonly Claim[] {
  const ratios = floors.flatMap((floor): readonly Claim[] => {
    const times = found(all, floor.what, floor.content, floor.peer)?.ratio?.median;
    // Measured neither here nor, in the gate, with a margin.
    if (times === undefined || (isGate && floor.gate === undefined)) return [];
    if (floor.atMost !== undefined)
      return [
        atMost(
          `ours / theirs: ${name(floor)}`,
          isGate ? (floor.gate ?? floor.atMost) : floor.atMost,
          1 / times,
          "times",
        ),
      ];
    return [atLeast(`theirs / ours: ${name(floor)}`, floor.atLeast ?? 0, times, "times")];
  });
  const mails = all.filter(({ what, peer }) => what === "mail" && peer === "rollcall");
  const bytes = mails.flatMap(({ agents, written }) =>
    written === null
      ? []
      : [within(`one mail at ${sizeLabel(agents)}: bytes to the kernel`, mailBytesMax, written, "bytes")],
  );
  return [...bytes, ...ratios];
}
