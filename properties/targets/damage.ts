/** Damage and mending of what is stored, while nothing is open; the original rows are kept for mending. */
import { damaged, damagedSession } from "../../src/archive/raw.ts";
import type { Path, Step, StepOutcome } from "../../src/contract.ts";
import { isPath } from "../../src/paths.ts";
import { isOpen } from "./handle.ts";
import type { Stage } from "./stage.ts";

type Damage = Step & { readonly do: "damage" | "mend" };

export function damage(stage: Stage, step: Damage): StepOutcome {
  if ([...stage.handles.values()].some(isOpen)) return { refused: "session_open" };
  if (step.what === "archive") return archive(stage, step);
  if (stage.broken !== null) return { fault: `archive_${stage.broken}`, at: "archive" };
  return step.what === "session" ? session(stage, step) : record(stage, step, step.path);
}

function archive(stage: Stage, step: Damage & { readonly what: "archive" }): StepOutcome {
  if (step.do === "damage") {
    if (stage.broken !== null) return { fault: `archive_${stage.broken}`, at: "archive" };
    stage.place.raw.damageArchive(step.how);
    stage.broken = step.how;
  } else if (stage.broken !== null) {
    stage.place.raw.mendArchive();
    stage.broken = null;
  }
  return { ok: "done" };
}

function session(stage: Stage, { do: verb }: Damage): StepOutcome {
  const { raw } = stage.place;
  if (verb === "damage" && stage.originalSession === null) {
    stage.originalSession = raw.session();
    raw.putSession(damagedSession(stage.originalSession));
  } else if (verb === "mend" && stage.originalSession !== null) {
    raw.putSession(stage.originalSession);
    stage.originalSession = null;
  }
  return { ok: "done" };
}

function record(stage: Stage, step: Damage & { readonly what: "record" }, path: Path): StepOutcome {
  const { raw } = stage.place;
  if (!isPath(path)) return { refused: "path_malformed" };
  if (path === "/root") return { refused: "target_root" };
  const rows = stage.originals.get(path) ?? raw.record(path);
  if (rows === null) return { refused: "agent_unknown" };
  if (step.do === "damage") {
    const category = Object.values(stage.scope.registrars)[0]?.category ?? "nowhere";
    stage.originals.set(path, rows);
    raw.putRecord(path, damaged(rows, step.how, { seq: raw.unusedSeq(), category }));
  } else if (stage.originals.delete(path)) raw.putRecord(path, rows);
  return { ok: "done" };
}
