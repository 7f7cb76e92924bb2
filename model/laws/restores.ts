/** Reopening: the session is the archive's, starts rolled back, abandoned turns settled once, bad records set aside. */
import type {
  AgentView,
  AsideCode,
  MailView,
  Path,
  RecordDamage,
  StoredAgentView,
  StoredView,
} from "../../src/contract.ts";
import { type Due, meets } from "./account.ts";
import { shows } from "./acts.ts";
import type { Check, Ledger, Seen } from "./law.ts";
import { said, same } from "./same.ts";
import { type Act, agentIn, agentsOf, isBelow, none, parentOf, type Side, sceneOf } from "./scene.ts";

interface Opening {
  readonly side: Side;
  readonly act: Act;
  readonly disk: StoredView | null;
}

/** A restore that was done in this step, whichever step began it. */
function opening(ledger: Ledger, before: Seen | null, now: Seen): Opening | null {
  const { sides, only } = sceneOf(ledger, before, now);
  if (only === null || before === null) return null;
  const side = sides.find((each) => each.as === only.as);
  if (side === undefined || !side.opens) return null;
  return { side, act: only, disk: now.stored === null ? ledger.acknowledged : before.stored };
}

const isAbandoned = ({ activity }: StoredAgentView): boolean => activity !== "idle" && activity !== "starting";

/** L28, across a restore: who is there, doing what, with which result; of a start that was cut off only where `undo` is shown. */
export const restored =
  (undoes: boolean): Check =>
  (ledger, before, now) => {
    const opened = opening(ledger, before, now);
    if (opened === null || opened.disk === null) return null;
    const { side, disk } = opened;
    const { now: view } = side;
    if (view.capacity !== disk.capacity) return `the capacity is ${view.capacity}, in the archive ${disk.capacity}`;
    if (view.root?.waiting === true) return "the root of a restored session waits";
    if (view.root?.messages !== disk.root.messages) return "the root's conversation is another than in the archive";
    for (const path in disk.agents) {
      const kept = disk.agents[path];
      const agent = agentIn(view, path);
      if (kept === undefined || view.aside?.[path] !== undefined) continue;
      if (agent === undefined) return `${path} is in the archive and not there`;
      if (agent.activity !== "idle") return `${path} is ${agent.activity} in a session just restored`;
      if (agent.messages !== kept.messages)
        return `${path} has ${agent.messages ?? 0} messages, in the archive ${kept.messages ?? 0}`;
      if (isAbandoned(kept)) continue;
      if (kept.activity === "starting" && !undoes) continue;
      const result = kept.activity === "starting" ? kept.undo : kept.result;
      if (!same(agent.result, result)) return `the result of ${path} is ${said(agent.result)}, it was ${said(result)}`;
      if (view.mode === "write" && agent.owed !== undefined) return `${path} still owes ${said(agent.owed)}`;
    }
    for (const path in agentsOf(view)) if (disk.agents[path] === undefined) return `${path} is not in the archive`;
    return view.mode === "write" && side.as === "w1" ? rewritten(ledger, now) : null;
  };

/** What a restore leaves is at once what the archive says: nothing is pending. */
function rewritten(ledger: Ledger, { stored, encoded, view }: Seen): string | null {
  if (stored === null || !("ok" in encoded)) return null;
  for (const path in encoded.ok.agents)
    if (ledger.tampered[path] === undefined && !same(encoded.ok.agents[path], stored.agents[path]))
      return `${path} is restored as ${said(encoded.ok.agents[path])}, the archive says ${said(stored.agents[path])}`;
  return same(encoded.ok.root, stored.root) ? null : `the root is restored as ${said(view.root)}`;
}

/** Where each mail should be, in order: what each owes, its abandoned turn, its own executions, by path. */
function mailboxes({ disk, side }: { readonly disk: StoredView; readonly side: Side }): Map<Path, Due[]> {
  const boxes = new Map<Path, Due[]>();
  const keep = (mail: readonly MailView[] | undefined): Due[] =>
    (mail ?? none).map((each) => ({ is: "kept", mail: each }));
  const paths = Object.keys(disk.agents).filter((path) => side.now.aside?.[path] === undefined);
  boxes.set("/root", keep(disk.root.mail));
  for (const path of paths) boxes.set(path, keep(disk.agents[path]?.mail));
  if (side.now.mode === "read") return boxes;
  for (const path of paths.sort()) {
    const kept = disk.agents[path];
    const above = boxes.get(parentOf(path));
    const box = boxes.get(path);
    if (kept === undefined || above === undefined || box === undefined) continue;
    for (const [, outcome] of kept.owed ?? none) above.push({ is: "result", from: path, outcome });
    if (!isAbandoned(kept)) continue;
    above.push({ is: "result", from: path, outcome: "interrupted" });
    const isOwn = (due: Due): boolean => due.is === "kept" && due.mail[0] === "execution" && due.mail[1] === path;
    above.push(...box.filter(isOwn));
    boxes.set(
      path,
      box.filter((due) => !isOwn(due)),
    );
  }
  return boxes;
}

type Amiss = "order" | "results" | "mail";
function amiss(due: readonly Due[], is: readonly MailView[]): Amiss | null {
  if (due.length === is.length && due.every((each, i) => meets(each, is[i]))) return null;
  const extra = [...is];
  const lacking = due.filter((each) => {
    const at = extra.findIndex((mail) => meets(each, mail));
    if (at >= 0) extra.splice(at, 1);
    return at < 0;
  });
  if (extra.length + lacking.length === 0) return "order";
  return lacking.every((each) => each.is === "result") && extra.every((mail) => mail[0] === "result")
    ? "results"
    : "mail";
}

function found(ledger: Ledger, before: Seen | null, now: Seen, what: Amiss): string | null {
  const opened = opening(ledger, before, now);
  if (opened === null || opened.disk === null) return null;
  for (const [path, due] of mailboxes({ ...opened, disk: opened.disk })) {
    const mail = (path === "/root" ? opened.side.now.root : agentIn(opened.side.now, path))?.mail ?? none;
    if (amiss(due, mail) === what) return `after the restore ${path} has ${said(mail)}, it should have ${said(due)}`;
  }
  return null;
}

/** L14 and L15, across a restore. */
export const reordered: Check = (ledger, before, now) => found(ledger, before, now, "order");
export const mislaid: Check = (ledger, before, now) => found(ledger, before, now, "mail");

/** L29 */
export const recovered: Check = (ledger, before, now) => {
  const opened = opening(ledger, before, now);
  if (opened === null) return null;
  const { side, act, disk } = opened;
  const told: Path[] = [];
  for (const event of act.events) {
    if (event[0] === "settled" && side.now.mode === "write") told.push(event[1]);
    else if (event[0] !== "set_aside") return `a restore did again: ${said(event)}`;
  }
  if (disk === null) return null;
  for (const path in disk.agents) {
    const kept = disk.agents[path];
    const agent = agentIn(side.now, path);
    if (kept === undefined || agent === undefined || !isAbandoned(kept)) continue;
    const wrong = side.now.mode === "read" ? shown(path, agent) : settled(ledger, path, agent, kept.turns ?? 0);
    if (wrong !== null) return wrong;
    if (side.now.mode === "write" && !told.includes(path)) return `${path} was recovered, and nobody was told`;
  }
  return found(ledger, before, now, "results");
};

const shown = (path: Path, { result }: AgentView): string | null =>
  result === undefined ? null : `${path} was active and shows ${said(result)} in a snapshot`;

function settled(ledger: Ledger, path: Path, { result }: AgentView, turn: number): string | null {
  if (result === undefined) return `${path} was abandoned and has no result`;
  const [outcome, text, reason, partial] = result;
  if (outcome !== "interrupted" || text !== "") return `${path} was abandoned, its result is ${said(result)}`;
  if (reason !== "abandoned")
    return reason?.startsWith("conversation_") === true && partial === null
      ? null
      : `${path} was abandoned, its result is ${said(result)}`;
  const known = saidBy(ledger, path, turn);
  if (known === null) return null;
  const right = known === "" ? partial === null : partial !== null && shows(partial, known);
  return right ? null : `${path} had said ${said(known)}, recovery says ${said(partial)}`;
}

/** What the archive has of an abandoned turn's text; `null`: not known. */
function saidBy(ledger: Ledger, path: Path, turn: number): string | null {
  const cut = ledger.cutOff[path];
  if (cut !== undefined && cut.turn === turn) return cut.said;
  for (const as in ledger.sessions) {
    const live = ledger.sessions[as]?.turns[path];
    if (live !== undefined && live.turn === turn) return live.said.slice(0, live.durable);
  }
  return null;
}

const codes: { readonly [how in RecordDamage]: AsideCode } = {
  malformed: "record_malformed",
  mail_sender: "record_malformed",
  active_with_result: "record_malformed",
  location: "record_malformed",
  checksum: "checksum",
  config: "config_malformed",
  tool: "tool_unknown",
  category: "category_foreign",
};

/** L30 */
export const setAside: Check = (ledger, before, now) => {
  const { sides, only } = sceneOf(ledger, before, now);
  for (const side of sides) {
    const aside = side.now.aside ?? {};
    if (side.lasts) {
      if (!same(side.before.aside, side.now.aside)) return `who is set aside has changed to ${said(aside)}`;
      const wrong =
        side.now.aside === undefined || side.acts.length === 0 || ledger.owner !== side.as
          ? null
          : keptAside(side, before, now);
      if (wrong !== null) return wrong;
    }
    if (only === null || only.as !== side.as) continue;
    if (only.step.do === "verify" && "ok" in only.outcome) {
      const rows = Object.keys(aside)
        .sort()
        .map((path) => [path, aside[path]]);
      if (!same(rows, only.outcome.ok)) return `verify answered ${said(only.outcome.ok)}, set aside are ${said(rows)}`;
    }
    if (!side.opens) continue;
    const wrong = reported(side, only) ?? right(ledger, side, only, before?.stored ?? ledger.acknowledged);
    if (wrong !== null) return wrong;
  }
  return null;
};

/** The row of a record that is set aside is not written. */
function keptAside(side: Side, before: Seen | null, now: Seen): string | null {
  if (before === null || before.stored === now.stored) return null;
  for (const path in side.now.aside)
    if (!same(before.stored?.agents[path], now.stored?.agents[path]))
      return `${path} is set aside and its row has changed`;
  return null;
}

function reported(side: Side, act: Act): string | null {
  const aside = side.now.aside ?? {};
  const told: { [path: string]: true } = {};
  for (const event of act.events) {
    if (event[0] !== "set_aside") continue;
    if (aside[event[1]] !== event[2]) return `${said(event)} was reported, set aside are ${said(aside)}`;
    told[event[1]] = true;
  }
  for (const path in aside) if (told[path] !== true) return `${path} was set aside in silence`;
  return null;
}

function right(ledger: Ledger, side: Side, act: Act, disk: StoredView | null): string | null {
  const aside = side.now.aside ?? {};
  const registrars = act.step.do === "restore" ? act.step.registrars : undefined;
  const unchecked = registrars === undefined ? ledger.sessions[side.as]?.registrars === "" : registrars.length === 0;
  for (const path in aside) {
    const code = aside[path];
    const how = ledger.damaged[path];
    const above = Object.keys(aside).some((other) => isBelow(path, other));
    const own = how === undefined || (unchecked && isTools(how)) ? null : codes[how];
    const tools = code === "tool_unknown" || code === "category_foreign";
    if (own !== null && !isTools(how)) {
      if (code !== own) return `${path} is set aside as ${code}, it is ${own}`;
    } else if (above) {
      if (code !== "parent_invalid") return `${path} is set aside as ${code}, and its parent is`;
    } else if (!tools || unchecked) return `${path} is set aside as ${code} for no reason`;
  }
  if (disk === null) return null;
  for (const path in disk.agents) {
    if (aside[path] !== undefined) continue;
    const how = ledger.damaged[path];
    if (how !== undefined && !(unchecked && isTools(how))) return `${path} is damaged (${how}) and not set aside`;
    if (Object.keys(aside).some((other) => isBelow(path, other))) return `${path} is there, and its parent set aside`;
  }
  return null;
}
const isTools = (how: RecordDamage | undefined): boolean => how === "tool" || how === "category";
