/**
 * Telling bugs from taste: false would be that an implementation which differs in refusal codes and limits alone fails at core or
 * strict, passes at house, or has its differences not told; or that a real fault is taken for taste.
 */
import { describe, expect, test } from "vitest";
import type { Level, RefusalCode, Reply } from "../src/contract.ts";
import { type Checked, check } from "./check.ts";
import type { Io } from "./io.ts";
import type { Target } from "./target.ts";
import { judgedBy } from "./targets/leveled.ts";
import { modelTarget } from "./targets/model.ts";
import { targetNamed } from "./targets/named.ts";
import { summary } from "./verbs/say.ts";

const codes: { readonly [code in RefusalCode]?: RefusalCode } = {
  agent_unknown: "path_malformed",
  path_taken: "name_malformed",
  at_capacity: "agents_full",
  session_closed: "read_only",
};

function renamed(reply: Reply): Reply {
  const events = reply.events?.map((event) => (event[0] === "then" ? (["then", renamed(event[1])] as const) : event));
  const rest = events === undefined ? {} : { events };
  if ("refused" in reply) return { ...rest, refused: codes[reply.refused] ?? reply.refused };
  const isReplies =
    "ok" in reply && Array.isArray(reply.ok) && reply.ok.some((each) => Object(each) === each && !Array.isArray(each));
  if (!isReplies) return { ...reply, ...rest };
  return { ...rest, ok: (reply.ok as readonly Reply[]).map(renamed) }; // only a together answers objects
}

/** As the specification, with codes and limits of its own. */
function tasteful(level: Level): Target {
  const target = modelTarget("tasteful");
  return {
    ...target,
    capabilities: { ...target.capabilities, level },
    reset: ({ limits: _, ...scope }) => target.reset({ ...scope, limits: { mailMax: 2 } }),
    apply: async (step) => renamed(await target.apply(step)),
  };
}

const checked = (level: Level): Promise<Checked> => check({ runs: 200, seed: 5, open: () => tasteful(level) });
const io: Pick<Io, "color"> = { color: false };

describe("other codes and limits", () => {
  test.each(["core", "strict"] as const)("pass %s, with the differences listed", async (level) => {
    const found = await checked(level);
    expect(found.failed).toBeNull();
    expect(found.stories).toBe(200);
    const told = [...found.beyond.keys()];
    expect(told).toContain("refused path_malformed and not agent_unknown");
    expect(told).toContain("refused agents_full and not at_capacity");
    expect(told.some((what) => what.includes("mailbox_full, and the specification goes on"))).toBe(true);
    expect(told.some((what) => /is not \w+, and the specification says so/.test(what))).toBe(true);
    const said = summary(found, io);
    expect(said).toContain(`beyond ${level}, and no failure:`);
    expect(said).toMatch(/refused path_malformed and not agent_unknown: in \d+ stor/);
  });

  test("fail at house", async () => {
    const found = await checked("house");
    expect(found.failed?.failure.kinds).toContain("reply.refused");
    expect(found.beyond.size).toBe(0);
  });
});

test("production passes core with nothing to list", async () => {
  const found = await check({ runs: 60, seed: 5, open: judgedBy(await targetNamed("memory"), { level: "core" }) });
  expect([found.failed, [...found.beyond]]).toEqual([null, []]);
});

test.each(["quit_leaves_starting", "drain_clears_all", "recovered_twice"])(
  "%s is a fault at core, too",
  async (name) => {
    const open = judgedBy(await targetNamed(`twin:${name}`), { level: "core" });
    const { failed } = await check({ runs: 300, seed: 5, open, shrinksMax: 0 });
    expect(failed).not.toBeNull();
  },
);
