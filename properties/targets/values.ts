/** What the public API answers, in the shapes of the contract. */
import type { Mail, Message, Result } from "../../src/archive/archive.ts";
import type { Code, MailView, MessageView, ResultView, StepOutcome } from "../../src/contract.ts";
import { RollcallError } from "../../src/errors.ts";
import { hash, shown } from "../digest.ts";
import { quitReason } from "./context.ts";

/** UTF-16 units of a mailed text. */
const mailedUnitsMax = 32_768;

export function mailed({ kind, from, text, outcome, digest }: Mail): MailView {
  if (kind !== "result") return [kind, from, shown(text)];
  // L18: within the bound, and the whole text where that is short.
  if (text.length > mailedUnitsMax)
    throw new Error(`a result of ${text.length} units was mailed, more than ${mailedUnitsMax}`);
  if (text.length < mailedUnitsMax / 2 && digest !== hash(text))
    throw new Error("a short result was mailed as another text");
  return ["result", from, outcome ?? "errored", digest ?? ""];
}

export const message = ({ kind, turn, from, text }: Message): MessageView => [kind, turn, from, shown(text)];

export const result = ({ outcome, text, reason, partial }: Result): ResultView => [
  outcome,
  shown(text),
  reason,
  partial === null ? null : shown(partial),
];

const refusing: (error: RollcallError) => StepOutcome = ({ kind, code, at }) => {
  const said: unknown = kind === "refused" ? { refused: code } : { fault: code, at };
  return said as StepOutcome; // the error's kind says which codes it may carry
};

/** Refused at what the caller named, which may be nothing. */
const named: readonly Code[] = [
  ...(["caller_unknown", "not_active", "path_malformed", "agent_unknown", "name_malformed", "role_unknown"] as const),
  ...(["not_waiting", "already_waiting"] as const),
];

/** What a rejection says, or the error itself where it says nothing that a caller could expect. */
export function rejected(error: unknown): StepOutcome {
  if (error instanceof RollcallError && error.at === "" && !named.includes(error.code))
    throw new Error(`${error.code} does not say where`);
  if (error instanceof RollcallError) return refusing(error);
  if (error === quitReason || (error instanceof DOMException && error.name === "AbortError")) return { quit: true };
  throw error;
}
