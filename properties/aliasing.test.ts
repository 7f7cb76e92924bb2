/**
 * A configuration is the agent's own from its spawn on. False would be: a host that changes the object it handed in, and by
 * that an agent, live or stored; or two agents of one role that share what one of them could change (L27).
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Answers, Scope, Step } from "../src/contract.ts";
import { registrars } from "./shape.ts";
import { targetNamed } from "./targets/named.ts";

const through: Answers = { hydrate: "ok", prepare: "ok", dispatch: "ok" };
const spawn = (name: string): Step => ({ do: "spawn", by: "/root", name, role: "r", text: "t", answers: through });
const later: readonly Step[] = [
  { do: "finish", path: "/root/a", turn: 1, outcome: "completed", text: "R" },
  { do: "follow_up", by: "/root", to: "/root/a", text: "u", answers: through },
  { do: "save" },
  { do: "crash" },
  { do: "restore", mode: "write", answers: { hydrate: "ok" } },
  { do: "verify" },
];
const changes = fc.constantFrom("instructions", "tools", "limits", "parameters", "deep");

test.each(["memory", "sqlite"])("what a host does to its role never reaches an agent: %s", async (name) => {
  const target = await (await targetNamed(name))();
  const untouched = fc.asyncProperty(changes, fc.nat({ max: later.length - 1 }), async (change, at) => {
    const deep = { list: [1, 2] };
    const role = {
      instructions: "do",
      model: "m",
      effort: null,
      tools: [["core", "read"]],
      limits: { n: 1 },
      parameters: { deep },
    };
    const scope: Scope = { capacity: 2, roles: { r: role }, registrars, archive: "memory", process: "same" };
    await target.reset(scope);
    await target.apply(spawn("a"));
    await target.apply(spawn("b"));
    const hashes = async () => Object.values((await target.view()).agents ?? {}).map(({ config }) => config);
    const before = await hashes();
    for (const [index, step] of later.entries()) {
      if (index === at) {
        if (change === "deep") deep.list.push(3);
        else if (change === "tools") role.tools.push(["web", "read"]);
        else if (change === "limits") role.limits.n = 2;
        else if (change === "parameters") Object.assign(role.parameters, { more: true });
        else role.instructions = "do otherwise";
      }
      expect(await target.apply(step)).not.toHaveProperty("fault");
      if (step.do !== "crash") expect(await hashes()).toEqual(before);
    }
  });
  await fc.assert(untouched, { numRuns: 30, seed: 20_261_130 }).finally(() => target.close());
});
