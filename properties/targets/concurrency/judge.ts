/** Plays a story and says whether its history can be explained; if not, what a person should see of it. */
import type { Store } from "../../../src/index.ts";
import { unexplained } from "./diagram.ts";
import { explain } from "./explain.ts";
import type { History } from "./history.ts";
import { play } from "./play.ts";
import type { Program } from "./program.ts";
import type { Schedule } from "./schedule.ts";
import type { Library } from "./world.ts";

export interface Judged {
  readonly history: History;
  /** `null` where all is explained. */
  readonly failure: string | null;
}

/** By the order of issue; what that does not explain may still be explained by another order, and the failure says so. */
export async function judge(library: Library, store: Store, program: Program, schedule: Schedule): Promise<Judged> {
  const { start, history } = await play(library, store, program, schedule);
  if (history.unhandled.length > 0) return { history, failure: `nobody was told: ${history.unhandled.join("; ")}` };
  const { is, states } = explain(start, history, "issued");
  if (is === "explained") return { history, failure: null };
  if (is === "undecided") return { history, failure: `undecided after ${states} states` };
  const order = explain(start, history, "any").is === "unexplained" ? "any" : "issued";
  return { history, failure: unexplained(start, history, order) };
}
