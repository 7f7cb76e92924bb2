/**
 * Exported stories stand alone: three of them are told to three small hosts, in TypeScript by Vitest, in Python by pytest and in Emacs Lisp
 * by ERT; green for the host that is right, red for the one with the fault that the story is about. What is missing is skipped.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readWholeTrace, traceFiles } from "../../regressions/files.ts";
import { hostFaults, hostInLisp, hostInPython, hostInTypeScript } from "./hosts.ts";
import { type Framework, marks, standalone } from "./standalone.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const hasPytest = spawnSync("python3", ["-c", "import pytest"]).status === 0;
const hasEmacs = spawnSync("emacs", ["--version"]).status === 0;
const names = Object.keys(hostFaults);

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "rollcall-exported-"));
  writeFileSync(join(folder, "host.ts"), hostInTypeScript);
  writeFileSync(join(folder, "host.py"), hostInPython);
  writeFileSync(join(folder, "host.el"), `;; -*- lexical-binding: t -*-\n${hostInLisp}`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function exported(name: string, framework: Framework): Promise<string> {
  const file = (await traceFiles()).find((each) => each.includes(name)) ?? name;
  return standalone((await readWholeTrace(file)).trace, name, framework);
}
/** As somebody would who has a registry: what stands between the marks is theirs. */
function filled(text: string, own: string): string {
  const block = new RegExp(`^.*${marks.opens}[\\s\\S]*${marks.closes}$`, "m");
  expect(text).toMatch(block);
  return text.replace(block, () => own);
}

const inTypeScript = (fault: string) =>
  `import { hostWith } from "./host.ts";\nconst openHost = async () => hostWith("${fault}");`;
const inPython = (fault: string) =>
  `from host import Host\n\n\ndef open_host():\n    return Host(${fault === "" ? "" : `"${fault}"`})`;

/** By trace, whether its test passed. */
type Verdicts = { readonly [name: string]: boolean };

async function vitest(faultOf: (name: string) => string): Promise<Verdicts> {
  for (const name of names)
    writeFileSync(join(folder, `${name}.test.ts`), filled(await exported(name, "vitest"), inTypeScript(faultOf(name))));
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/VITEST|^TEST$|NODE_ENV/.test(key)));
  const out = join(folder, "out.json");
  const program = join(root, "node_modules/vitest/vitest.mjs");
  // The exported file imports vitest, as it would in a project that has it.
  const alias = join(folder, "vitest.config.mjs");
  writeFileSync(
    alias,
    `export default { resolve: { alias: { vitest: ${JSON.stringify(join(root, "node_modules/vitest"))} } } };\n`,
  );
  spawnSync(process.execPath, [program, "run", "--root", folder, "--reporter=json", `--outputFile=${out}`], { env });
  const read: { testResults: { assertionResults: { title: string; status: string }[] }[] } = JSON.parse(
    readFileSync(out, "utf8"),
  );
  const results = read.testResults.flatMap(({ assertionResults }) => assertionResults);
  return Object.fromEntries(results.map(({ title, status }) => [title, status === "passed"]));
}

async function pytest(faultOf: (name: string) => string): Promise<Verdicts> {
  const files: string[] = [];
  for (const name of names) {
    const file = `test_${name.replace(/\W/g, "_")}.py`;
    files.push(file);
    writeFileSync(join(folder, file), filled(await exported(name, "pytest"), inPython(faultOf(name))));
  }
  const ran = spawnSync("python3", ["-m", "pytest", "-v", "-p", "no:cacheprovider", ...files], { cwd: folder });
  const verdict = (file: string) => new RegExp(`^${file}::test_\\w+ (PASSED|FAILED)`, "m").exec(`${ran.stdout}`)?.[1];
  return Object.fromEntries(names.map((name, index) => [name, verdict(files[index] ?? "") === "PASSED"]));
}

function ert(faultOf: (name: string) => string): Promise<Verdicts> {
  return Promise.all(
    names.map(async (name) => {
      const own = `(load (expand-file-name "host.el" ${JSON.stringify(folder)}) nil t)\n(defun open-host () (host-with "${faultOf(name)}"))`;
      const file = join(folder, `${name}.el`);
      writeFileSync(file, filled(await exported(name, "ert"), own));
      const ran = spawnSync("emacs", ["-Q", "--batch", "-l", file, "-f", "ert-run-tests-batch-and-exit"]);
      expect(`${ran.stderr}`).toMatch(/^Ran 1 tests, /m);
      return [name, ran.status === 0] as const;
    }),
  ).then((verdicts) => Object.fromEntries(verdicts));
}

const all = (is: boolean): Verdicts => Object.fromEntries(names.map((name) => [name, is]));

describe("exported stories", () => {
  test("hold on the host in TypeScript, and each fails on its fault", async () => {
    expect(await vitest(() => "")).toEqual(all(true));
    expect(await vitest((name) => hostFaults[name] ?? "")).toEqual(all(false));
  }, 120_000);

  test.skipIf(!hasPytest)(
    `hold on the host in Python, and each fails on its fault${hasPytest ? "" : " (no pytest)"}`,
    async () => {
      expect(await pytest(() => "")).toEqual(all(true));
      expect(await pytest((name) => hostFaults[name] ?? "")).toEqual(all(false));
    },
    120_000,
  );

  test.skipIf(!hasEmacs)(
    `hold on the host in Emacs Lisp, and each fails on its fault${hasEmacs ? "" : " (no emacs)"}`,
    async () => {
      expect(await ert(() => "")).toEqual(all(true));
      expect(await ert((name) => hostFaults[name] ?? "")).toEqual(all(false));
    },
    120_000,
  );

  test("have nothing of Rollcall in them, and say the story and where to write", async () => {
    for (const framework of ["vitest", "pytest", "ert"] as const) {
      const text = await exported(names[0] ?? "", framework);
      expect(text).not.toMatch(/rollcall/i);
      expect(text).toContain("A reviewer that has a result is given a follow-up.");
      expect(text).toContain('root follows up on rev: "and the tests"');
      expect(text).toContain(marks.opens);
    }
  });

  test.skipIf(!hasEmacs)("can be made of every recorded story for Emacs, which reads them", async () => {
    const traces = await Promise.all((await traceFiles()).map(readWholeTrace));
    const texts = traces.map(({ trace }, index) => standalone(trace, `story-${index}`, "ert"));
    const file = join(folder, "all.el");
    writeFileSync(file, `;; -*- lexical-binding: t -*-\n${texts.join("\n")}`);
    const count = "(princ (length (ert-select-tests t t)))";
    const ran = spawnSync("emacs", ["-Q", "--batch", "-l", file, "--eval", count]);
    expect([`${ran.stdout}`, ran.status]).toEqual([`${texts.length}`, 0]);
  });

  test("can be made of every recorded story, and Python reads them", async () => {
    const texts = await Promise.all(
      (await traceFiles()).map(async (file) => standalone((await readWholeTrace(file)).trace, "a story", "pytest")),
    );
    for (const [index, text] of texts.entries()) writeFileSync(join(folder, `read_${index}.py`), text);
    if (hasPytest) expect(spawnSync("python3", ["-m", "compileall", "-q", folder]).status).toBe(0);
    expect(texts.every((text) => text.includes("def test_a_story"))).toBe(true);
  });
});
