/** JUnit's XML, as CI servers read it: a suite each for what was judged, a case each for what could be wrong with it. */
import type { Case } from "./case.ts";

/** XML 1.0 has no way at all to write most control characters. */
function escaped(text: string): string {
  const marks: { readonly [mark: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  const plain = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd").toWellFormed();
  return plain
    .replace(/[&<>"]/g, (mark) => marks[mark] ?? mark)
    .replace(/\t|\n|\r/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

function line({ suite, name, is, what, at }: Case): string {
  const where = at === null ? "" : ` file="${escaped(at.file)}" line="${at.line}"`;
  const head = `    <testcase classname="${escaped(suite)}" name="${escaped(name)}"${where}`;
  if (is === "passed") return `${head}/>`;
  const message = escaped(what.split("\n")[0]?.trim() ?? "");
  if (is === "skipped") return `${head}><skipped message="${message}"/></testcase>`;
  return `${head}><failure message="${message}">${escaped(what)}</failure></testcase>`;
}

export function junit(cases: readonly Case[], ms: number): string {
  const count = (of: readonly Case[]): string =>
    `tests="${of.length}" failures="${of.filter(({ is }) => is === "failed").length}" skipped="${of.filter(({ is }) => is === "skipped").length}"`;
  const suites = [...new Set(cases.map(({ suite }) => suite))].map((name) => {
    const own = cases.filter(({ suite }) => suite === name);
    return `  <testsuite name="${escaped(name)}" ${count(own)} errors="0">\n${own.map(line).join("\n")}\n  </testsuite>`;
  });
  const head = `<testsuites name="rollcall" ${count(cases)} errors="0" time="${(ms / 1_000).toFixed(3)}">`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${head}\n${suites.join("\n")}\n</testsuites>\n`;
}
