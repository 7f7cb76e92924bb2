/**
 * What goes over the line (see ../PROTOCOL.md): the requests, the answers, and the protocol's own version, which is not the
 * package's: it changes only where a target that was written for it would no longer be understood.
 */
import { z } from "zod";
import type { Counters, Encoded, Level, Reply, Scope, Step, StoredView, View } from "../../src/contract.ts";
import { replyAt, scope, step } from "../schema.ts";
import type { Capabilities } from "../target.ts";
import { capabilities, counters, encoded, storedView, view } from "./sights.ts";

export const protocolVersion = 1;
const protocol = z.literal(protocolVersion);

const wants = ["view", "encode", "stored"] as const;
export type Want = (typeof wants)[number];

const id = z.number();
const place = z.string();

/** By the key that tells them apart. */
export interface Requests {
  readonly hello: { readonly id: number; readonly hello: { readonly protocol: number } };
  readonly reset: { readonly id: number; readonly reset: Scope; readonly place: string };
  readonly apply: { readonly id: number; readonly apply: Step; readonly want: readonly Want[] };
  readonly resume: {
    readonly id: number;
    readonly resume: Scope;
    readonly place: string;
    readonly opening: number;
  };
  readonly counters: { readonly id: number; readonly counters: true };
  readonly picture: { readonly id: number; readonly picture: string };
  readonly close: { readonly id: number; readonly close: true };
}
export const requests: { readonly [kind in keyof Requests]: z.ZodType<Requests[kind]> } = {
  hello: z.strictObject({ id, hello: z.strictObject({ protocol }) }),
  reset: z.strictObject({ id, reset: scope, place }),
  apply: z.strictObject({ id, apply: step, want: z.array(z.enum(wants)).default([]) }),
  resume: z.strictObject({ id, resume: scope, place, opening: z.number().int().min(1) }),
  counters: z.strictObject({ id, counters: z.literal(true) }),
  picture: z.strictObject({ id, picture: z.string() }),
  close: z.strictObject({ id, close: z.literal(true) }),
};

export interface Applied {
  readonly reply: Reply;
  readonly view: View;
  readonly encode?: Encoded | null | undefined;
  readonly stored?: StoredView | null | undefined;
}
/** Below `house` a refusal's code is the target's own business, and may be a word of its own. */
export const appliedAt = (level: Level): z.ZodType<Applied> =>
  z.strictObject({ reply: replyAt(level), view, encode: encoded.nullish(), stored: storedView.nullish() });

/** Answers, without the id of their request. */
export const greeted: z.ZodType<{ readonly hello: { readonly name: string; readonly capabilities: Capabilities } }> =
  z.strictObject({ hello: z.strictObject({ protocol, name: z.string(), capabilities }) });
export const done: z.ZodType<{ readonly ok: true }> = z.strictObject({ ok: z.literal(true) });
export const counted: z.ZodType<{ readonly counters: Counters | null }> = z.strictObject({
  counters: counters.nullable(),
});
export const failed: z.ZodType<{ readonly error: string }> = z.strictObject({ error: z.string() });
