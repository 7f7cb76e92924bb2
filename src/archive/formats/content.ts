/**
 * What the stored archive of each earlier format holds: written through the archive's own interface, so that today's code writes
 * the same and a migrated archive can be compared with it. For tests only.
 */
import type { Store } from "../archive.ts";
import { commit, config, mail, message, published, record, result } from "../samples.ts";

const long = "A line that says something, again and again.\n".repeat(200);

/** Agents of every kind, mail of every kind, a compacted conversation. */
export async function fillFormat(store: Store): Promise<void> {
  const archive = await store.open({ mode: "write", owner: "the old one", takeover: false, create: { capacity: 5 } });
  const other = { ...config, model: "another", parameters: { nested: [1, "two", { three: null }] } };
  await archive.commit(published("/root/a", { result: { ...result, text: long, partial: "so far" } }));
  await archive.commit(published("/root/a/b", { activity: "running", turns: 3 }));
  await archive.commit(published("/root/a/b/c", { config: other, activity: "starting", undo: result }));
  await archive.commit(published("/root/d", { config: other, owed: [{ turn: 1, result }] }));
  await archive.commit(published("/root/e", { result: { ...result, outcome: "errored", text: "", reason: "why" } }));
  const digest = "0123456789abcdef";
  await archive.commit(
    commit({
      mailAdded: [
        mail("/root", 1, { kind: "user", from: "user" }),
        mail("/root", 2, { kind: "result", from: "/root/a", outcome: "completed", digest, text: long }),
        mail("/root/a", 3, { kind: "execution", from: "/root/a" }),
        mail("/root/a", 4, { from: "/root/d", text: "caf\u00e9 \u0000 \ud83d\ude00" }),
        mail("/root/e", 5, { text: "soon read" }),
      ],
    }),
  );
  const at = { path: "/root/a", location: "agents/a" };
  const append = Array.from({ length: 30 }, (_, n) => message(`message ${n} of a`, { kind: "partial", at: n }));
  await archive.commit(commit({ messages: [{ ...at, append }] }));
  const note = message("21 messages compacted", { kind: "note", turn: 0, from: "/root/a" });
  await archive.commit(commit({ compact: { ...at, keep: 10, note } }));
  await archive.commit(
    commit({
      mailRemoved: [{ to: "/root/e", seq: 5 }],
      messages: [{ path: "/root", location: "root", append: [message("to the root", { kind: "mail", turn: 0 })] }],
      records: [record("/root/e", { result, turns: 2 })],
      capacity: 4,
    }),
  );
  await archive.close();
}
