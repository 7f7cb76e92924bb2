/**
 * The other side of the line protocol (see ../PROTOCOL.md): a target of this process, offered over two streams. One answer a
 * line for each request, in order; at the end of the requests it lets go.
 */
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { Scope, Step } from "../../src/contract.ts";
import type { Target } from "../target.ts";
import { parse, parseJson } from "../trace.ts";
import { Unusable } from "../unusable.ts";
import { protocolVersion, requests, type Want } from "./protocol.ts";

export interface Offered {
  readonly target: Target;
  /** A story begins, or goes on in this process; its archive is in this folder. */
  reset(scope: Scope, place: string): Promise<void>;
  resume(scope: Scope, place: string, openings: number): Promise<void>;
  /** After each step. */
  applied(step: Step): void;
}

const what = "the request";

async function answer({ target, ...offered }: Offered, asked: { readonly [key: string]: unknown }): Promise<object> {
  if ("apply" in asked) {
    const { apply: one, want } = parse(requests.apply, asked, what, 4);
    const reply = await target.apply(one);
    offered.applied(one);
    return { reply, ...(await sights(target, want)) };
  }
  if ("counters" in asked) {
    parse(requests.counters, asked, what, 4);
    return { counters: await target.counters() };
  }
  if ("hello" in asked) {
    parse(requests.hello, asked, what, 4);
    return { hello: { protocol: protocolVersion, name: target.name, capabilities: target.capabilities } };
  }
  if ("reset" in asked) {
    const { reset, place } = parse(requests.reset, asked, what, 4);
    await offered.reset(reset, place);
  } else if ("resume" in asked) {
    const { resume, place, opening } = parse(requests.resume, asked, what, 4);
    await offered.resume(resume, place, opening);
  } else {
    parse(requests.close, asked, "the request, none of hello, reset, resume, apply, counters and close", 4);
    await target.close();
  }
  return { ok: true };
}

async function sights(target: Target, want: readonly Want[]): Promise<object> {
  const all: { [sight in Want]?: unknown } = {};
  for (const each of want) {
    const seen = await target[each]();
    if (seen !== null) all[each] = seen;
  }
  return all;
}

/** UTF-16 units of answers that wait for those to the requests behind them. */
const unsentUnitsMax = 65_536;

/** Ends with the requests, or after `close`. What came together is answered together: a write costs more than most answers. */
export async function offer(offered: Offered, input: Readable, output: Writable): Promise<void> {
  let rest = "";
  let unsent = "";
  const send = async (): Promise<void> => {
    const sent = unsent;
    unsent = "";
    if (!output.write(sent)) await once(output, "drain");
  };
  for await (const chunk of input.setEncoding("utf8")) {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [told, isLast] = await answered(offered, line);
      unsent += `${JSON.stringify(told)}\n`;
      if (isLast) return send();
      if (unsent.length > unsentUnitsMax) await send();
    }
    if (unsent !== "") await send();
  }
  await offered.target.close();
}

async function answered(offered: Offered, line: string): Promise<readonly [told: object, isLast: boolean]> {
  let named: unknown = null;
  try {
    const given = parseJson(line, what, 4);
    if (given === null || typeof given !== "object" || !("id" in given)) throw new Unusable(4, "a request has an id");
    named = given["id"];
    const told = await answer(offered, given);
    return [{ id: named, ...told }, "close" in given];
  } catch (error) {
    return [{ id: named, error: error instanceof Unusable ? error.message : `it failed: ${error}` }, false];
  }
}
