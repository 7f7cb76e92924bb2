/** Whom a step is about, by the paths that it names itself. */
import type { Path, Step } from "../src/contract.ts";

/** The path in the name of an operation or of a blocker. */
export const pathOf = (name: string): Path => name.replace(/[#@][^#@]*$/, "");
const absolute = (by: Path, to: string): Path => (to.startsWith("/") ? to : `${by}/${to}`);

/** Paths that a step names, the one it is about first. */
export function pathsOf(step: Step): readonly Path[] {
  switch (step.do) {
    case "spawn":
      return [`${step.by}/${step.name}`, step.by];
    case "follow_up":
    case "interrupt":
    case "send":
      return [absolute(step.by, step.to), step.by];
    case "wait":
    case "cancel_wait":
      return [step.by];
    case "execution":
      return [step.owner];
    case "cancel":
    case "answer":
      return [pathOf(step.op)];
    case "finish":
      return ["op" in step ? pathOf(step.op) : step.path];
    case "release":
      return [pathOf(step.token)];
    case "say":
    case "block":
    case "sample":
    case "read_result":
    case "read_history":
    case "inspect":
    case "evict":
    case "compact":
      return [step.path];
    case "damage":
    case "mend":
      return step.what === "record" ? [step.path] : [];
    case "together":
      return step.steps.flatMap(pathsOf);
    case "steer":
      return ["/root"];
    default:
      return [];
  }
}

/** Whom a step is about first; `null`: nobody. */
export const subjectOf = (step: Step): Path | null => pathsOf(step)[0] ?? null;
