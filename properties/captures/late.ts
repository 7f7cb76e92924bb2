/**
 * A moment of a capture where another story stands: the same thing done to the same agent, by the names that hold there. Where
 * it would mean nothing (no such operation, nobody to settle) there is no step.
 */

import type { World } from "../../model/index.ts";
import type { Answer, Answers, Gate, Path, Step } from "../../src/contract.ts";
import { pathOf } from "../about.ts";
import { applicable, opens } from "../applicable.ts";
import type { Capabilities } from "../target.ts";
import { liveOf } from "./placing.ts";

/** How a gate is answered in a story, where not as it was. */
export interface Changed {
  readonly gate: Gate;
  readonly with: Answer;
}

export function late(step: Step, world: World, capabilities: Capabilities, changed: Changed | null): Step | null {
  const found = named(step, world, changed);
  if (found === null) return null;
  const { commit: _, ...uncommitted } = found;
  const whole = passing(capabilities.commits ? found : uncommitted, capabilities);
  const told = changed === null ? whole : opening(whole, changed);
  if (applicable(told, capabilities, world) === null) return told;
  // What it cannot be answered it is answered as it was.
  return changed === null ? null : late(step, world, capabilities, null);
}

function named(step: Step, world: World, changed: Changed | null): Step | null {
  const live = liveOf(world);
  if (step.do === "restore") return live === null && Object.keys(world.handles).length === 0 ? step : null;
  if (live === null || live.mode === "read") return step.do === "crash" && live !== null ? step : null;
  const isThere = (path: string): boolean => path === "/root" || live.agents[path] !== undefined;
  const admitted = (path: Path) => {
    const agent = live.agents[path];
    return agent?.is === "admitted" ? agent : null;
  };
  switch (step.do) {
    case "answer":
      return answered(step, live.ops, changed);
    case "cancel": {
      const open = live.ops.findLast(({ path }) => path === pathOf(step.op));
      return open === undefined ? null : { ...step, op: open.op };
    }
    case "finish": {
      if ("op" in step) {
        const open = live.ops.findLast(({ path, gate }) => path === pathOf(step.op) && gate === "dispatch");
        return open === undefined ? null : { ...step, op: open.op };
      }
      const agent = admitted(step.path);
      return agent === null ? null : { ...step, turn: agent.turn };
    }
    case "say": {
      if (step.path === "/root") return step;
      const agent = admitted(step.path);
      return agent === null ? null : { ...step, turn: agent.turn };
    }
    case "release": {
      const agent = admitted(pathOf(step.token));
      const held = agent?.blockers.find(({ token }) => token !== null)?.token;
      return held == null ? null : { ...step, token: held };
    }
    case "spawn":
      return isThere(step.by) && !isThere(`${step.by}/${step.name}`) ? step : null;
    case "follow_up":
      return isThere(step.by) && isThere(step.to) && step.to !== "/root" ? step : null;
    case "send":
    case "interrupt":
      return isThere(step.by) && isThere(step.to) ? step : null;
    case "execution":
      return isThere(step.owner) ? step : null;
    case "wait":
      return (step.by === "/root" ? live.root.waiter : (admitted(step.by)?.waiter ?? undefined)) == null &&
        (step.by === "/root" || admitted(step.by) !== null)
        ? step
        : null;
    case "block":
    case "sample":
      return step.path === "/root" || admitted(step.path) !== null ? step : null;
    case "steer":
      return live.root.waiter === null ? null : step;
    case "evict":
    case "compact":
    case "inspect":
    case "read_result":
    case "read_history":
      return isThere(step.path) ? step : null;
    case "cancel_wait":
      return step.by === "/root" || isThere(step.by) ? step : null;
    default:
      return step;
  }
}

function answered(
  step: Step & { readonly do: "answer" },
  ops: readonly { readonly op: string; readonly path: Path; readonly gate: Gate }[],
  changed: Changed | null,
): Step | null {
  const path = pathOf(step.op);
  const how = changed?.gate === step.gate ? changed.with : step.with;
  const exact = ops.findLast((each) => each.path === path && each.gate === step.gate);
  if (exact !== undefined) return { do: "answer", op: exact.op, gate: step.gate, with: how };
  // It stands at an earlier gate than it did: as far as that one, and then as it was.
  const earlier = ops.findLast((each) => each.path === path && (each.gate === "hydrate" || each.gate === "prepare"));
  if (earlier === undefined || step.gate === "abort" || step.gate === "handler") return null;
  const answers: Answers = { hydrate: "ok", prepare: "ok", [step.gate]: how };
  return { do: "answer", op: earlier.op, gate: earlier.gate, with: "ok", answers };
}

/** With one of the answers that ride on it changed; those behind it are not asked any more. */
function opening(step: Step, { gate, with: how }: Changed): Step {
  if ((step.do !== "spawn" && step.do !== "follow_up") || step.answers?.[gate] === undefined) return step;
  return { ...step, answers: { ...step.answers, [gate]: how } };
}

/** Gates at which the target cannot stop are answered in advance. */
function passing(step: Step, { passes = [], advance = [] }: Capabilities): Step {
  const missing = opens(step).filter((gate) => advance.includes(step.do) || passes.includes(gate));
  if (missing.length === 0) return step;
  const usual = Object.fromEntries(missing.map((gate) => [gate, "ok"]));
  switch (step.do) {
    case "spawn":
    case "follow_up":
    case "interrupt":
    case "finish":
    case "read_history":
    case "inspect":
    case "restore":
      return { ...step, answers: { ...usual, ...step.answers } };
    default:
      return step;
  }
}
