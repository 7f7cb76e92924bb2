/**
 * What can be seen of a session, in the shapes that traces and protocol speak: texts by length and hash when they are
 * long, fields at their default left out. Remembered for each record: they never change.
 */
import type { Mail, Message, Owed, Result } from "../archive/archive.ts";
import { encodeRecord } from "../archive/codec.ts";
import { configText, sha256 } from "../config.ts";
import type {
  AgentView,
  Config,
  Encoded,
  Hash,
  MailView,
  MessageView,
  OwedView,
  Path,
  ResultView,
  RootView,
  StepOutcome,
  StoredAgentView,
  Text,
  View,
} from "../contract.ts";
import { RollcallError } from "../errors.ts";
import type { End } from "./decision.ts";
import { type Agent, activityOf, type Root, type State, storedOf } from "./state.ts";

/** Longer texts are shown by length and hash. */
const shownUnitsMax = 64;
const hashDigits = 16;

function textView(text: string): Text {
  return text.length <= shownUnitsMax ? text : { length: text.length, sha256: sha256(text).slice(0, hashDigits) };
}
function mailView({ kind, from, text, outcome, digest }: Mail): MailView {
  if (kind !== "result") return [kind, from, textView(text)];
  return [kind, from, outcome ?? "errored", digest ?? ""];
}
function messageView({ kind, turn, from, text }: Message): MessageView {
  return [kind, turn, from, textView(text)];
}
function resultView({ outcome, text, reason, partial }: Result): ResultView {
  return [outcome, textView(text), reason, partial === null ? null : textView(partial)];
}
function owedView({ turn, result }: Owed): OwedView {
  return [turn, result.outcome, textView(result.text)];
}
/** How an operation ended, as a step answers it. */
export function outcomeOf(end: End): StepOutcome {
  if ("quit" in end) return end;
  if ("refused" in end) return { refused: end.refused };
  if ("fault" in end) return { fault: end.fault, at: end.at };
  const { ok } = end;
  switch (ok.is) {
    case "started":
      return { ok: ok.path };
    case "history":
      return { ok: ok.messages.map(messageView) };
    case "inspected":
      return { ok: { messages: ok.messages, marks: ok.marks } };
    case "interrupted":
      return { ok: ok.seen };
    case "handled":
      return { ok: "done" };
  }
}

/** The member that `as` makes, or none where there is nothing to show. */
function some<Value, Shown, Member extends object>(
  values: readonly Value[],
  show: (value: Value) => Shown,
  as: (shown: readonly Shown[]) => Member,
): Partial<Member> {
  return values.length === 0 ? {} : as(values.map(show));
}
function count(messages: number): { readonly messages?: number } {
  return messages === 0 ? {} : { messages };
}

interface Shown {
  live?: AgentView;
  stored?: StoredAgentView | null;
}
/** What was shown before, by the record itself. One for each session. */
export interface Viewing {
  readonly shown: WeakMap<Agent, Shown>;
  readonly configs: WeakMap<Config, Hash>;
  readonly mails: WeakMap<Mail, MailView>;
}
export function beginViewing(): Viewing {
  return { shown: new WeakMap(), configs: new WeakMap(), mails: new WeakMap() };
}
function remembered<Key extends object, Value>(known: WeakMap<Key, Value>, key: Key, make: (key: Key) => Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make(key);
  known.set(key, made);
  return made;
}
function configHash(viewing: Viewing, config: Config): Hash {
  return remembered(viewing.configs, config, (each) => sha256(configText(each)).slice(0, hashDigits));
}
function mailViews(viewing: Viewing, mail: readonly Mail[]): { readonly mail?: readonly MailView[] } {
  return some(
    mail,
    (each) => remembered(viewing.mails, each, mailView),
    (mail) => ({ mail }),
  );
}

function agentView(viewing: Viewing, agent: Agent): AgentView {
  const { role, config, mail, owed, residency, marks, messages, phase } = agent;
  return {
    ...{ role, config: configHash(viewing, config), activity: activityOf(agent) },
    ...(phase.is === "admitted" ? { turn: phase.turn } : {}),
    ...(phase.is === "idle" && phase.result !== null ? { result: resultView(phase.result) } : {}),
    ...(phase.is === "admitted"
      ? some(
          phase.blockers,
          (each) => each.kind,
          (blockers) => ({ blockers }),
        )
      : {}),
    ...(phase.is === "admitted" && phase.waiter !== null ? { waiting: true } : {}),
    ...mailViews(viewing, mail),
    ...some(owed, owedView, (owed) => ({ owed })),
    ...(residency === "cold" ? {} : { residency }),
    ...(marks.length === 0 ? {} : { marks }),
    ...count(messages),
  };
}
function storedAgentView(viewing: Viewing, agent: Agent): StoredAgentView | null {
  const record = storedOf(agent);
  try {
    encodeRecord(record);
  } catch (error) {
    if (error instanceof RollcallError) return null;
    throw error;
  }
  const { role, config, activity, turns, result, undo, owed, mail, messages } = record;
  return {
    ...{ role, config: configHash(viewing, config), activity },
    ...(turns === 0 ? {} : { turns }),
    ...(result === null ? {} : { result: resultView(result) }),
    ...(undo === null ? {} : { undo: resultView(undo) }),
    ...some(owed, owedView, (owed) => ({ owed })),
    ...mailViews(viewing, mail),
    ...count(messages),
  };
}
function shownOf(viewing: Viewing, agent: Agent): Shown {
  return remembered(viewing.shown, agent, () => ({}));
}

function rootView(viewing: Viewing, root: Root): RootView {
  return {
    ...(root.waiter === null ? {} : { waiting: true }),
    ...mailViews(viewing, root.mail),
    ...count(root.messages),
  };
}
/** As far as it was looked at: `verify` looks at everything. */
export function viewOf(viewing: Viewing, state: State): View {
  const agents: { [path: Path]: AgentView } = {};
  for (const [path, agent] of state.agents) {
    const shown = shownOf(viewing, agent);
    shown.live ??= agentView(viewing, agent);
    agents[path] = shown.live;
  }
  return {
    ...{ mode: state.setting.mode, capacity: state.capacity, root: rootView(viewing, state.root), agents },
    ...(state.active === 0 ? {} : { active: state.active }),
    ...some(
      [...state.ops.values()],
      ({ op, gate }) => [op, gate] as const,
      (open) => ({ open }),
    ),
    ...(state.aside.size === 0 ? {} : { aside: Object.fromEntries(state.aside) }),
  };
}

/** What a commit would write: every record goes through the codec. L9 */
export function encodedOf(viewing: Viewing, state: State): Encoded {
  const agents: { [path: Path]: StoredAgentView } = {};
  for (const [path, agent] of state.agents) {
    const shown = shownOf(viewing, agent);
    if (shown.stored === undefined) shown.stored = storedAgentView(viewing, agent);
    if (shown.stored === null) return { fault: "record_invalid", at: path };
    agents[path] = shown.stored;
  }
  const { mail, messages } = state.root;
  return { ok: { capacity: state.capacity, root: { ...mailViews(viewing, mail), ...count(messages) }, agents } };
}
