/** Archives that are worth damaging: everything that a session can keep, made through the public interface; the same for a seed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Agent,
  type DispatchRequest,
  openSession,
  type Session,
  type SessionOptions,
  sqliteStore,
} from "../../../src/index.ts";
import { type Chance, chanceOf } from "../../torture/chance.ts";

export interface Base {
  readonly paths: readonly string[];
  /** The file of an archive that was closed. */
  readonly closed: Buffer;
  /** Of one whose owner died: the file, its log, and the mark that says there is one. */
  readonly left: { readonly file: Buffer; readonly log: Buffer; readonly mark: Buffer };
}

const config = {
  ...{ instructions: "Look closely.", model: "m", effort: null, tools: [["core", "read"]] },
  ...{ limits: { tokens: 10 }, parameters: { deep: { list: [1, "two"] } } },
};
export const host: Omit<SessionOptions, "provider"> = {
  roles: { r: config, other: { ...config, model: "n", effort: "high" } },
  registrars: [{ category: "core", names: () => ["read"], load: () => {} }],
  clock: { now: () => 1_000, after: () => () => {} },
  owner: "whoever made it",
};

const names = ["ann", "bob", "c", "d_1", "eve"];

export async function baseOf(folder: string, seed: number): Promise<Base> {
  const chance = chanceOf(seed, 0);
  const file = join(folder, `base-${seed}.rollcall`);
  const running: DispatchRequest[] = [];
  let ids = 0;
  const session = await openSession(sqliteStore(file, { durability: "full" }), {
    ...{ ...host, capacity: 100, ids: () => `id-${seed}-${++ids}` },
    provider: { dispatch: (request) => void running.push(request) },
  });
  const paths: string[] = [];
  const spawned = async (by: Agent, depth: number): Promise<void> => {
    for (const name of names.slice(0, 4 - depth - Math.sign(depth))) {
      if (depth > 0 && chance.in100(40)) continue;
      const handler = chance.in100(20) ? () => new Promise<void>(() => {}) : undefined;
      const role = chance.in100(80) ? "r" : "other";
      const child = await by.spawn({ name, role, text: textBy(chance), ...(handler === undefined ? {} : { handler }) });
      paths.push(child.path);
      if (depth < 2) await spawned(child, depth + 1);
    }
  };
  await spawned(session.root, 0);
  await lived(session, running, paths, chance);
  await session.save();
  // While it is open: as a kill would leave them.
  const left = { file: readFileSync(file), log: readFileSync(`${file}-wal`), mark: readFileSync(`${file}-log`) };
  await session.close();
  return { paths: ["/root", ...paths], closed: readFileSync(file), left };
}

/** Mail, turns, conversations; some agents stay in their turns. */
async function lived(
  session: Session,
  running: readonly DispatchRequest[],
  paths: readonly string[],
  chance: Chance,
): Promise<void> {
  for (const turn of running) {
    for (let said = chance.below(12); said > 0; said--) await turn.say(textBy(chance));
    if (chance.in100(20)) await turn.block("permission_blocked");
    else if (chance.in100(85)) await turn.finish(chance.in100(80) ? "completed" : "errored", textBy(chance));
  }
  for (const path of paths) {
    const agent = session.agent(path);
    for (let sent = chance.below(4); sent > 0; sent--)
      await agent.send(textBy(chance), { by: chance.of(paths) ?? path });
    if (chance.in100(30)) await session.execution(path, textBy(chance));
    if (chance.in100(30)) await agent.compact({ last: 1 + chance.below(3) }).catch(() => {});
    if (chance.in100(20)) await agent.sample().catch(() => {});
  }
  await session.root.sample();
  for (let sent = 3; sent > 0; sent--) await session.root.send(textBy(chance), { by: chance.of(paths) ?? "/root" });
}
function textBy(chance: Chance): string {
  const long = chance.in100(10) ? 6_000 : 120;
  const words = ["tests", "passed", "caf\u00e9", "\u0000", "\u{1F600}", "line\n", "once more"];
  let text = "t";
  for (let left = chance.below(long); left > 0; left -= 8) text += ` ${chance.of(words)}`;
  return text;
}
