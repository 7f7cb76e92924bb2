/**
 * Where every mail and every owed result should be after a step, reckoned from where they were and from what was replied:
 * a mail arrives because somebody was told `ok`, leaves because it was sampled or its owner settled, and for no other reason.
 */
import type { Event, MailView, Outcome, OwedView, Path, Text } from "../../src/contract.ts";
import { handlerOf, shows } from "./acts.ts";
import type { Ledger } from "./law.ts";
import { same } from "./same.ts";
import { type Act, agentIn, holderIn, none, parentOf, type Scene, type Side, targetOf } from "./scene.ts";

/** A mail that must be there; a text that a view shows only hashed is compared as far as it can be. */
export type Due =
  | { readonly is: "kept"; readonly mail: MailView }
  | { readonly is: "text"; readonly kind: "mail" | "user" | "execution"; readonly from: string; readonly text: string }
  | { readonly is: "result"; readonly from: Path; readonly outcome: Outcome | null };
export interface Debt {
  readonly turn: number;
  readonly outcome: Outcome | null;
  readonly text: string | null;
}
export interface Books {
  readonly boxes: ReadonlyMap<Path, readonly Due[]>;
  readonly debts: ReadonlyMap<Path, readonly (OwedView | Debt)[]>;
  /** What samples said they took, where it is not what was there. */
  readonly wrong: string | null;
}

interface Draft {
  readonly ledger: Ledger;
  readonly scene: Scene;
  readonly side: Side;
  readonly boxes: Map<Path, readonly Due[]>;
  readonly debts: Map<Path, readonly (OwedView | Debt)[]>;
  wrong: string | null;
}

let last: { readonly ledger: Ledger; readonly side: Side; readonly books: Books } | null = null;

export function booksOf(ledger: Ledger, scene: Scene, side: Side): Books {
  if (last !== null && last.side === side && last.ledger === ledger) return last.books;
  const draft: Draft = { ledger, scene, side, boxes: new Map(), debts: new Map(), wrong: null };
  for (const act of side.acts) enter(draft, act);
  last = { ledger, side, books: draft };
  return draft;
}

const boxOf = ({ boxes, side }: Draft, path: Path): readonly Due[] =>
  boxes.get(path) ?? (holderIn(side.before, path)?.mail ?? none).map((mail) => ({ is: "kept", mail }));
const debtsOf = ({ debts, side }: Draft, path: Path): readonly (OwedView | Debt)[] =>
  debts.get(path) ?? agentIn(side.before, path)?.owed ?? none;
const arrive = (draft: Draft, path: Path, ...mail: readonly Due[]): void => {
  if (mail.length > 0) draft.boxes.set(path, [...boxOf(draft, path), ...mail]);
};

function enter(draft: Draft, act: Act): void {
  const { step, outcome, events } = act;
  if ("ok" in outcome && outcome.ok !== "late")
    switch (step.do) {
      case "send":
        arrive(draft, targetOf(step.by, step.to), { is: "text", kind: "mail", from: step.by, text: step.text });
        break;
      case "execution": {
        const text = step.text.toWellFormed();
        arrive(draft, step.owner, { is: "text", kind: "execution", from: step.owner, text });
        break;
      }
      case "steer":
        arrive(draft, "/root", { is: "text", kind: "user", from: "user", text: step.text });
        break;
      case "follow_up":
        if (typeof outcome.ok === "string" && !outcome.ok.startsWith("/"))
          arrive(draft, targetOf(step.by, step.to), { is: "text", kind: "mail", from: step.by, text: step.text });
        break;
      case "sample":
        sampled(draft, step.path, outcome.ok);
        break;
      case "answer":
        if (step.gate === "handler" && step.with === "throw") {
          const op = draft.ledger.sessions[draft.side.as]?.ops[step.op];
          if (op !== undefined) putBack(draft, op.path, op.turn);
        }
        break;
      default:
        break;
    }
  let ended = 0;
  for (const event of events) {
    if (event[0] === "settled") ended = settle(draft, act, event);
    else if (event[0] === "handled") {
      const turn = event[2];
      draft.debts.set(
        event[1],
        debtsOf(draft, event[1]).filter((each) => turnOf(each) !== turn),
      );
    } else if (event[0] === "warned" && event[1] === "handler_failed" && step.do !== "answer" && "ok" in outcome)
      putBack(draft, event[2], ended);
    else if (event[0] === "warned" && event[1] === "handler_failed" && step.do === "answer" && step.gate !== "handler")
      putBack(draft, event[2], ended);
  }
}

function sampled(draft: Draft, path: Path, taken: unknown): void {
  const there = boxOf(draft, path);
  if (Array.isArray(taken) && (taken.length !== there.length || !there.every((due, i) => meets(due, taken[i]))))
    draft.wrong ??= `sample of ${path} answered other mail than was there`;
  draft.boxes.set(path, none);
}

const turnOf = (debt: OwedView | Debt): number => ("turn" in debt ? debt.turn : debt[0]);
const outcomeOf = (debt: OwedView | Debt): Outcome | null => ("turn" in debt ? debt.outcome : debt[1]);

function putBack(draft: Draft, path: Path, turn: number): void {
  const debts = debtsOf(draft, path);
  const debt = debts.find((each) => turnOf(each) === turn);
  if (debt === undefined) return;
  draft.debts.set(
    path,
    debts.filter((each) => each !== debt),
  );
  arrive(draft, parentOf(path), { is: "result", from: path, outcome: outcomeOf(debt) });
}

/** L16, L17: one result, to the parent or owed; then the executions that are the agent's own. */
function settle(draft: Draft, act: Act, [, path, turn]: Extract<Event, readonly ["settled", ...unknown[]]>): number {
  const { outcome, text } = endOf(draft.ledger, draft.scene, draft.side, act);
  const own: Due[] = [];
  const stays: Due[] = [];
  for (const due of boxOf(draft, path)) (isOwn(due, path) ? own : stays).push(due);
  if (own.length > 0) draft.boxes.set(path, stays);
  if (handlerOf(draft.ledger, draft.side, path, turn))
    draft.debts.set(path, [...debtsOf(draft, path), { turn, outcome, text }]);
  else arrive(draft, parentOf(path), { is: "result", from: path, outcome });
  arrive(draft, parentOf(path), ...own);
  return turn;
}

interface End {
  readonly outcome: Outcome | null;
  readonly text: string | null;
}
/** How the turn that this act settled ended, as far as the story says. */
export function endOf(ledger: Ledger, scene: Scene, side: Side, { step }: Act): End {
  if (scene.calls > 0) return { outcome: null, text: null };
  if (step.do === "finish") return { outcome: step.outcome, text: step.text.toWellFormed() };
  if (step.do === "interrupt" || (step.do === "answer" && step.gate === "abort"))
    return { outcome: "interrupted", text: "" };
  const held = step.do === "answer" ? (ledger.sessions[side.as]?.ops[step.op]?.held ?? null) : null;
  return held ?? { outcome: null, text: null };
}

function isOwn(due: Due, path: Path): boolean {
  switch (due.is) {
    case "kept":
      return due.mail[0] === "execution" && due.mail[1] === path;
    case "text":
      return due.kind === "execution" && due.from === path;
    case "result":
      return false;
  }
}

export function meets(due: Due, mail: MailView | undefined): boolean {
  if (mail === undefined) return false;
  switch (due.is) {
    case "kept":
      return same(due.mail, mail);
    case "text":
      return mail[0] === due.kind && mail[1] === due.from && mail.length === 3 && shows(mail[2], due.text);
    case "result":
      return mail[0] === "result" && mail[1] === due.from && (due.outcome === null || mail[2] === due.outcome);
  }
}

export function owes(debt: OwedView | Debt, owed: OwedView | undefined): boolean {
  if (owed === undefined) return false;
  if (!("turn" in debt)) return same(debt, owed);
  const text: Text | null = debt.text;
  return (
    owed[0] === debt.turn &&
    (debt.outcome === null || owed[1] === debt.outcome) &&
    (text === null || typeof text !== "string" || shows(owed[2], text))
  );
}
