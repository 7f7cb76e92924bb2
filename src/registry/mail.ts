/**
 * Mail on its way: sent, handed in by the world, steered by the user, sampled into the conversation. One mail, one
 * commit, then the wake; never a turn. L13, L15, L20
 */
import type { Mail } from "../archive/archive.ts";
import type { MailKind, Path, WakeReason } from "../contract.ts";
import { rootPath } from "../paths.ts";
import { answer, commit, type Decide, type Decision, refuse } from "./decision.ts";
import { addMail, agentAt, append, type Draft, mailboxOf, removeMail } from "./draft.ts";
import { caller, isAdmitted, mailbox, mailboxAt, readOnly, resolve, room, text as textGuard } from "./guard.ts";
import { wake } from "./wait.ts";

interface Post {
  readonly kind: MailKind;
  readonly from: Path | "user";
  readonly to: Path;
  readonly text: string;
}
function post(draft: Draft, mail: Post, why: WakeReason): Decision<undefined> {
  addMail(draft, mail);
  wake(draft, mail.to, why);
  return commit(undefined);
}

export function send(by: Path, to: string, text: string): Decide<undefined> {
  return (draft) => {
    const refused = readOnly(draft) ?? caller(draft, by);
    if (refused !== null) return { reply: refused };
    const owner = mailbox(draft, resolve(by, to), to);
    if (typeof owner !== "string") return { reply: owner };
    const late = textGuard(draft, text) ?? room(draft, owner, mailboxOf(draft, owner).length);
    if (late !== null) return { reply: late };
    return post(draft, { kind: "mail", from: by, to: owner, text }, "mailbox");
  };
}
/** A background process of an agent has finished; nothing refuses that. */
export function execution(owner: Path, text: string): Decide<undefined> {
  return (draft) => {
    const refused = readOnly(draft);
    if (refused !== null) return { reply: refused };
    const to = mailboxAt(draft, owner);
    if (typeof to !== "string") return { reply: to };
    return post(draft, { kind: "execution", from: to, to, text: text.toWellFormed() }, "mailbox");
  };
}
/** The user speaks to the root, while it waits. */
export function steer(text: string): Decide<undefined> {
  return (draft) => {
    const early = readOnly(draft) ?? textGuard(draft, text);
    if (early !== null) return { reply: early };
    if (draft.root.waiter === null) return { reply: refuse("not_waiting", rootPath) };
    const full = room(draft, rootPath, draft.root.mail.length);
    if (full !== null) return { reply: full };
    return post(draft, { kind: "user", from: "user", to: rootPath, text }, "user");
  };
}

/** The moment before the model is called: what is unread becomes part of the conversation, exactly that. L14 */
export function sample(path: Path): Decide<readonly Mail[]> {
  return (draft) => {
    const refused = readOnly(draft) ?? caller(draft, path);
    if (refused !== null) return { reply: refused };
    const agent = agentAt(draft, path);
    if (agent !== undefined && !isAdmitted(agent)) return { reply: refuse("not_active", path) };
    const unread = mailboxOf(draft, path);
    if (unread.length === 0) return answer([]);
    const turn = agent?.phase.turn ?? 0;
    removeMail(draft, path, unread);
    append(
      draft,
      path,
      unread.map(({ from, text }) => ({ kind: "mail", turn, from, text })),
    );
    return commit(unread);
  };
}
