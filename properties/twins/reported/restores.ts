/** Twins from public reports that write, restore or recover wrongly. */
import { parent } from "../../../model/refusals.ts";
import type { Decoded } from "../../../model/rules.ts";
import { change, having, holder } from "../../../model/run.ts";
import { resultMail } from "../../../model/settle.ts";
import type { Live, Stored, World } from "../../../model/state.ts";
import { rules } from "../../../model/step.ts";
import type { Path } from "../../../src/contract.ts";
import type { Twin } from "../twin.ts";

const decodedAs = (decoded: Decoded, as: (stored: Stored) => Stored): Decoded => ({
  ...decoded,
  agents: Object.fromEntries(Object.entries(decoded.agents).map(([path, stored]) => [path, as(stored)])),
});
const rootAs = (world: World, root: Partial<World["disk"]["root"]>): World => ({
  ...world,
  disk: { ...world.disk, root: { ...world.disk.root, ...root } },
});
const depth = (path: Path): number => path.split("/").length - 2;

export const unread_lost_by_restore: Twin = {
  does: "a restore gives back who is there, and not their unread mail",
  breaks: [15, 28],
  faulty: {
    recovered: (m, world, restoring, decoded) =>
      rules.recovered(
        m,
        rootAs(world, { mail: [] }),
        restoring,
        decodedAs(decoded, (stored) => ({ ...stored, mail: [] })),
      ),
  },
};

export const restore_answers_early: Twin = {
  does: "says that it is open before what was abandoned is recovered",
  breaks: [],
  faulty: {
    restore: (m, world, step) => rules.restore(m, world, { ...step, answers: { hydrate: "ok", ...step.answers } }),
  },
};

export const restore_interrupts_all: Twin = {
  does: "takes every result for that of a turn that was cut off",
  breaks: [28],
  faulty: {
    recovered: (m, world, restoring, decoded) =>
      rules.recovered(
        m,
        world,
        restoring,
        decodedAs(decoded, (stored) => ({
          ...stored,
          result: stored.result === null ? null : { ...stored.result, outcome: "interrupted" },
        })),
      ),
  },
};

/** Sends the results of those again, from a session that was restored. */
function again(live: Live, chosen: readonly Stored[]): Live {
  return chosen.reduce((next, { path, result }) => {
    if (result === null) return next;
    return change(next, parent(path), { mail: [...holder(next, parent(path)).mail, resultMail(path, result)] });
  }, live);
}

export const interrupt_recovered_again: Twin = {
  does: "a restore settles a turn that was interrupted before once more",
  breaks: [17, 29],
  faulty: {
    recovered: (m, world, restoring, decoded) =>
      again(
        rules.recovered(m, world, restoring, decoded),
        Object.values(decoded.agents).filter(({ result }) => result?.reason === "interrupted"),
      ),
  },
};

export const results_sent_again: Twin = {
  does: "a restore mails every result that it finds, though it was read",
  breaks: [17, 28],
  faulty: {
    recovered: (m, world, restoring, decoded) =>
      again(
        rules.recovered(m, world, restoring, decoded),
        Object.values(decoded.agents).filter(({ activity }) => activity === "idle"),
      ),
  },
};

export const abandoned_runs_again: Twin = {
  does: "starts an abandoned turn again",
  breaks: [29],
  faulty: {
    restore: (m, world, step) => {
      const decided = rules.restore(m, world, step);
      const started = decided.events.flatMap((event) =>
        event[0] === "settled" ? [["provider", event[1], { started: [] }] as const] : [],
      );
      return { ...decided, events: [...decided.events, ...started] };
    },
  },
};

export const abandoned_counts_as_done: Twin = {
  does: "takes an abandoned turn for completed",
  breaks: [29],
  faulty: {
    interrupted: (agent, reason) => {
      const result = rules.interrupted(agent, reason);
      return reason === "abandoned" ? { ...result, outcome: "completed" } : result;
    },
  },
};

export const blocked_not_recovered: Twin = {
  does: "leaves a turn that waited for its user unsettled",
  breaks: [29],
  faulty: {
    decode: (m, world, live) =>
      decodedAs(rules.decode(m, world, live), (stored) =>
        stored.activity === "interaction_blocked" || stored.activity === "permission_blocked"
          ? { ...stored, activity: "idle" }
          : stored,
      ),
  },
};

export const nested_recovery_silent: Twin = {
  does: "recovers what lies below an agent and tells that agent nothing",
  breaks: [17, 29],
  faulty: {
    recovered: (m, world, restoring, decoded) => {
      const live = rules.recovered(m, world, restoring, decoded);
      const agents = Object.values(live.agents).map((agent) => {
        const mail = decoded.agents[agent.path]?.mail ?? agent.mail;
        return [agent.path, { ...agent, mail: agent.mail.slice(0, mail.length) }];
      });
      return { ...live, agents: Object.fromEntries(agents) };
    },
  },
};

export const only_children_restored: Twin = {
  does: "restores what is two levels below the root, and nothing deeper",
  breaks: [28, 30],
  faulty: {
    decode: (m, world, live) => {
      const { agents, aside } = rules.decode(m, world, live);
      return { agents: Object.fromEntries(Object.entries(agents).filter(([path]) => depth(path) <= 2)), aside };
    },
  },
};

export const set_aside_is_deleted: Twin = {
  does: "the next commit leaves out what was set aside",
  breaks: [30],
  faulty: {
    written: (m, disk, live) => {
      const written = rules.written(m, disk, live);
      const kept = Object.entries(written.agents).filter(([path]) => !Object.hasOwn(live.aside, path));
      return { ...written, agents: Object.fromEntries(kept) };
    },
  },
};

export const location_trusted: Twin = {
  does: "follows a location that leads out of the archive",
  breaks: [30],
  faulty: {
    decode: (m, world, live) => {
      const { damaged } = world.disk;
      const left = Object.fromEntries(Object.entries(damaged).filter(([, how]) => how !== "location"));
      return rules.decode(m, { ...world, disk: { ...world.disk, damaged: left } }, live);
    },
  },
};

export const fenced_writer_writes: Twin = {
  does: "a writer that lost its ownership goes on writing",
  breaks: [40],
  faulty: {
    commit: (m, run, draft) => rules.commit(m, having(run, { ...run.live, epoch: run.world.disk.epoch }), draft),
  },
};
