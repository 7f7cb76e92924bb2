/**
 * Where what was found is told: text for people, JSON, JUnit and annotations for programs, several at once, each to standard
 * output or to a file. Only one of them may have standard output to itself.
 */
import { exit, type Io } from "../io.ts";
import { Unusable } from "../unusable.ts";
import { write } from "../verbs/drafts.ts";
import type { Case } from "./case.ts";
import { github } from "./github.ts";
import { junit } from "./junit.ts";

const kinds = ["text", "json", "junit", "github"] as const;
type Kind = (typeof kinds)[number];
interface Reporter {
  readonly kind: Kind;
  /** `null` is standard output. */
  readonly file: string | null;
}

export const reporterHelp = `  --reporter KIND text, json, junit or github, to standard output, or KIND=FILE; several may be given
                  [text; under GitHub Actions also github]
  --json FILE     the same as --reporter text --reporter json=FILE`;

export interface Reporting {
  /** For text: told at once, kept for a file, or dropped. */
  readonly io: Io;
  /** Tells the programs. */
  finish(cases: readonly Case[], json: object, ms: number): Promise<void>;
}

function parsed(given: string): Reporter {
  const [name = "", ...file] = given.split("=");
  const kind = kinds.find((each) => each === name);
  if (kind !== undefined && (file.length === 0 || file.join("=") !== ""))
    return { kind, file: file.length === 0 ? null : file.join("=") };
  const known = kinds.join(", ");
  throw new Unusable(exit.usage, `--reporter takes ${known}, or one of them and =FILE, not ${JSON.stringify(given)}`);
}

function reportersOf(given: readonly string[] | undefined, json: string | undefined, io: Io): readonly Reporter[] {
  const usual: readonly Reporter[] = [
    { kind: "text", file: null },
    ...(io.env["GITHUB_ACTIONS"] === "true" ? [{ kind: "github", file: null } as const] : []),
  ];
  const all: readonly Reporter[] = [
    ...(given === undefined ? usual : given.map(parsed)),
    ...(json === undefined ? [] : [{ kind: "json", file: json } as const]),
  ];
  const alone = all.filter(({ kind, file }) => file === null && (kind === "json" || kind === "junit"));
  const [whole] = alone;
  if (whole !== undefined && all.filter(({ file }) => file === null).length > 1)
    throw new Unusable(exit.usage, `${whole.kind} has standard output to itself: give the others a file, as text=FILE`);
  return all;
}

export function reporting(given: readonly string[] | undefined, json: string | undefined, io: Io): Reporting {
  const reporters = reportersOf(given, json, io);
  const isShown = reporters.some(({ kind, file }) => kind === "text" && file === null);
  const files = reporters.filter(({ kind, file }) => kind === "text" && file !== null);
  let text = "";
  const out = (more: string): void => {
    if (isShown) io.out(more);
    text += more;
  };
  const started = performance.now();
  return {
    // A file has no colours; where both are asked for, what is shown decides.
    io: { ...io, out, color: io.color && isShown && files.length === 0 },
    finish: async (cases, found, ms = performance.now() - started) => {
      const texts: { readonly [kind in Exclude<Kind, "text">]: () => string } = {
        json: () => `${JSON.stringify(found, null, 2)}\n`,
        junit: () => junit(cases, ms),
        github: () => github(cases, process.cwd()),
      };
      for (const { kind, file } of reporters) {
        if (kind === "text" && file === null) continue;
        const told = kind === "text" ? text : texts[kind]();
        if (file === null) io.out(told);
        else await write(file, told);
      }
    },
  };
}
