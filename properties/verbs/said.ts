/** Runs a verb as a program would, not as a person at a terminal does, and keeps what it says: for tests. */
import type { Io, Verb } from "../io.ts";

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function saidWith(verb: Verb, args: readonly string[], env: Io["env"] = {}): Promise<Said> {
  const told = { out: "", err: "" };
  const write = (to: "out" | "err") => (text: string) => {
    told[to] += text;
  };
  const io: Io = { out: write("out"), err: write("err"), tty: false, color: false, columns: 100, env };
  return { code: await verb(args, io), ...told };
}
export const said = (verb: Verb, ...args: readonly string[]): Promise<Said> => saidWith(verb, args);
