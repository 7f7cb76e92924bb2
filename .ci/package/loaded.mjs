// Which packages does `import "rollcall"` load? Every resolved address is recorded by a loader hook, every `require` by
// the module cache. Then `rollcall/check` is imported, which does load fast-check: a probe that sees nothing there is blind.
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, register } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const scratch = mkdtempSync(join(tmpdir(), "rollcall-loaded-"));
const log = join(scratch, "resolved");
writeFileSync(log, "");
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

const hook = `
  import { appendFileSync } from "node:fs";
  export async function resolve(specifier, context, next) {
    const found = await next(specifier, context);
    appendFileSync(${JSON.stringify(log)}, found.url + "\\n");
    return found;
  }`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

function packages() {
  appendFileSync(log, `${Object.keys(createRequire(import.meta.url).cache).join("\n")}\n`);
  const names = readFileSync(log, "utf8")
    .split("\n")
    .flatMap((url) => {
      const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
      return name === undefined ? [] : [name];
    });
  return new Set(names);
}

const registry = await import("rollcall");
assert.notEqual(Object.keys(registry).length, 0, "rollcall exports nothing");
const binding = /^(rollcall|libsql|@libsql\/.*|@neon-rs\/load|detect-libc)$/;
assert.deepEqual(
  [...packages()].filter((name) => !binding.test(name)),
  [],
);

const check = await import("rollcall/check");
assert.notEqual(Object.keys(check).length, 0, "rollcall/check exports nothing");
assert.ok(packages().has("fast-check"), "the probe does not see fast-check where it is loaded");
process.exit(0);
