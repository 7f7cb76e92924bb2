/**
 * mevedel as a target: false would be a driver that does not start and does not say why, a bug that is known and not seen, or one
 * seen and not known. What needs its checkouts runs where ROLLCALL_MEVEDEL names a folder with mevedel, gptel, gptel-agent and
 * emacs-websocket in it, and says elsewhere that it was skipped.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readTrace } from "../../regressions/files.ts";
import { replay } from "../../regressions/replay.ts";
import { beside } from "./beside.ts";
import type { EmacsOptions } from "./mevedel.ts";
import { targetNamed } from "./named.ts";

const folder = process.env["ROLLCALL_MEVEDEL"];
const hasEmacs = spawnSync("emacs", ["--version"]).status === 0;
const scratch = mkdtempSync(join(tmpdir(), "rollcall-mevedel-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test("a checkout that was not named, or is none, is said", async () => {
  await expect(targetNamed("mevedel")).rejects.toMatchObject({
    exit: 2,
    message: expect.stringContaining("--mevedel DIR"),
  });
  const none: EmacsOptions = { mevedel: scratch, gptel: scratch, gptelAgent: scratch, websocket: scratch };
  await expect(targetNamed("mevedel", { mevedel: none })).rejects.toMatchObject({
    exit: 4,
    message: expect.stringContaining("it has no mevedel.el"),
  });
});

test("of what is known to differ only what was named is known", async () => {
  const own = join(scratch, "named");
  mkdirSync(own);
  for (const name of ["mevedel", "gptel", "gptel-agent", "websocket"]) writeFileSync(join(own, `${name}.el`), "");
  const options: EmacsOptions = { mevedel: own, gptel: own, gptelAgent: own, websocket: own };
  await expect(targetNamed("mevedel", { mevedel: { ...options, knowing: ["nonsense"] } })).rejects.toMatchObject({
    exit: 2,
    message: expect.stringMatching(/^--knowing "nonsense" is nothing .* there are "a name of 65 characters", /),
  });
  await targetNamed("mevedel", { mevedel: { ...options, knowing: ["empty steering"] } });
  const behindShim = { ...options, knowing: ["a start takes the mail along"] };
  await expect(targetNamed("mevedel", { mevedel: behindShim })).rejects.toMatchObject({ exit: 2 });
  await targetNamed("mevedel", { mevedel: { ...behindShim, noShims: ["first_sample"] } });
});

test.skipIf(!hasEmacs)(
  `a driver that does not start says why${hasEmacs ? "" : " (no emacs)"}`,
  { timeout: 120_000 },
  async () => {
    const broken = join(scratch, "broken");
    mkdirSync(broken);
    for (const name of ["mevedel", "gptel", "gptel-agent", "websocket"]) writeFileSync(join(broken, `${name}.el`), "");
    const options: EmacsOptions = { mevedel: broken, gptel: broken, gptelAgent: broken, websocket: broken };
    const open = await targetNamed("mevedel", { mevedel: options });
    await expect((async () => await open())()).rejects.toMatchObject({
      exit: 4,
      message: expect.stringMatching(/^mevedel ended .exit code 4.*gptel-openai cannot be loaded/s),
    });
  },
);

test.skipIf(folder === undefined)(
  `a bug that is known is seen, and told past${folder === undefined ? " (ROLLCALL_MEVEDEL names no checkouts)" : ""}`,
  { timeout: 300_000 },
  async () => {
    const at = (name: string): string => join(folder ?? "", name);
    const checkouts: EmacsOptions = {
      ...{
        mevedel: at("mevedel"),
        gptel: at("gptel"),
        gptelAgent: at("gptel-agent"),
        websocket: at("emacs-websocket"),
      },
    };
    const { trace } = await readTrace(beside("emacs/stories/a-quit-follow-up-is-idle-again.json"));
    const verdict = async (unknowing: boolean) => {
      const target = await (await targetNamed("mevedel", { mevedel: { ...checkouts, unknowing } }))();
      try {
        return await replay(trace, target);
      } finally {
        await target.close();
      }
    };
    expect(await verdict(true)).toMatchObject({ is: "reproduces", step: 3 });
    expect(await verdict(false)).toMatchObject({ is: "not applicable", step: 3, known: true });
  },
);
