/**
 * What makes a record, a mail or a message impossible: the one check that runs when bytes are written and when they are
 * read. Each function answers the first flaw in words, or null. Types are checked too, since what is read may be anything.
 */
import { nameOfConfig } from "../config.ts";
import type { Path } from "../contract.ts";
import { isPath, parentOf, rootPath } from "../paths.ts";
import type { Mail, Message, Owed, Result, StoredRecord } from "./archive.ts";

export type Flaw = string | null;
/** A record without what is stored beside it, and what is counted, not stored. */
export type Trunk = Omit<StoredRecord, "config" | "mail" | "messages">;

const activities = ["idle", "starting", "running", "waiting", "permission_blocked", "interaction_blocked"];
const outcomes = ["completed", "errored", "interrupted"];
const mailKinds = ["mail", "result", "user", "execution"];
const messageKinds = ["task", "partial", "mail", "note"];
const digest = /^[0-9a-f]{16}$/;
/** Parts of a location: no separators of any system, nothing a shell or a file system reads in its own way. */
const locationPart = /^[A-Za-z0-9._-]+$/;

function isText(given: unknown): given is string {
  return typeof given === "string" && given.isWellFormed();
}
export function isCount(given: unknown, least = 0): given is number {
  return typeof given === "number" && Number.isSafeInteger(given) && given >= least;
}
function hasExactly(given: object, keys: readonly string[]): boolean {
  return Object.keys(given).length === keys.length && keys.every((key) => Object.hasOwn(given, key));
}

/** Session-relative, below `agents/`, never upwards: what it leads to is looked at when it is read. */
export function isLocation(given: unknown): given is string {
  if (typeof given !== "string" || !given.startsWith("agents/")) return false;
  return given
    .slice("agents/".length)
    .split("/")
    .every((part) => locationPart.test(part) && part !== "." && part !== "..");
}

const resultKeys = ["outcome", "text", "reason", "partial"];
function resultFlaw(result: Result): Flaw {
  if (typeof result !== "object" || !hasExactly(result, resultKeys)) return "a result has other fields than a result";
  if (!outcomes.includes(result.outcome)) return "a result has no known outcome";
  if (!isText(result.text)) return "a result has no well-formed text";
  if (result.reason !== null && !isText(result.reason)) return "a result's reason is not well-formed";
  if (result.partial !== null && !isText(result.partial)) return "a result's partial answer is not well-formed";
  return null;
}

function owedFlaw(owed: readonly Owed[], turns: number): Flaw {
  let last = 0;
  for (const each of owed) {
    if (typeof each !== "object" || each === null || !hasExactly(each, ["turn", "result"]))
      return "what is owed is no turn and result";
    if (!isCount(each.turn, 1) || each.turn > turns) return "a result is owed for a turn that never was";
    if (each.turn <= last) return "what is owed is not in order of settlement";
    if (each.result === null) return "a result is owed that is none";
    const flaw = resultFlaw(each.result);
    if (flaw !== null) return flaw;
    last = each.turn;
  }
  return null;
}

/** Everything but configuration, mail and the number of messages. */
export function trunkFlaw(record: Trunk): Flaw {
  const { path, activity } = record;
  if (!isText(record.id) || record.id === "") return "the id is not a text";
  if (typeof path !== "string" || path === rootPath || !isPath(path)) return "the path is malformed";
  if (record.parent !== parentOf(path)) return "the parent is not the path's"; // L1
  if (!isText(record.role)) return "the role is not a text";
  if (!activities.includes(activity)) return "the activity is unknown";
  if (!isCount(record.turns)) return "the number of turns is no number";
  if (activity !== "idle" && activity !== "starting" && record.turns === 0) return "a turn is under way that never was";
  if (!isLocation(record.location)) return "the location leaves agents/";
  if (record.result !== null && activity !== "idle") return "an active record has a result"; // L8
  if (record.undo !== null && activity !== "starting") return "there is something to give back, but no start";
  const flaw =
    (record.result === null ? null : resultFlaw(record.result)) ??
    (record.undo === null ? null : resultFlaw(record.undo));
  if (flaw !== null) return flaw;
  return Array.isArray(record.owed) ? owedFlaw(record.owed, record.turns) : "what is owed is no list";
}

const mailKeys = ["seq", "kind", "from", "to", "text", "at", "outcome", "digest"];
/** Who may send what to whom. L16 */
function senderFlaw({ kind, from, to }: Mail): Flaw {
  if (kind === "user")
    return from === "user" && to === rootPath ? null : "a user's mail goes from the user to the root";
  if (typeof from !== "string" || !isPath(from)) return "a mail's sender is no path";
  const isFromChild = from !== rootPath && parentOf(from) === to;
  if (kind === "result") return isFromChild ? null : "a result goes from child to spawn parent";
  if (kind === "execution" && from !== to && !isFromChild)
    return "an execution goes to its owner or its owner's parent";
  return null;
}
export function mailFlaw(mail: Mail): Flaw {
  if (typeof mail !== "object" || mail === null || !hasExactly(mail, mailKeys))
    return "a mail has other fields than a mail";
  if (!mailKinds.includes(mail.kind)) return "the kind of a mail is unknown";
  if (!isCount(mail.seq, 1)) return "a mail's number is no number";
  if (typeof mail.to !== "string" || !isPath(mail.to)) return "a mail's owner is no path";
  if (!isText(mail.text)) return "a mail's text is not well-formed";
  if (!isCount(mail.at)) return "a mail's time is no number";
  const isResult = mail.kind === "result";
  if (isResult !== outcomes.includes(mail.outcome ?? "") || isResult !== (mail.outcome !== null))
    return "outcome and result do not come together";
  if (isResult !== (mail.digest !== null)) return "digest and result do not come together";
  if (mail.digest !== null && !(typeof mail.digest === "string" && digest.test(mail.digest))) return "a digest is none";
  return senderFlaw(mail);
}
/** A mailbox holds its owner's mail only, each once, in order of arrival. */
export function mailboxFlaw(owner: Path, mails: readonly Mail[]): Flaw {
  if (!Array.isArray(mails)) return "the mail is no list";
  let last = 0;
  for (const mail of mails) {
    const flaw = mailFlaw(mail);
    if (flaw !== null) return flaw;
    if (mail.to !== owner) return "a mail is in another's mailbox";
    if (mail.seq <= last) return "the mail is not in order of arrival"; // L14
    last = mail.seq;
  }
  return null;
}

const messageKeys = ["kind", "turn", "from", "text", "at"];
export function messageFlaw(message: Message): Flaw {
  if (typeof message !== "object" || message === null || !hasExactly(message, messageKeys))
    return "a message has other fields than a message";
  if (!messageKinds.includes(message.kind)) return "a message's kind is unknown";
  if (!isCount(message.turn)) return "a message's turn is no number";
  if (message.from !== "user" && !(typeof message.from === "string" && isPath(message.from)))
    return "a message's sender is no path";
  if (!isText(message.text)) return "a message's text is not well-formed";
  return isCount(message.at) ? null : "a message's time is no number";
}

const recordKeys = [
  "id",
  "path",
  "parent",
  "role",
  "config",
  "activity",
  "result",
  "undo",
  "owed",
  "turns",
  "mail",
  "location",
  "messages",
];
/** Everything. */
export function recordFlaw(record: StoredRecord): Flaw {
  if (!hasExactly(record, recordKeys)) return "a record has other fields than a record";
  const flaw = trunkFlaw(record) ?? mailboxFlaw(record.path, record.mail);
  if (flaw !== null) return flaw;
  if (nameOfConfig(record.config) === null) return "the configuration is malformed";
  return isCount(record.messages) ? null : "the number of messages is no number";
}

export function capacityFlaw(capacity: unknown): Flaw {
  return isCount(capacity, 1) ? null : "the capacity is no positive number";
}
