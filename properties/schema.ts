/**
 * The shapes of steps, replies and scopes as they come from outside: traces, the line protocol, a user's module. Strict and
 * closed, so that a misspelt key is an error and not a step that silently means less.
 */
import { z } from "zod";
import type {
  Answers,
  Event,
  Json,
  Level,
  Limits,
  RefusalCode,
  Reply,
  Scope,
  Step,
  StepOutcome,
  ToolRef,
  Value,
  Verb,
} from "../src/contract.ts";
import {
  answers,
  answersOf,
  archiveDamages,
  asideCodes,
  blockKinds,
  commitAnswers,
  faults,
  gates,
  outcomes,
  recordDamages,
  refusals,
  verbs,
  wakeReasons,
  warnings,
} from "./words.ts";

const path = z.string();
const count = z.number().int();
const json: z.ZodType<Json> = z.json();

const inAdvance: z.ZodType<Answers> = z.strictObject({
  hydrate: z.enum(answersOf.hydrate).exactOptional(),
  prepare: z.enum(answersOf.prepare).exactOptional(),
  dispatch: z.enum(answersOf.dispatch).exactOptional(),
  abort: z.enum(answersOf.abort).exactOptional(),
  handler: z.enum(answersOf.handler).exactOptional(),
});
const common = { as: z.string().min(1).exactOptional(), commit: z.enum(commitAnswers).exactOptional() };
const opening = { ...common, answers: inAdvance.exactOptional() };
const spoken = { text: z.string(), handler: z.boolean().exactOptional() };
const ended = { outcome: z.enum(outcomes), text: z.string() };
const last = count.exactOptional();

const steps: z.ZodType<readonly Step[]> = z.array(z.lazy(() => step));
const callback = z.union([z.literal("throws"), z.strictObject({ then: z.lazy(() => step) })]);

function form<Name extends Verb, Shape extends z.ZodRawShape>(
  name: Name,
  shape: Shape,
): z.ZodObject<{ do: z.ZodLiteral<Name> } & Shape, z.core.$strict> {
  return z.strictObject({ do: z.literal(name), ...shape });
}

/** The forms a verb has; most have one. */
const forms: { readonly [verb in Verb]: readonly z.ZodType<Step>[] } = {
  spawn: [form("spawn", { by: path, name: z.string(), role: z.string(), ...spoken, ...opening })],
  cancel: [form("cancel", { op: z.string(), ...common })],
  follow_up: [form("follow_up", { by: path, to: z.string(), ...spoken, ...opening })],
  say: [form("say", { path, turn: count, text: z.string(), ...common })],
  finish: [
    form("finish", { ...ended, path, turn: count, ...opening }),
    form("finish", { ...ended, op: z.string(), ...opening }),
  ],
  interrupt: [form("interrupt", { by: path, to: z.string(), ...opening })],
  block: [form("block", { path, kind: z.enum(blockKinds), ...common })],
  release: [form("release", { token: z.string(), ...common })],
  send: [form("send", { by: path, to: z.string(), text: z.string(), ...common })],
  execution: [form("execution", { owner: path, text: z.string(), ...common })],
  steer: [form("steer", { text: z.string(), ...common })],
  wait: [
    form("wait", { by: path, timeoutMs: z.number().exactOptional(), callback: callback.exactOptional(), ...common }),
  ],
  cancel_wait: [form("cancel_wait", { by: path, ...common })],
  elapse: [form("elapse", { ms: z.number().min(0), ...common })],
  sample: [form("sample", { path, ...common })],
  roster: [form("roster", { prefix: z.string().exactOptional(), ...common })],
  read_result: [form("read_result", { path, ...common })],
  read_history: [form("read_history", { path, last, ...opening })],
  inspect: [form("inspect", { path, ...opening })],
  evict: [form("evict", { path, ...common })],
  compact: [form("compact", { path, last, ...common })],
  change_role: [form("change_role", { role: z.string(), config: json, ...common })],
  set_capacity: [form("set_capacity", { capacity: z.number(), ...common })],
  save: [form("save", common)],
  verify: [form("verify", common)],
  fork: [form("fork", common)],
  close: [form("close", common)],
  crash: [form("crash", common)],
  restore: [
    form("restore", {
      mode: z.enum(["write", "read"]),
      registrars: z.array(z.string()).exactOptional(),
      takeover: z.boolean().exactOptional(),
      epoch: z.enum(commitAnswers).exactOptional(),
      ...opening,
    }),
  ],
  damage: [
    form("damage", { what: z.literal("record"), path, how: z.enum(recordDamages), ...common }),
    form("damage", { what: z.literal("session"), how: z.literal("malformed"), ...common }),
    form("damage", { what: z.literal("archive"), how: z.enum(archiveDamages), ...common }),
  ],
  mend: [
    form("mend", { what: z.literal("record"), path, ...common }),
    form("mend", { what: z.enum(["session", "archive"]), ...common }),
  ],
  answer: [
    form("answer", { op: z.string(), gate: z.enum(gates), with: z.enum(answers), ...opening }).refine(
      ({ gate, with: how }) => answersOf[gate].some((each) => each === how),
      { message: "not an answer to this gate", path: ["with"] },
    ),
  ],
  together: [form("together", { steps, ...common })],
};

/** The commands with the fields of each, sorted: what a version of the specification can say. */
export const vocabulary: readonly (readonly [verb: Verb, fields: readonly string[]])[] = verbs.map((verb) => [
  verb,
  forms[verb].flatMap((form) => (form instanceof z.ZodObject ? Object.keys(form.shape) : [])).sort(),
]);

/** All of them: what is a step is one of these. */
export const stepForms: readonly z.ZodType<Step>[] = Object.values(forms).flat();

/** A step; what is wrong with one is said of the form of its verb that it misses least. */
export const step: z.ZodType<Step> = z.looseObject({ do: z.enum(verbs) }).transform((value, context): Step => {
  let nearest: readonly z.core.$ZodIssue[] | null = null;
  for (const one of forms[value.do]) {
    const read = one.safeParse(value);
    if (read.success) return read.data;
    if (nearest === null || read.error.issues.length < nearest.length) nearest = read.error.issues;
  }
  for (const { message, path: at } of nearest ?? []) context.addIssue({ code: "custom", message, path: [...at] });
  return z.NEVER;
});

/** Values are compared with what the model says and never used, so any JSON will do. */
const value: z.ZodType<Value> = z.json().transform((read) => read as Value); // compared, never trusted

const outcomeWith = (refused: z.ZodType<RefusalCode>): z.ZodType<StepOutcome> =>
  z.union([
    z.strictObject({ ok: value }),
    z.strictObject({ refused }),
    z.strictObject({ fault: z.enum(faults), at: z.string() }),
    z.strictObject({ quit: z.literal(true) }),
    z.strictObject({ crashed: z.literal(true) }),
    z.strictObject({ gate: z.enum(gates), op: z.string() }),
  ]);
const outcome = outcomeWith(z.enum(refusals));
/** A target that does not promise to refuse by the same codes may have codes of its own, which are only shown. */
const ownCode: z.ZodType<RefusalCode> = z.string().transform((read) => read as RefusalCode); // compared at level house only
const tool: z.ZodType<ToolRef> = z.tuple([z.string(), z.string()]);
export const event: z.ZodType<Event> = z.union([
  z.tuple([z.literal("woke"), path, z.enum(wakeReasons)]),
  z.tuple([z.literal("settled"), path, count]),
  z.tuple([z.literal("provider"), path, z.union([z.literal("stopped"), z.strictObject({ started: z.array(tool) })])]),
  z.tuple([z.literal("handled"), path, count]),
  z.tuple([z.literal("ended"), z.string(), outcome]),
  z.tuple([z.literal("then"), outcome]),
  z.tuple([z.literal("warned"), z.enum(warnings), z.string()]),
  z.tuple([z.literal("set_aside"), path, z.enum(asideCodes)]),
]);

/** What a step answers: the outcome's key beside `events`. */
const replyWith = (read: z.ZodType<StepOutcome>): z.ZodType<Reply> =>
  z.looseObject({ events: z.array(event).exactOptional() }).transform(({ events, ...rest }, context): Reply => {
    const { success, data } = read.safeParse(rest);
    if (success) return events === undefined ? data : { ...data, events };
    context.addIssue({
      code: "custom",
      message: "not an outcome: one of ok, refused, fault with at, quit, crashed, gate with op",
    });
    return z.NEVER;
  });
export const reply: z.ZodType<Reply> = replyWith(outcome);
const ownReply: z.ZodType<Reply> = replyWith(outcomeWith(ownCode));
export const replyAt = (level: Level): z.ZodType<Reply> => (level === "house" ? reply : ownReply);

const limit = z.number().int().positive().exactOptional();
export const limits: z.ZodType<Partial<Limits>> = z.strictObject({
  agentsMax: limit,
  operationsMax: limit,
  blockersMax: limit,
  mailMax: limit,
  textMax: limit,
});
export const scope: z.ZodType<Scope> = z.strictObject({
  capacity: z.number().int().positive(),
  limits: limits.exactOptional(),
  roles: z.record(z.string(), json),
  registrars: z.record(z.string(), z.strictObject({ category: z.string(), tools: z.array(z.string()) })),
  archive: z.enum(["memory", "sqlite"]),
  process: z.enum(["same", "fresh"]),
});
