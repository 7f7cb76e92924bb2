/** Twins that make conversations resident wrongly, or take the wrong tools. */
import { agentAt } from "../../model/refusals.ts";
import { having, withAgent } from "../../model/run.ts";
import { rules } from "../../model/step.ts";
import type { Twin } from "./twin.ts";

export const marks_erased: Twin = {
  does: "sets the marks of an inspection before the viewer's mode erases them",
  breaks: [34],
  faulty: {
    hydrated: (m, run, op, how) => {
      const [next, outcome] = rules.hydrated(m, run, op, how);
      const agent = agentAt(next.live, op.path);
      if (agent === undefined || agent.marks.length === 0 || next.crashed) return [next, outcome];
      const bare = having(next, withAgent(next.live, { ...agent, marks: [] }));
      return [
        bare,
        "ok" in outcome && typeof outcome.ok === "object" && "marks" in outcome.ok
          ? { ok: { ...outcome.ok, marks: [] } }
          : outcome,
      ];
    },
  },
};

export const follow_up_through_inspection: Twin = {
  does: "a follow-up reuses the snapshot of an inspection",
  breaks: [34],
  faulty: {
    arrive: (m, run, op) => {
      const inspected = agentAt(run.live, op.path)?.residency === "inspection";
      return rules.arrive(
        m,
        run,
        op.is === "follow_up" && op.gate === "hydrate" && inspected ? { ...op, gate: "prepare" } : op,
      );
    },
  },
};

export const partial_resident: Twin = {
  does: "publishes a conversation before it is complete",
  breaks: [33],
  faulty: {
    hydrated: (m, run, op, how) => {
      const [next, outcome] = rules.hydrated(m, run, op, how);
      const agent = agentAt(next.live, op.path);
      const failed = how === "corrupt" || how === "missing" || how === "error";
      if (!failed || agent === undefined || agent.residency !== "cold") return [next, outcome];
      return [
        having(next, withAgent(next.live, { ...agent, residency: "inspection", marks: ["read_only", "no_save"] })),
        outcome,
      ];
    },
  },
};

export const provider_after_failed_hydration: Twin = {
  does: "goes on to the provider although the conversation is missing",
  breaks: [33],
  faulty: {
    hydrated: (m, run, op, how) => rules.hydrated(m, run, op, op.is === "follow_up" && how === "missing" ? "ok" : how),
  },
};

export const one_quit_ends_shared_read: Twin = {
  does: "quitting one asker of a read fails the others",
  breaks: [31],
  faulty: {
    hydrated: (m, run, op, how) => {
      const [next, outcome] = rules.hydrated(m, run, op, how);
      const others =
        how === "quit" ? next.live.ops.filter((each) => each.path === op.path && each.gate === "hydrate") : [];
      return [others.reduce((after, each) => m.end(m, after, each, { quit: true })[0], next), outcome];
    },
  },
};

export const tool_by_bare_name: Twin = {
  does: "takes a foreign tool of the same name",
  breaks: [35],
  faulty: {
    tools: (live, refs) => {
      const known = live.registrars.flatMap(({ tools }) => tools);
      return live.registrars.length > 0 && refs.every(([, name]) => known.includes(name))
        ? null
        : rules.tools(live, refs);
    },
  },
};

export const cold_tool_dropped: Twin = {
  does: "finds only tools that this process has loaded, and drops who needs another",
  breaks: [30, 35],
  faulty: {
    // Every restore of the twin is a cold one: what was loaded before the crash is not known any more.
    decode: (m, world, live) => {
      const found = rules.decode(m, world, live);
      const cold = Object.values(found.agents).filter(
        ({ config }) => live.registrars.length > 0 && config.tools.length > 0,
      );
      const codes = Object.fromEntries(cold.map(({ path }) => [path, "tool_unknown" as const]));
      const agents = Object.entries(found.agents).filter(([path]) => codes[path] === undefined);
      return { agents: Object.fromEntries(agents), aside: { ...found.aside, ...codes } };
    },
  },
};
