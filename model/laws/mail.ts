/** Mail: nothing starts a turn by it, nothing is lost, doubled, reordered, or in a mailbox where it does not belong. */
import type { MailView, Path } from "../../src/contract.ts";
import { type Books, booksOf, type Due, meets } from "./account.ts";
import type { Check } from "./law.ts";
import { said, same } from "./same.ts";
import { agentIn, agentsOf, holderIn, none, parentOf, type Side, sceneOf } from "./scene.ts";

/** L13. Not of a step that only writes to somebody. */
export const quiet: Check = (ledger, before, now) => {
  const { only, sides } = sceneOf(ledger, before, now);
  if (only === null) return null;
  const { step, outcome } = only;
  if (step.do !== "send" && step.do !== "execution" && step.do !== "steer") return null;
  if ("gate" in outcome) return `${step.do} waits for the world`;
  for (const side of sides)
    for (const path of side.changed) {
      const was = agentIn(side.before, path);
      const is = agentIn(side.now, path);
      if (was === undefined || is === undefined || !side.lasts) continue;
      if (was.turn !== is.turn) return `${step.do} led ${path} from turn ${was.turn} to ${is.turn}`;
      if (was.activity !== is.activity && was.waiting !== true)
        return `${step.do} made ${path} ${is.activity}, it was ${was.activity}`;
    }
  return null;
};

const mailOf = (side: Side, path: Path, when: "before" | "now"): readonly MailView[] =>
  holderIn(side[when], path)?.mail ?? none;

type Astray = readonly [path: Path, due: readonly Due[], is: readonly MailView[]];

/** Where a mailbox is not what the books say: nowhere, nearly always, and then nothing is made. */
function astray(books: Books, side: Side): readonly Astray[] {
  let found: Astray[] | null = null;
  const look = (path: Path): void => {
    const is = mailOf(side, path, "now");
    const due = books.boxes.get(path);
    if (due !== undefined) {
      if (due.length === is.length && due.every((each, i) => meets(each, is[i]))) return;
      found ??= [];
      found.push([path, due, is]);
      return;
    }
    const was = mailOf(side, path, "before");
    if (same(was, is)) return;
    found ??= [];
    found.push([path, was.map((mail) => ({ is: "kept", mail })), is]);
  };
  if (side.rootChanged || books.boxes.has("/root")) look("/root");
  for (const path of side.born) look(path);
  for (const path of side.changed) look(path);
  if (books.boxes.size > 0)
    for (const path of books.boxes.keys())
      if (
        path !== "/root" &&
        !side.born.includes(path) &&
        !side.changed.includes(path) &&
        agentIn(side.now, path) !== undefined
      )
        look(path);
  return found ?? none;
}

/** The same mail in whatever order. */
function reordered(due: readonly Due[], is: readonly MailView[]): boolean {
  if (due.length !== is.length) return false;
  const left = [...is];
  for (const each of due) {
    const at = left.findIndex((mail) => meets(each, mail));
    if (at < 0) return false;
    left.splice(at, 1);
  }
  return true;
}

/** L14. With several callbacks in one step their order among each other is not seen. */
export const ordered: Check = (ledger, before, now) => {
  const scene = sceneOf(ledger, before, now);
  if (scene.calls > 1) return null;
  for (const side of scene.sides) {
    if (!side.lasts) continue;
    for (const [path, due, is] of astray(booksOf(ledger, scene, side), side))
      if (reordered(due, is)) return `the mail of ${path} is ${said(is)}, it came as ${said(due)}`;
  }
  return null;
};

/** L15 */
export const conserved: Check = (ledger, before, now) => {
  const scene = sceneOf(ledger, before, now);
  for (const side of scene.sides) {
    if (!side.lasts) continue;
    const books = booksOf(ledger, scene, side);
    if (books.wrong !== null && scene.calls < 2) return books.wrong;
    for (const [path, due, is] of astray(books, side))
      if (!reordered(due, is)) return `the mail of ${path} is ${said(is)}, it should be ${said(due)}`;
    if (scene.only === null || scene.only.as !== side.as) continue;
    const { step, outcome } = scene.only;
    if (step.do === "sample" && "ok" in outcome) {
      const read = (holderIn(side.now, step.path)?.messages ?? 0) - (holderIn(side.before, step.path)?.messages ?? 0);
      const taken = mailOf(side, step.path, "before").length;
      if (read !== taken) return `sample of ${step.path} took ${taken} mails and wrote ${read} messages`;
    }
  }
  return null;
};

/** L16. Who may write what to whom; only mailboxes that changed are looked at. */
export const addressed: Check = (ledger, before, now) => {
  for (const side of sceneOf(ledger, before, now).sides) {
    if (side.rootChanged) {
      const wrong = belongs("/root", side.now.root?.mail);
      if (wrong !== null) return wrong;
    }
    const agents = agentsOf(side.now);
    for (const path of side.born) {
      const wrong = belongs(path, agents[path]?.mail);
      if (wrong !== null) return wrong;
    }
    for (const path of side.changed) {
      const wrong = belongs(path, agents[path]?.mail);
      if (wrong !== null) return wrong;
    }
  }
  return null;
};

function belongs(path: Path, mail: readonly MailView[] | undefined): string | null {
  if (mail === undefined) return null;
  for (const each of mail) {
    const [kind, from] = each;
    const right =
      kind === "mail" ||
      (kind === "user" && path === "/root" && from === "user") ||
      (kind === "result" && parentOf(from) === path) ||
      (kind === "execution" && (from === path || parentOf(from) === path));
    if (!right) return `${said(each)} is in the mailbox of ${path}`;
    if (kind === "mail" && from !== "/root" && !from.startsWith("/root/")) return `${said(each)} comes from nobody`;
  }
  return null;
}
