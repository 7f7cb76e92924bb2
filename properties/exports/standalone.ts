/** A story as one standalone test for Vitest, pytest or ERT: a comment with the story, the places for the host's own functions, expectations. */
import type { Trace } from "../trace.ts";
import { type Beat, beatsOf } from "./beats.ts";
import { ertOf } from "./ert.ts";

export const frameworks = ["vitest", "pytest", "ert"] as const;
export type Framework = (typeof frameworks)[number];

/** Where a host writes what it does; whoever exports a story again keeps what stands between the marks. */
export const marks = { opens: ">>> YOUR REGISTRY", closes: "<<< YOUR REGISTRY" } as const;

const columns = 110;
function wrapped(text: string, mark: string): readonly string[] {
  const lines: string[] = [];
  let line = mark;
  for (const word of text.split(/\s+/)) {
    if (line.length + word.length + 1 > columns) {
      lines.push(line);
      line = mark;
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

function head({ why }: Trace, name: string, beats: readonly Beat[], mark: string): readonly string[] {
  const width = String(beats.length).length;
  return [
    `${mark} ${name}`,
    mark,
    ...wrapped(why, mark),
    mark,
    ...beats.map(({ says }, index) => `${mark} ${String(index + 1).padStart(width)}  ${says}`),
  ];
}

const contract = (trace: Trace): readonly string[] => [
  "Write `open_host` for your registry: it opens an empty one with the settings below and answers an object with the functions",
  "that this story calls. Each takes one object of named values, does that one thing, waits until your registry is at rest, and",
  "answers what came of it:",
  '  {"ok": value}       it was done; value as written below',
  '  {"stops": gate}     it waits for the world: for "hydrate" (a conversation to be read), "prepare" (the host\'s own check of',
  '                      the task), "dispatch" (the provider\'s set-up), "abort" or "handler"; `answer` is what the world says',
  '                      then. "answers" given with a call are said in advance: it does not stop there',
  '  {"refused": true}   your registry says no, and nothing has changed',
  '  {"failed": true}    something of the world failed;  {"quit": true}  the user gave up',
  "`seen` answers who is there: for each agent its activity, its last result as [outcome, text] or nothing, and its unread mail as",
  "[kind, from, text or outcome]; of /root the mail.  `saves` tries to write all of it, and answers whether that could be done.",
  `Settings: ${JSON.stringify({ capacity: trace.scope.capacity, roles: trace.scope.roles })}`,
];

const camel = (verb: string): string => verb.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function vitestOf(trace: Trace, name: string, beats: readonly Beat[]): string {
  const verbs = [...new Set(beats.map(({ verb }) => camel(verb)))];
  const step = ({ says, verb, given, answers, seen }: Beat, index: number): readonly string[] => [
    "",
    `  // ${index + 1}. ${says}`,
    `  expect(await host.${camel(verb)}(${JSON.stringify(given)})).toEqual(${JSON.stringify(answers)});`,
    ...(seen === null ? [] : [`  expect(await host.seen()).toEqual(${JSON.stringify(seen)});`]),
    ...(seen !== null && "closed" in seen ? [] : ["  expect(await host.saves()).toBe(true);"]),
  ];
  return [
    ...head(trace, name, beats, "//"),
    'import { expect, test } from "vitest";',
    "",
    `// ${marks.opens}`,
    ...contract(trace).map((line) => `// ${line.replace("open_host", "openHost")}`),
    "async function openHost() {",
    "  return {",
    ...[...verbs, "seen", "saves"].map((verb) => `    async ${verb}(given) { throw new Error("write ${verb}"); },`),
    "  };",
    "}",
    `// ${marks.closes}`,
    "",
    `test(${JSON.stringify(name)}, async () => {`,
    "  const host = await openHost();",
    ...beats.flatMap(step),
    "});",
    "",
  ].join("\n");
}

/** JSON as Python writes it. */
function python(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (value === true || value === false) return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${python(member)}`);
  return `{${members.join(", ")}}`;
}

function pytestOf(trace: Trace, name: string, beats: readonly Beat[]): string {
  const verbs = [...new Set(beats.map(({ verb }) => verb))];
  const step = ({ says, verb, given, answers, seen }: Beat, index: number): readonly string[] => [
    "",
    `    # ${index + 1}. ${says}`,
    `    assert host.${verb}(${python(given)}) == ${python(answers)}`,
    ...(seen === null ? [] : [`    assert host.seen() == ${python(seen)}`]),
    ...(seen !== null && "closed" in seen ? [] : ["    assert host.saves()"]),
  ];
  return [
    ...head(trace, name, beats, "#"),
    "",
    "",
    `# ${marks.opens}`,
    ...contract(trace).map((line) => `# ${line}`),
    "class Host:",
    ...verbs.map((verb) => `    def ${verb}(self, given):\n        raise NotImplementedError("write ${verb}")\n`),
    ...["seen", "saves"].map((verb) => `    def ${verb}(self):\n        raise NotImplementedError("write ${verb}")\n`),
    "",
    "def open_host():",
    "    return Host()",
    `# ${marks.closes}`,
    "",
    "",
    `def test_${name.replace(/\W+/g, "_")}():`,
    "    host = open_host()",
    ...beats.flatMap(step),
    "",
  ].join("\n");
}

export function standalone(trace: Trace, name: string, framework: Framework): string {
  const beats = beatsOf(trace);
  if (framework === "ert") {
    const wording = contract(trace).map((line) => line.replace("open_host", "open-host"));
    return ertOf(name, beats, head(trace, name, beats, ";;"), wording, marks);
  }
  return framework === "vitest" ? vitestOf(trace, name, beats) : pytestOf(trace, name, beats);
}
