#!/usr/bin/env node
/**
 * The command line: finds the verb, gives it what it may know of the world, and exits with its code. The only place that
 * reads the environment. Verbs are imported when they are called for, so that `list` does not wait for the checker.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { told } from "./failure.ts";
import { exit, exitHelp, type Io, printable, type Verb } from "./io.ts";

interface Listed {
  readonly usage: string;
  readonly says: string;
  readonly load: () => Promise<Verb>;
}
const verbs: { readonly [verb: string]: Listed } = {
  check: {
    usage: "check",
    says: "try generated stories on a registry and compare it with the specification",
    load: async () => (await import("./judge.ts")).check,
  },
  replay: {
    usage: "replay [FILES]",
    says: "play recorded stories again",
    load: async () => (await import("./judge.ts")).replay,
  },
  explain: {
    usage: "explain TRACE",
    says: "say why a recorded story fails, as text, page or diagram",
    load: async () => (await import("./judge.ts")).explain,
  },
  shrink: {
    usage: "shrink TRACE",
    says: "make a recorded story that fails as short as it can be",
    load: async () => (await import("./judge.ts")).shrink,
  },
  promote: {
    usage: "promote DRAFT",
    says: "record a story that failed, once it is mended",
    load: async () => (await import("./judge.ts")).promote,
  },
  explore: {
    usage: "explore",
    says: "go through every state of small worlds",
    load: async () => (await import("./judge.ts")).explore,
  },
  orders: {
    usage: "orders [THREADS]",
    says: "try what happens at the same time in every order",
    load: async () => (await import("./judge.ts")).orders,
  },
  faults: {
    usage: "faults",
    says: "hunt every fault there is, and say what finds it",
    load: async () => (await import("./judge.ts")).faults,
  },
  torture: {
    usage: "torture",
    says: "kill processes that use an archive, and look whether anything acknowledged is lost",
    load: async () => (await import("./judge.ts")).torture,
  },
  gate: {
    usage: "gate",
    says: "all three, with the budget and the seed of the gate",
    load: async () => (await import("./judge.ts")).gate,
  },
  history: {
    usage: "history REPO A..B",
    says: "replay stories on the commits of a repository, as a strip",
    load: async () => (await import("./judge.ts")).history,
  },
  export: {
    usage: "export FILE --as FORM",
    says: "write a recorded story as a test, or an archive as JSON lines",
    load: async () => (await import("./export.ts")).exported,
  },
  import: {
    usage: "import FILES",
    says: "read what a real session left behind as a partial trace",
    load: async () => (await import("./judge.ts")).importCaptures,
  },
  reproduce: {
    usage: "reproduce CAPTURE",
    says: "search what a capture allows for a race",
    load: async () => (await import("./judge.ts")).reproduce,
  },
  serve: {
    usage: "serve [TARGET]",
    says: "offer our registry over the line protocol",
    load: async () => (await import("./judge.ts")).serve,
  },
  schema: {
    usage: "schema",
    says: "print the line protocol as JSON Schema",
    load: async () => (await import("./judge.ts")).schema,
  },
  list: { usage: "list ARCHIVE", says: "who is in an archive", load: async () => (await import("./list.ts")).list },
  show: {
    usage: "show ARCHIVE PATH",
    says: "everything kept about one agent",
    load: async () => (await import("./show.ts")).show,
  },
  backup: {
    usage: "backup ARCHIVE NEW",
    says: "copy an archive, also one that is in use",
    load: async () => (await import("./salvage.ts")).backup,
  },
  salvage: {
    usage: "salvage ARCHIVE NEW",
    says: "write what is undamaged to a new archive, and say what is missing",
    load: async () => (await import("./salvage.ts")).salvage,
  },
  verify: {
    usage: "verify ARCHIVE",
    says: "read everything in an archive and report damage",
    load: async () => (await import("./verify.ts")).verify,
  },
};

function help(): string {
  const lines = Object.values(verbs).map(({ usage, says }) => `  ${usage.padEnd(20)} ${says}`);
  return `Usage: rollcall VERB [ARGUMENTS]\n\n${lines.join("\n")}\n
  VERB --help          what a verb takes
  --version            which rollcall this is

Colours are for terminals; NO_COLOR=1 turns them off.\n\n${exitHelp}`;
}

/** From the package's own file, however deep below it this one lies. */
function version(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, "package.json");
    if (!existsSync(file)) continue;
    const told: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof told === "object" && told !== null && "version" in told) return String(told.version);
  }
  return "unknown";
}

/** Resolves to the exit code; never rejects. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const [name = "", ...args] = argv;
  if (["--help", "-h", "help"].includes(name)) {
    io.out(help());
    return exit.held;
  }
  if (["--version", "-v"].includes(name)) {
    io.out(`${version()}\n`);
    return exit.held;
  }
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb === undefined) {
    io.err(name === "" ? help() : `rollcall: there is no verb ${printable(name)}\nTry: rollcall --help\n`);
    return exit.usage;
  }
  try {
    return await (await verb.load())(args, io);
  } catch (error) {
    return told(error, name, "", io);
  }
}

function processIo(): Io {
  const { env, stdout, stderr } = process;
  // The reader of a pipe may go first: that ends the writing, and is no failure of ours.
  for (const stream of [stdout, stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit();
      throw error;
    });
  }
  const isQuiet = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  const isForced = (env["FORCE_COLOR"] ?? "") !== "" && env["FORCE_COLOR"] !== "0";
  return {
    out: (text) => stdout.write(text),
    err: (text) => stderr.write(text),
    tty: stdout.isTTY === true,
    color: !isQuiet && (stdout.isTTY === true || isForced),
    columns: stdout.columns ?? 100,
    env,
  };
}

/** Whether this file is what was started, by its own name or through a link as package managers make. */
function isMain(): boolean {
  const started = process.argv[1];
  return started !== undefined && existsSync(started) && realpathSync(started) === fileURLToPath(import.meta.url);
}
// Not process.exit: what was written to a pipe may still be on its way.
if (isMain()) process.exitCode = await run(process.argv.slice(2), processIo());
