/** What a verb of the command line is given of the world, and how it ends when it cannot go on. */
import { Unusable } from "./unusable.ts";

export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Whether a person looks on: progress is for people. */
  readonly tty: boolean;
  readonly color: boolean;
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Resolves to the exit code. */
export type Verb = (args: readonly string[], io: Io) => Promise<number>;

export const exit = { held: 0, broken: 1, usage: 2, stale: 3, fault: 4 } as const;

const exits = `Exit codes
  0   it held, also when the budget was spent
  1   a difference, a broken law, a goal not reached
  2   wrong usage
  3   not deterministic, or a stale trace
  4   a fault of the world: a target that dies or cannot be opened
  70  a bug of rollcall
`;

/** A verb with its help, its usage errors said in one sentence, and nothing of ours thrown at a person. */
export function verb(name: string, usage: string, help: string, act: Verb): Verb {
  return async (args, io) => {
    if (args.includes("--help") || args.includes("-h")) {
      io.out(`Usage: rollcall ${usage}\n\n${help.trim()}\n\n${exits}`);
      return exit.held;
    }
    try {
      return await act(args, io);
    } catch (error) {
      const said = sentence(error);
      if (said === null) throw error;
      io.err(`rollcall ${name}: ${said.what}\n${said.exit === exit.usage ? `Try: rollcall ${name} --help\n` : ""}`);
      return said.exit;
    }
  };
}

function sentence(error: unknown): { readonly what: string; readonly exit: number } | null {
  if (error instanceof Unusable) return { what: error.message, exit: error.exit };
  // parseArgs says what it does not understand with codes of its own; how it would have it quoted helps nobody.
  const isUsage = error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
  return isUsage ? { what: error.message.split(/\. To specify|\n/)[0] ?? "", exit: exit.usage } : null;
}

/** A whole number of an option, or a sentence. */
export function whole(given: string | undefined, usual: number, option: string, least = 0): number {
  if (given === undefined) return usual;
  const read = Number(given);
  if (given.trim() !== "" && Number.isSafeInteger(read) && read >= least) return read;
  throw new Unusable(2, `${option} takes a whole number of at least ${least}, not ${JSON.stringify(given)}`);
}

export const grouped = (count: number): string => count.toLocaleString("en-US");
export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** "1 story", "2 stories". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** One line that is written over and over; nothing where nobody looks. */
export function progress(io: Io): { tell(line: string): void; done(): void } {
  let told = 0;
  return {
    tell: (line) => {
      const now = performance.now();
      if (!io.tty || now - told < 100) return;
      told = now;
      io.err(`\r\u001b[2K${line.slice(0, Math.max(20, io.columns - 1))}`);
    },
    done: () => {
      if (io.tty && told > 0) io.err("\r\u001b[2K");
    },
  };
}

/** Runs until it is done or a person has pressed Ctrl-C, who then sees what there was; a second Ctrl-C ends the process. */
export async function interruptible<Done>(act: (signal: AbortSignal) => Promise<Done>): Promise<Done> {
  const interrupted = new AbortController();
  const stop = (): void => {
    if (interrupted.signal.aborted) process.exit(130);
    interrupted.abort();
  };
  // Not `once`: whoever holds processes of a target on a leash sends a signal again that nobody listens to any more.
  process.on("SIGINT", stop);
  try {
    return await act(interrupted.signal);
  } finally {
    process.removeListener("SIGINT", stop);
  }
}
