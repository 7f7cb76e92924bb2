/** Twins whose fault is work and not behaviour: production over memory with a port wrapped, so that only counting shows it. */
import type { Archive } from "../../src/archive/archive.ts";
import type { Store } from "../../src/index.ts";
import type { Target } from "../target.ts";
import { memoryPlaces } from "./places.ts";
import { productionTarget, usual } from "./production.ts";

export interface Wrapped {
  /** What the faulty one does, in a few words. */
  readonly does: string;
  readonly breaks: readonly number[];
  open(name: string): Target;
}

/** Reads the conversation of every valid idle record before anybody has asked. */
function eager(store: Store): Store {
  return {
    open: async (request) => {
      const archive = await store.open(request);
      return { ...archive, head: () => headAndAll(archive) };
    },
  };
}

async function headAndAll(archive: Archive): ReturnType<Archive["head"]> {
  const head = await archive.head();
  for (const row of await archive.scan("/root", null, 1_000)) {
    if (!("record" in row) || row.record.activity !== "idle") continue;
    await archive.messages({ path: row.path, location: row.record.location, intent: "inspection" });
  }
  return head;
}

/** Another archive where its commits or its counts are changed on the way. */
function altered(change: (archive: Archive) => Partial<Archive>): (store: Store) => Store {
  return (store) => ({
    open: async (request) => {
      const archive = await store.open(request);
      return { ...archive, ...change(archive) };
    },
  });
}

/** Mails a result that is too long with the whole place where it is kept, however long that is. */
const overlong = altered((archive) => ({
  commit: (commit) => {
    const mailAdded = commit.mailAdded.map((mail) =>
      mail.kind === "result" && mail.text.includes("characters left out here")
        ? { ...mail, text: `${mail.text}[${"agents/of/a/session/".repeat(50)}]` }
        : mail,
    );
    return archive.commit({ ...commit, mailAdded });
  },
}));

/** Counts a configuration again with every further agent that has it, as it would be if each had its own. */
const repeated = altered((archive) => {
  const [agents, known] = [new Set<string>(), new Set<string>()];
  let repeats = 0;
  return {
    commit: async (commit) => {
      await archive.commit(commit);
      for (const { path, config } of commit.records) {
        const text = JSON.stringify(config);
        if (!agents.has(path) && known.has(text)) repeats += text.length;
        agents.add(path);
        known.add(text);
      }
    },
    bytesWritten: () => archive.bytesWritten() + repeats,
  };
});

export const wrapped: { readonly [name: string]: Wrapped } = {
  eager_hydration: {
    does: "a restore reads the conversations of idle agents",
    breaks: [31],
    open: (name) => productionTarget(name, memoryPlaces(), { ...usual, store: eager }),
  },
  bound_exceeded: {
    does: "a long location pushes a mailed result over its bound",
    breaks: [18],
    open: (name) => productionTarget(name, memoryPlaces(), { ...usual, store: overlong }),
  },
  config_repeated: {
    does: "equal configurations are written again for each agent",
    breaks: [],
    open: (name) => productionTarget(name, memoryPlaces(), { ...usual, store: repeated }),
  },
  save_storm: {
    does: "every block and release is a commit of its own",
    breaks: [37],
    open: (name) => {
      const target = productionTarget(name, memoryPlaces());
      return {
        ...target,
        apply: async (step) => {
          const reply = await target.apply(step);
          const flavour = (step.do === "block" || step.do === "release") && "ok" in reply && reply.ok !== "late";
          if (flavour) await target.apply({ do: "save", ...(step.as === undefined ? {} : { as: step.as }) });
          return reply;
        },
      };
    },
  },
};
