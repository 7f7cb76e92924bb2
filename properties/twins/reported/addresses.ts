/** Twins from public reports that address agents wrongly: by what is in memory, by a bare name, by a role, or twice. */
import { absolute, agentAt, isBelow } from "../../../model/refusals.ts";
import { having, ok, refused, withAgent } from "../../../model/run.ts";
import type { Live } from "../../../model/state.ts";
import { rules } from "../../../model/step.ts";
import type { Path } from "../../../src/contract.ts";
import type { Twin } from "../twin.ts";

const last = (path: Path): string => path.slice(path.lastIndexOf("/") + 1);
const paths = (live: Pick<Live, "agents">): readonly Path[] => Object.keys(live.agents).sort();
/** The first agent of the same last name, wherever it is. */
const firstNamed = (live: Pick<Live, "agents">, path: Path): Path =>
  paths(live).find((each) => last(each) === last(path)) ?? path;
const without = (live: Live, gone: (path: Path) => boolean): Live => ({
  ...live,
  agents: Object.fromEntries(Object.entries(live.agents).filter(([path]) => !gone(path))),
});

export const address_from_live_map: Twin = {
  does: "follows up only who has run since the session was opened",
  breaks: [32],
  faulty: {
    followUp: (m, run, step) => {
      const agent = agentAt(run.live, absolute(step.by, step.to));
      const unseen = run.live.mode === "write" && run.live.opening > 1 && agent?.residency === "cold";
      return unseen ? refused(run, "agent_unknown") : rules.followUp(m, run, step);
    },
  },
};

export const roster_from_residents: Twin = {
  does: "lists only those whose conversation is in memory",
  breaks: [32],
  faulty: {
    roster: (m, run, step) =>
      rules.roster(
        m,
        having(
          run,
          without(run.live, (path) => agentAt(run.live, path)?.residency === "cold"),
        ),
        step,
      ),
  },
};

export const first_of_the_name: Twin = {
  does: "takes the first agent of a name, wherever it is in the tree",
  breaks: [16, 29],
  faulty: {
    followUp: (m, run, step) => {
      const path = absolute(step.by, step.to);
      const known = agentAt(run.live, path) !== undefined;
      return rules.followUp(m, run, known ? { ...step, to: firstNamed(run.live, path) } : step);
    },
    recovered: (m, world, restoring, decoded) => {
      const live = rules.recovered(m, world, restoring, decoded);
      const renamed: typeof live.root.mail = live.root.mail.map((mail) => ({
        ...mail,
        from: mail.kind === "result" ? firstNamed(live, mail.from) : mail.from,
      }));
      const agents = Object.values(live.agents).map((agent) => [
        agent.path,
        {
          ...agent,
          mail: agent.mail.map((mail) => ({
            ...mail,
            from: mail.kind === "result" ? firstNamed(live, mail.from) : mail.from,
          })),
        },
      ]);
      return { ...live, root: { ...live.root, mail: renamed }, agents: Object.fromEntries(agents) };
    },
  },
};

export const resolves_by_role: Twin = {
  does: "takes a role for the name of whoever has it",
  breaks: [],
  faulty: {
    followUp: (m, run, step) => {
      const path = absolute(step.by, step.to);
      const agent = paths(run.live).find((each) => agentAt(run.live, each)?.role === last(path));
      const known = agentAt(run.live, path) !== undefined;
      return rules.followUp(m, run, agent === undefined || known ? step : { ...step, to: agent });
    },
  },
};

export const names_normalised: Twin = {
  does: "makes a path out of whatever name it is given",
  breaks: [],
  faulty: {
    spawn: (m, run, step) =>
      rules.spawn(m, run, { ...step, name: step.name.toLowerCase().replaceAll(/[^a-z0-9_]/g, "_") }),
  },
};

export const sender_by_name: Twin = {
  does: "says who sent a mail by the last name alone",
  breaks: [16],
  faulty: {
    deliver: (m, run, mail, to, why) =>
      rules.deliver(m, run, mail.kind === "mail" ? { ...mail, from: last(mail.from) } : mail, to, why),
  },
};

export const last_spawn_wins: Twin = {
  does: "a second spawn of a name takes the place of the first",
  breaks: [2],
  faulty: { taken: (live, path) => rules.taken({ ...live, agents: {} }, path) },
};

export const check_then_act: Twin = {
  does: "takes a name that is only reserved for free",
  breaks: [2],
  faulty: { taken: (live, path) => rules.taken({ ...live, ops: [] }, path) },
};

export const reserved_may_spawn: Twin = {
  does: "lets an agent that is not published yet spawn below itself",
  breaks: [1, 5],
  faulty: {
    spawn: (m, run, step) => {
      const reserved = run.live.ops.some((op) => op.is === "spawn" && op.path === step.by);
      return reserved ? ok(run, `${step.by}/${step.name}`) : rules.spawn(m, run, step);
    },
  },
};

export const topology_from_transcript: Twin = {
  does: "knows children from their parent's transcript, and forgets those that a compaction took out of it",
  breaks: [32],
  faulty: {
    compact: (m, run, step) => {
      const [next, outcome] = rules.compact(m, run, step);
      if (!("ok" in outcome) || next.world === run.world) return [next, outcome];
      return [
        having(
          next,
          without(next.live, (path) => isBelow(path, step.path)),
        ),
        outcome,
      ];
    },
  },
};

export const eviction_deletes: Twin = {
  does: "forgets whoever is evicted",
  breaks: [1, 32],
  faulty: {
    evict: (m, run, step) => {
      const [next, outcome] = rules.evict(m, run, step);
      return "ok" in outcome
        ? [
            having(
              next,
              without(next.live, (path) => path === step.path),
            ),
            outcome,
          ]
        : [next, outcome];
    },
  },
};

export const anyone_owns: Twin = {
  does: "whoever opens an archive becomes its owner",
  breaks: [40],
  faulty: { restore: (m, world, step) => rules.restore(m, world, { ...step, takeover: true }) },
};

export const failed_start_keeps_slot: Twin = {
  does: "a spawn that failed keeps its slot",
  breaks: [4, 6],
  faulty: {
    active: (live) => {
      const began = Object.keys(live.ordinals).filter((path) => agentAt(live, path) === undefined);
      return rules.active(live) + began.filter((path) => !live.ops.some((op) => op.path === path)).length;
    },
  },
};

export const hydrates_before_checks: Twin = {
  does: "makes a conversation resident for a follow-up that is then refused",
  breaks: [31, 37],
  faulty: {
    followUp: (m, run, step) => {
      const [next, outcome] = rules.followUp(m, run, step);
      const agent = agentAt(next.live, absolute(step.by, step.to));
      if (!("refused" in outcome) || agent?.residency !== "cold") return [next, outcome];
      const shown = withAgent(next.live, { ...agent, residency: "inspection", marks: ["read_only", "no_save"] });
      return [having(next, shown), outcome];
    },
  },
};
