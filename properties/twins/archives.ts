/** Twins that write or read the archive wrongly: commits, codecs, restores, recovery, damage. */
import { isBelow, parent } from "../../model/refusals.ts";
import { change, having, holder } from "../../model/run.ts";
import { resultMail } from "../../model/settle.ts";
import type { Disk, Live, Stored } from "../../model/state.ts";
import { rules } from "../../model/step.ts";
import type { Twin } from "./twin.ts";

function mapped(disk: Disk, as: (stored: Stored) => Stored): Disk {
  return {
    ...disk,
    agents: Object.fromEntries(Object.entries(disk.agents).map(([path, stored]) => [path, as(stored)])),
  };
}

function without<Held>(
  held: { readonly [path: string]: Held },
  goes: (path: string) => boolean,
): { readonly [path: string]: Held } {
  return Object.fromEntries(Object.entries(held).filter(([path]) => !goes(path)));
}

export const failed_save_reported_ok: Twin = {
  does: "ignores that a commit was not written",
  breaks: [19, 39],
  faulty: {
    commit: (m, run, draft) => {
      const [next, failed] = rules.commit(m, run, draft);
      return failed !== null && "fault" in failed && failed.fault === "not_written"
        ? [having(next, draft), null]
        : [next, failed];
    },
  },
};

export const start_half_persisted: Twin = {
  does: "writes a start and forgets the result it cleared",
  breaks: [10, 28, 39],
  faulty: {
    written: (m, disk, live) =>
      mapped(rules.written(m, disk, live), (stored) => (stored.undo === null ? stored : { ...stored, undo: null })),
  },
};

export const omitted_by_codec: Twin = {
  does: "accepts an execution to another owner than the root, and leaves it out of the archive",
  breaks: [15, 28, 39],
  faulty: {
    written: (m, disk, live) =>
      mapped(rules.written(m, disk, live), (stored) => ({
        ...stored,
        mail: stored.mail.filter(({ kind }) => kind !== "execution"),
      })),
  },
};

export const spoofed_execution: Twin = {
  does: "takes a stored mail with a foreign sender for an execution",
  breaks: [16, 30],
  faulty: {
    decode: (m, world, live) => {
      const { damaged } = world.disk;
      const trusted = without(damaged, (path) => damaged[path] === "mail_sender");
      return rules.decode(m, { ...world, disk: { ...world.disk, damaged: trusted } }, live);
    },
  },
};

export const drops_valid_sibling: Twin = {
  does: "one bad record rejects the rest",
  breaks: [30],
  faulty: {
    decode: (m, world, live) => {
      const { agents, aside } = rules.decode(m, world, live);
      const bad = Object.keys(aside).map(parent);
      return { agents: without(agents, (path) => bad.includes(parent(path))), aside };
    },
  },
};

export const orphan_in_silence: Twin = {
  does: "descendants of a bad record vanish without a report",
  breaks: [30],
  faulty: {
    decode: (m, world, live) => {
      const { agents, aside } = rules.decode(m, world, live);
      return { agents, aside: without(aside, (path) => Object.keys(aside).some((above) => isBelow(path, above))) };
    },
  },
};

export const aside_path_reused: Twin = {
  does: "a new agent may take the path of one that is set aside",
  breaks: [2, 30],
  faulty: { taken: (live, path) => rules.taken({ ...live, aside: {} }, path) },
};

const reversed = (live: Live): Live => {
  const agents = Object.entries(live.agents).map(
    ([path, agent]) => [path, { ...agent, mail: agent.mail.toReversed() }] as const,
  );
  return { ...live, root: { ...live.root, mail: live.root.mail.toReversed() }, agents: Object.fromEntries(agents) };
};

export const order_reversed: Twin = {
  does: "a restore delivers the newest first",
  breaks: [14, 28],
  faulty: { recovered: (m, world, restoring, decoded) => reversed(rules.recovered(m, world, restoring, decoded)) },
};

export const recovered_twice: Twin = {
  does: "a second restore sends a second result",
  breaks: [29],
  faulty: {
    recovered: (m, world, restoring, decoded) => {
      const again = Object.values(decoded.agents).filter(({ result }) => result?.reason === "abandoned");
      return again.reduce(
        (live, { path, result }) => {
          if (result === null) return live;
          return change(live, parent(path), { mail: [...holder(live, parent(path)).mail, resultMail(path, result)] });
        },
        rules.recovered(m, world, restoring, decoded),
      );
    },
  },
};

export const recovery_skips_partial: Twin = {
  does: "recovers without the partial answer",
  breaks: [29],
  faulty: {
    interrupted: (agent, reason) => {
      const result = rules.interrupted(agent, reason);
      return reason === "abandoned" ? { ...result, partial: null } : result;
    },
  },
};

export const turn_numbers_restart: Twin = {
  does: "turn numbers begin again after a restore",
  breaks: [2, 17],
  faulty: {
    recovered: (m, world, restoring, decoded) => {
      const live = rules.recovered(m, world, restoring, decoded);
      const agents = Object.entries(live.agents).map(([path, agent]) => [path, { ...agent, turns: 0 }] as const);
      return { ...live, agents: Object.fromEntries(agents) };
    },
  },
};

export const capacity_reset_by_restore: Twin = {
  does: "a restore takes the default capacity again",
  breaks: [28],
  faulty: {
    recovered: (m, world, restoring, decoded) => ({ ...rules.recovered(m, world, restoring, decoded), capacity: 3 }),
  },
};
