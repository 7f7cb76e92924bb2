/** What can be seen of a world: views, what the live registry encodes to, what the archive holds. Defaults are left out. */
import type {
  AgentView,
  Encoded,
  MailView,
  MessageView,
  OwedView,
  Path,
  ResultView,
  StoredAgentView,
  StoredView,
  View,
} from "../src/contract.ts";
import { unencodable } from "./commit.ts";
import type { Rules } from "./rules.ts";
import type { Agent, Digest, Disk, Handle, Live, Mail, Message, Owed, Result, Root, Stored, World } from "./state.ts";

export const mailView = (digest: Digest, mail: Mail): MailView =>
  mail.kind === "result"
    ? ["result", mail.from, mail.outcome ?? "completed", digest.hash(mail.text)]
    : [mail.kind, mail.from, digest.text(mail.text)];
export const resultView = (digest: Digest, { outcome, text, reason, partial }: Result): ResultView => [
  outcome,
  digest.text(text),
  reason,
  partial === null ? null : digest.text(partial),
];
export const messageView = (digest: Digest, { kind, turn, from, text }: Message): MessageView => [
  kind,
  turn,
  from,
  digest.text(text),
];
const owedView = (digest: Digest, { turn, result }: Owed): OwedView => [turn, result.outcome, digest.text(result.text)];

/** By the digest and the rules that made it: what has not changed has the same view, which is what comparisons try first. */
class Views {
  readonly agents: WeakMap<Agent, AgentView> = new WeakMap();
  readonly stored: WeakMap<Stored, StoredAgentView> = new WeakMap();
}
const made: WeakMap<Digest, WeakMap<Rules, Views>> = new WeakMap();
const viewsOf = (m: Rules, digest: Digest): Views =>
  under(
    under(made, digest, () => new WeakMap()),
    m,
    () => new Views(),
  );

function under<K extends object, V>(map: WeakMap<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function agentView(m: Rules, digest: Digest, agent: Agent): AgentView {
  const stored = m.record(agent);
  const { role, config, mail, owed, messages, result } = stored;
  return {
    role,
    config: digest.config(config),
    activity: m.activity(agent),
    ...(agent.is === "admitted" ? { turn: agent.turn } : {}),
    ...(result === null ? {} : { result: resultView(digest, result) }),
    ...(agent.is === "admitted" && agent.blockers.length > 0
      ? { blockers: agent.blockers.map((each) => each.kind) }
      : {}),
    ...(agent.is === "admitted" && agent.waiter !== null ? { waiting: true as const } : {}),
    ...(mail.length === 0 ? {} : { mail: mail.map((each) => mailView(digest, each)) }),
    ...(owed.length === 0 ? {} : { owed: owed.map((each) => owedView(digest, each)) }),
    ...(agent.residency === "cold" ? {} : { residency: agent.residency }),
    ...(agent.marks.length === 0 ? {} : { marks: agent.marks }),
    ...(messages.length === 0 ? {} : { messages: messages.length }),
  };
}

function storedAgentView(digest: Digest, stored: Stored): StoredAgentView {
  const { role, config, activity, turns, result, undo, owed, mail, messages } = stored;
  return {
    role,
    config: digest.config(config),
    activity,
    ...(turns === 0 ? {} : { turns }),
    ...(result === null ? {} : { result: resultView(digest, result) }),
    ...(undo === null ? {} : { undo: resultView(digest, undo) }),
    ...(owed.length === 0 ? {} : { owed: owed.map((each) => owedView(digest, each)) }),
    ...(mail.length === 0 ? {} : { mail: mail.map((each) => mailView(digest, each)) }),
    ...(messages.length === 0 ? {} : { messages: messages.length }),
  };
}

const rootOf = (digest: Digest, { mail, messages }: Pick<Root, "mail" | "messages">): StoredView["root"] => ({
  ...(mail.length === 0 ? {} : { mail: mail.map((each) => mailView(digest, each)) }),
  ...(messages.length === 0 ? {} : { messages: messages.length }),
});

export const emptyView = (capacity: number): View => ({ mode: "write", capacity, root: {}, agents: {} });

function liveView(m: Rules, digest: Digest, live: Live): View {
  const views = viewsOf(m, digest);
  const agents: { [path: Path]: AgentView } = {};
  for (const path of Object.keys(live.agents)) {
    const agent = live.agents[path];
    if (agent !== undefined) agents[path] = under(views.agents, agent, () => agentView(m, digest, agent));
  }
  const active = m.active(live);
  return {
    mode: live.mode,
    capacity: live.capacity,
    ...(active === 0 ? {} : { active }),
    root: { ...(live.root.waiter === null ? {} : { waiting: true as const }), ...rootOf(digest, live.root) },
    agents,
    ...(live.ops.length === 0 ? {} : { open: live.ops.map(({ op, gate }) => [op, gate] as const) }),
    ...(Object.keys(live.aside).length === 0 ? {} : { aside: live.aside }),
  };
}

function handleView(m: Rules, digest: Digest, handle: Handle | undefined): View {
  if (handle === undefined) return { mode: "closed" };
  if (handle.is === "restoring") return { mode: "closed", open: [[handle.op, "hydrate"]] };
  return liveView(m, digest, handle);
}

/** The default handle's view, the others' beside it. */
export function viewOf(m: Rules, world: World): View {
  const own = handleView(m, world.digest, world.handles["w1"]);
  const names = Object.keys(world.handles).filter((as) => as !== "w1");
  if (names.length === 0) return own;
  const others: { [as: string]: View } = {};
  for (const as of names.sort()) others[as] = handleView(m, world.digest, world.handles[as]);
  return { ...own, others };
}

function storedView(digest: Digest, views: Views, disk: Pick<Disk, "capacity" | "root" | "agents">): StoredView {
  const agents: { [path: Path]: StoredAgentView } = {};
  for (const path of Object.keys(disk.agents)) {
    const stored = disk.agents[path];
    if (stored !== undefined) agents[path] = under(views.stored, stored, () => storedAgentView(digest, stored));
  }
  return { capacity: disk.capacity, root: rootOf(digest, disk.root), agents };
}

/** L9: what a commit would write now, set-aside records left out; of the default handle, or of the archive when it is closed. */
export function encodeOf(m: Rules, world: World): Encoded {
  const live = world.handles["w1"];
  if (live === undefined || live.is === "restoring") return { ok: storedOf(m, world) };
  const views = viewsOf(m, world.digest);
  const at = unencodable(m, live);
  if (at !== null) return { fault: "record_invalid", at };
  const agents: { [path: Path]: Stored } = {};
  for (const [path, agent] of Object.entries(live.agents)) agents[path] = m.record(agent);
  return { ok: storedView(world.digest, views, { capacity: live.capacity, root: live.root, agents }) };
}

/** What the archive holds, set-aside records too, damage unseen. */
export function storedOf(m: Rules, world: World): StoredView {
  return storedView(world.digest, viewsOf(m, world.digest), world.disk);
}
