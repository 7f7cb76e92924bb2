/**
 * What makes two worlds the same for exploration: everything but absolute numbers (turns, operations, epochs, clock), texts
 * and the lengths of conversations; and the names of siblings, which may be exchanged.
 */
import type { Path } from "../../src/contract.ts";
import type { Agent, Handle, Mail, Operation, Stored, Waiter, World } from "../state.ts";

/** From a path to the letter it goes by under one way of naming. */
export type Naming = { readonly [path: Path]: string };

interface Memo {
  readonly agents: WeakMap<Agent, string>;
  readonly stored: WeakMap<Stored, string>;
}
const memos: WeakMap<Naming, Memo> = new WeakMap();

/** The least of the keys under all namings. */
export function keyOf(world: World, namings: readonly Naming[]): string {
  let least = "";
  for (const naming of namings) {
    const key = named(world, naming);
    if (least === "" || key < least) least = key;
  }
  return least;
}

function named(world: World, naming: Naming): string {
  let memo = memos.get(naming);
  if (memo === undefined) {
    memo = { agents: new WeakMap(), stored: new WeakMap() };
    memos.set(naming, memo);
  }
  const { disk } = world;
  let key = `${disk.condition[0]}${disk.session[0]}${disk.capacity}|${mailKey(disk.root.mail, naming)}`;
  const parts: string[] = [];
  for (const path in disk.agents) {
    const stored = disk.agents[path];
    if (stored !== undefined)
      parts.push(`${naming[path]}${storedKey(memo, stored, naming)}${disk.damaged[path] ?? ""}`);
  }
  key += parts.length > 1 ? parts.sort().join(",") : parts.join("");
  for (const as in world.handles) {
    const handle = world.handles[as];
    if (handle !== undefined)
      key += `\n${as}${handle.epoch === disk.epoch ? "!" : ""}${handleKey(memo, handle, world, naming)}`;
  }
  return key;
}

function handleKey(memo: Memo, handle: Handle, world: World, naming: Naming): string {
  if (handle.is === "restoring") {
    const hydrated = Object.keys(handle.hydrated).map((path) => `${naming[path]}${handle.hydrated[path] ?? "ok"}`);
    return `?${naming[handle.path]}${handle.left.map((path) => naming[path]).join("")}:${hydrated.join("")}`;
  }
  const { root, capacity, mode, aside } = handle;
  let key = `${mode[0]}${capacity}${handle.registrars.length}${waiterKey(root.waiter)}|${mailKey(root.mail, naming)}`;
  const parts: string[] = [];
  for (const path in handle.agents) {
    const agent = handle.agents[path];
    if (agent !== undefined) parts.push(naming[path] + agentKey(memo, agent, world.disk.agents[path], naming));
  }
  key += parts.length > 1 ? parts.sort().join(",") : parts.join("");
  for (const path in aside) key += `-${naming[path]}${aside[path]}`;
  for (const op of handle.ops) key += opKey(op, handle.agents[op.path], naming);
  return key;
}

function agentKey(memo: Memo, agent: Agent, stored: Stored | undefined, naming: Naming): string {
  let key = memo.agents.get(agent);
  if (key === undefined) {
    key = liveKey(agent, naming);
    memo.agents.set(agent, key);
  }
  // What the turn has said and nobody has written yet can still be lost.
  return stored !== undefined && stored.messages.length !== agent.messages.length ? `${key}~` : key;
}

function liveKey(agent: Agent, naming: Naming): string {
  const { residency, turns, owed } = agent;
  let key = `${residency[0]}${turns === 0 ? "0" : ""}`;
  if (agent.is === "idle") key += `i${resultKey(agent.result)}`;
  else if (agent.is === "starting") key += `s${resultKey(agent.undo)}`;
  else {
    key += `a${agent.handler ? "h" : ""}${waiterKey(agent.waiter)}${isSaid(agent) ? "'" : ""}`;
    for (const { kind, token } of agent.blockers)
      key += kind[0] + (token === null ? "" : token.slice(token.lastIndexOf(".")));
  }
  for (const each of owed) key += `o${each.turn === turns ? "" : "-"}${resultKey(each.result)}`;
  return `${key}|${mailKey(agent.mail, naming)}`;
}

function storedKey(memo: Memo, stored: Stored, naming: Naming): string {
  const known = memo.stored.get(stored);
  if (known !== undefined) return known;
  const { activity, result, undo, owed, mail, turns } = stored;
  let key = `${activity}${resultKey(result)}/${resultKey(undo)}`;
  if (activity !== "idle" && activity !== "starting" && isSaid({ ...stored, turn: turns })) key += "'";
  for (const each of owed) key += `o${each.turn === turns ? "" : "-"}${resultKey(each.result)}`;
  key += `|${mailKey(mail, naming)}`;
  memo.stored.set(stored, key);
  return key;
}

/** Whether the turn under way has a partial answer. */
const isSaid = ({ messages, turn }: { readonly messages: Agent["messages"]; readonly turn: number }): boolean =>
  messages.some((each) => each.kind === "partial" && each.turn === turn);

const resultKey = (
  result: { readonly outcome: string; readonly reason: string | null; readonly partial: string | null } | null,
): string =>
  result === null ? "" : `${result.outcome[0]}${result.reason?.[0] ?? ""}${result.partial === null ? "" : "'"}`;

function mailKey(mail: readonly Mail[], naming: Naming): string {
  let key = "";
  for (const { kind, from, outcome } of mail) key += `${kind[0]}${naming[from] ?? from[0]}${outcome?.[0] ?? ""}`;
  return key;
}

const waiterKey = (waiter: Waiter | null): string => {
  if (waiter === null) return "";
  if (waiter.callback === null) return "w";
  return waiter.callback === "throws" ? "wt" : `w(${waiter.callback.then.do})`;
};

function opKey(op: Operation, agent: Agent | undefined, naming: Naming): string {
  const key = `#${naming[op.path]}${op.is[0]}${op.gate[0]}`;
  switch (op.is) {
    case "spawn":
    case "follow_up":
      return `${key}${op.handler ? "h" : ""}${op.held === null ? "" : op.held.outcome[0]}`;
    case "abort":
      return key + op.seen[0];
    case "handler":
      return key + (agent?.owed.findIndex((each) => each.turn === op.turn) ?? "");
    case "history":
    case "inspect":
      return key;
  }
}
