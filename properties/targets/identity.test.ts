/**
 * What no view shows: ids and shared objects. False would be: an id that changes or is given twice, a configuration that
 * changes with the host's own object or is one object for two agents. L2, L27
 */
import { describe, expect, test } from "vitest";
import {
  type Config,
  memoryStore,
  openSession,
  type Provider,
  type Store,
  type StoredRecord,
} from "../../src/index.ts";

const role = () => ({
  instructions: "do",
  model: "m",
  effort: null,
  tools: [["core", "read"]],
  limits: {},
  parameters: { deep: { list: [1] } },
});
const registrars = [{ category: "core", names: () => ["read"], load: () => {} }];

async function stored(store: Store): Promise<readonly StoredRecord[]> {
  const archive = await store.open({ mode: "read", owner: "test", takeover: false, create: null });
  const rows = await archive.scan("/root", null, 100);
  await archive.close();
  return rows.flatMap((row) => ("record" in row ? [row.record] : []));
}

describe("identity is kept from spawn to the end", () => {
  test("every id is unique, and the same after turns, restores and evictions", async () => {
    const store = memoryStore();
    const open = () => openSession(store, { roles: { r: role() }, registrars, provider: { dispatch: () => {} } });
    let session = await open();
    for (const name of ["a", "b", "c"]) await session.root.spawn({ name, role: "r", text: "t" });
    const before = (await stored(store)).map(({ path, id }) => [path, id]);
    expect(new Set(before.map(([, id]) => id)).size).toBe(3);
    session.abandon();
    session = await open();
    await session.agent("/root/b").followUp("u");
    await session.agent("/root/c").evict();
    await session.close();
    expect((await stored(store)).map(({ path, id }) => [path, id])).toEqual(before);
  });

  test("a configuration is a copy for each agent, which nobody can change", async () => {
    const host = role();
    const given: Config[] = [];
    const provider: Provider = {
      dispatch: ({ config }) => {
        given.push(config);
      },
    };
    const store = memoryStore();
    const session = await openSession(store, { roles: { r: host }, registrars, provider });
    await session.root.spawn({ name: "a", role: "r", text: "t" });
    await session.root.spawn({ name: "b", role: "r", text: "t" });
    host.parameters.deep.list.push(2);
    host.tools.push(["core", "write"]);
    const [one, other] = given;
    expect(one).toEqual(role());
    expect(one?.parameters["deep"]).not.toBe(other?.parameters["deep"]);
    expect(() => Object.assign(one?.tools ?? {}, { 0: ["core", "write"] })).toThrow(TypeError);
    await session.close();
    expect((await stored(store)).map(({ config }) => config)).toEqual([role(), role()]);
  });
});
