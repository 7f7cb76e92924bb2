/** `rollcall serve`: our own registry behind the line protocol, for whoever wants to see the other side of it at work. */
import { exit, type Verb, verb } from "../io.ts";
import { serving } from "../targets/serving.ts";

const help = `
Speaks the target protocol (properties/PROTOCOL.md) on standard input and output: one JSON object a line, one answer for each.

  TARGET          sqlite: the registry over a file in the story's folder, with which another process can go on;
                  memory, model, twin:NAME: the others, which end with the process [sqlite]
  --fault NAME    of sqlite: cold_tool_dropped, tools are known only to a process that has used them

  rollcall check --target "rollcall serve"
  echo '{"id":1,"hello":{"protocol":1}}' | rollcall serve`;

export const serve: Verb = verb("serve", "serve [TARGET] [--fault NAME]", help, async (args) => {
  await serving(args);
  return exit.held;
});
