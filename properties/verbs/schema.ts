/** `rollcall schema`: the target protocol as JSON Schema. */
import { parseArgs } from "node:util";
import { exit, type Verb, verb } from "../io.ts";
import { protocolSchema } from "../targets/protocol-schema.ts";

const help = `
Prints the JSON Schema of everything that goes over the line between the checker and a target (properties/PROTOCOL.md). Its $defs name the
shapes: Request, Answer, Step, Reply, Scope, View, Encoded, Stored. The protocol has a version of its own, in the title.`;

export const schema: Verb = verb("schema", "schema", help, async (args, io) => {
  parseArgs({ args: [...args], options: {} });
  io.out(`${JSON.stringify(protocolSchema, null, 2)}\n`);
  return exit.held;
});
