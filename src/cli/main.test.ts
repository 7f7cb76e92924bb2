// The command line as a whole: help, versions, exit codes, unknown verbs.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { run } from "./main.ts";

async function ran(...argv: readonly string[]) {
  const told = { out: "", err: "" };
  const write = (to: "out" | "err") => (text: string) => {
    told[to] += text;
  };
  const io = { out: write("out"), err: write("err"), tty: false, color: false, columns: 80, env: {} };
  return { code: await run(argv, io), ...told };
}

it("says which rollcall it is", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(await ran("--version")).toEqual({ code: 0, out: `${version}\n`, err: "" });
});

it("says what it can do, and every verb what it takes, with exit codes", async () => {
  const { code, out } = await ran("--help");
  expect([code, out]).toEqual([0, expect.stringContaining("Exit codes")]);
  for (const verb of ["check", "replay", "shrink", "promote", "explore", "gate", "list", "show", "verify"]) {
    expect(out).toContain(`\n  ${verb} `);
    const help = await ran(verb, "--help");
    expect(help).toEqual({ code: 0, out: expect.stringMatching(/^Usage: rollcall [\s\S]*Exit codes/), err: "" });
  }
});

it("says in one line what it does not know", async () => {
  expect(await ran("frobnicate")).toEqual({
    code: 2,
    out: "",
    err: "rollcall: there is no verb frobnicate\nTry: rollcall --help\n",
  });
  expect(await ran("toString")).toMatchObject({ code: 2 });
  expect(await ran()).toMatchObject({ code: 2, out: "", err: expect.stringContaining("Usage") });
  for (const args of [
    ["list"],
    ["list", "a", "b"],
    ["list", "--colour"],
    ["show", "a"],
    ["show", "a", "b c"],
    ["show", "a", "/root", "--last", "x"],
  ]) {
    const told = await ran(...args);
    expect(told).toMatchObject({ code: 2, out: "" });
    expect(told.err).toMatch(new RegExp(`^rollcall ${args[0]}: [^\n]+\nTry: rollcall ${args[0]} --help\n$`));
  }
});
