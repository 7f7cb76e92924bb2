/**
 * A recorded story as what a test of somebody else's framework has to do and to expect: a call a step, what it answers, and who
 * is seen then. Out of the specification, step by step; nothing of Rollcall is left in it.
 */
import { begin, step as decide, view } from "../../model/index.ts";
import type { AgentView, MailView, Reply, View } from "../../src/contract.ts";
import { equal } from "../compare.ts";
import { digest } from "../digest.ts";
import { plainly, sentence } from "../explain/say.ts";
import type { Trace } from "../trace.ts";

/** What can be written in any language: JSON. */
type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };
type Members = { readonly [key: string]: Plain };

export interface Beat {
  /** In words. */
  readonly says: string;
  readonly verb: string;
  readonly given: Members;
  readonly answers: Members;
  /** Who is there then; `null` where that is as it was. */
  readonly seen: Members | null;
}

/** Hashes, events and names of our codes are ours; a host need not have them. */
const plain = (value: unknown): Plain => JSON.parse(JSON.stringify(value ?? null));
const mailOf = (mail: readonly MailView[] = []): Plain => mail.map((each) => plain(each.slice(0, 3)));

function answerOf(reply: Reply): Members {
  if ("refused" in reply) return { refused: true };
  if ("gate" in reply) return { stops: reply.gate };
  if ("fault" in reply) return { failed: true };
  if (!("ok" in reply)) return "quit" in reply ? { quit: true } : { crashed: true };
  const { ok } = reply;
  if (!Array.isArray(ok)) return { ok: plain(ok) };
  const isMail = (each: unknown): each is MailView => Array.isArray(each) && each[0] === "result" && each.length === 4;
  const isReply = (each: unknown): each is Reply => typeof each === "object" && each !== null && !Array.isArray(each);
  return {
    ok: ok.map((each) => (isMail(each) ? plain(each.slice(0, 3)) : isReply(each) ? answerOf(each) : plain(each))),
  };
}

function agentOf({ activity, result, mail }: AgentView): Plain {
  return { activity, result: result === undefined ? null : plain(result.slice(0, 2)), mail: mailOf(mail) };
}
function seenOf({ mode, root, agents = {} }: View): Members {
  if (mode === "closed") return { closed: true };
  const all = Object.entries(agents).map(([path, agent]) => [path, agentOf(agent)] as const);
  return { "/root": { mail: mailOf(root?.mail) }, ...Object.fromEntries(all) };
}

export function beatsOf({ scope, steps }: Trace): readonly Beat[] {
  let world = begin(digest, scope);
  let before: Members | null = null;
  return steps.map(([step]) => {
    const after = decide(world, step);
    world = after.world;
    const now = seenOf(view(world));
    const seen = equal(before, now) ? null : now;
    before = now;
    const { do: verb, ...rest } = step;
    const given: Members = Object(plain(rest));
    return { says: plainly(sentence(step)), verb, given, answers: answerOf(after.reply), seen };
  });
}
