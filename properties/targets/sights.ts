/**
 * The shapes of what a target in another process shows of itself: capabilities, views, what is encoded and stored, counters.
 * Steps, replies and scopes are in `../schema.ts`; as there, an unknown key is an error.
 */
import { z } from "zod";
import type {
  AgentView,
  Counters,
  Encoded,
  MailView,
  OwedView,
  ResultView,
  StoredAgentView,
  StoredView,
  Text,
  View,
} from "../../src/contract.ts";
import type { Pattern } from "../pattern.ts";
import type { Capabilities, Divergence } from "../target.ts";
import { answersOf, asideCodes, blockKinds, gates, outcomes, verbs } from "../words.ts";

const count = z.number().int().min(0);
const text: z.ZodType<Text> = z.union([z.string(), z.strictObject({ length: count, sha256: z.string() })]);
const outcome = z.enum(outcomes);
const mail: z.ZodType<MailView> = z.union([
  z.tuple([z.enum(["mail", "user", "execution"]), z.string(), text]),
  z.tuple([z.literal("result"), z.string(), outcome, z.string()]),
]);
const result: z.ZodType<ResultView> = z.tuple([outcome, text, z.string().nullable(), text.nullable()]);
const owed: z.ZodType<OwedView> = z.tuple([count, outcome, text]);
const activity = z.enum(["idle", "starting", "running", "waiting", ...blockKinds]);
const mails = z.array(mail).exactOptional();
const messages = count.exactOptional();
const truth = z.literal(true).exactOptional();

const agent: z.ZodType<AgentView> = z.strictObject({
  ...{ role: z.string(), config: z.string(), activity, turn: count.exactOptional(), result: result.exactOptional() },
  blockers: z.array(z.enum(["waiting", ...blockKinds])).exactOptional(),
  ...{ waiting: truth, mail: mails, owed: z.array(owed).exactOptional() },
  residency: z.enum(["inspection", "writable"]).exactOptional(),
  marks: z.array(z.enum(["read_only", "no_save"])).exactOptional(),
  messages,
});

export const view: z.ZodType<View> = z.strictObject({
  mode: z.enum(["write", "read", "closed"]),
  ...{ capacity: z.number().exactOptional(), active: count.exactOptional() },
  root: z.strictObject({ waiting: truth, mail: mails, messages }).exactOptional(),
  agents: z.record(z.string(), agent).exactOptional(),
  open: z.array(z.tuple([z.string(), z.enum(gates)])).exactOptional(),
  aside: z.record(z.string(), z.enum(asideCodes)).exactOptional(),
  others: z
    .record(
      z.string(),
      z.lazy(() => view),
    )
    .exactOptional(),
});

const storedAgent: z.ZodType<StoredAgentView> = z.strictObject({
  ...{ role: z.string(), config: z.string(), activity, turns: count.exactOptional() },
  ...{ result: result.exactOptional(), undo: result.exactOptional(), owed: z.array(owed).exactOptional() },
  ...{ mail: mails, messages },
});
export const storedView: z.ZodType<StoredView> = z.strictObject({
  capacity: z.number(),
  root: z.strictObject({ mail: mails, messages }),
  agents: z.record(z.string(), storedAgent),
});
export const encoded: z.ZodType<Encoded> = z.union([
  z.strictObject({ ok: storedView }),
  z.strictObject({ fault: z.literal("record_invalid"), at: z.string() }),
]);

export const counters: z.ZodType<Counters> = z.strictObject({
  ...{ conversationsHydrated: count, providerCalls: count, commits: count, bytesWritten: count, toolRuns: count },
});

const eventKinds = ["woke", "settled", "provider", "handled", "ended", "then", "warned", "set_aside"] as const;

const pattern: z.ZodType<Pattern> = z.record(z.string(), z.json());
export const divergence: z.ZodType<Divergence> = z.strictObject({
  kind: z.string().min(1),
  why: z.string().min(1),
  name: z.string().exactOptional(),
  step: pattern.exactOptional(),
});

/** What is left out has the value that the page on the protocol gives in brackets. */
export const capabilities: z.ZodType<Capabilities> = z.strictObject({
  level: z.enum(["core", "strict", "house"]).default("core"),
  verbs: z.array(z.enum(verbs)).exactOptional(),
  answers: z
    .strictObject({
      hydrate: z.array(z.enum(answersOf.hydrate)).exactOptional(),
      prepare: z.array(z.enum(answersOf.prepare)).exactOptional(),
      dispatch: z.array(z.enum(answersOf.dispatch)).exactOptional(),
      abort: z.array(z.enum(answersOf.abort)).exactOptional(),
      handler: z.array(z.enum(answersOf.handler)).exactOptional(),
    })
    .exactOptional(),
  passes: z.array(z.enum(gates)).exactOptional(),
  advance: z.array(z.enum(verbs)).exactOptional(),
  lacks: z.array(z.strictObject({ step: pattern, only: pattern.exactOptional(), why: z.string() })).exactOptional(),
  shims: z.array(z.strictObject({ name: z.string(), why: z.string(), on: z.boolean() })).exactOptional(),
  pictures: z.boolean().exactOptional(),
  nesting: z.enum(["any", "lifo"]).default("any"),
  hides: z
    .strictObject({
      fields: z.array(z.string()).exactOptional(),
      events: z.array(z.enum(eventKinds)).exactOptional(),
    })
    .exactOptional(),
  ...{ encodes: z.boolean().default(true), stores: z.boolean().default(true), commits: z.boolean().default(true) },
  ...{ handles: z.boolean().default(true), checksLate: z.boolean().default(false) },
  evicts: z.boolean().exactOptional(),
  rowBytes: z.number().int().positive().exactOptional(),
  abandonedStart: z.enum(["rolls_back", "interrupts"]).default("rolls_back"),
  diverges: z.array(divergence).exactOptional(),
});
