/**
 * The page in a real browser: that it comes alive, asks for nothing, can be worked by key and mouse, can be read in light and
 * dark, wide and narrow and on paper, and that a hostile text stays a text. Without a browser these say so and are passed
 * over, except where CI promises one.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { rules } from "../../model/index.ts";
import type { Scope, Step } from "../../src/contract.ts";
import { registrars, roles } from "../shape.ts";
import { modelTarget } from "../targets/model.ts";
import { twins } from "../twins/all.ts";
import { explain } from "./explain.ts";
import { explanationPage } from "./page.ts";

/** What is used of playwright-core: its own types speak of a browser's, which this tree does not have. */
interface Tab {
  goto(url: string): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
  click(selector: string): Promise<void>;
  close(): Promise<void>;
  emulateMedia(media: { readonly media?: "print"; readonly colorScheme?: "light" | "dark" }): Promise<void>;
  on(event: "console" | "pageerror" | "request", listen: (what: { url?(): string; toString(): string }) => void): void;
  readonly keyboard: { press(key: string): Promise<void> };
  locator(selector: string): { ariaSnapshot(): Promise<string> };
}
interface Browser {
  newPage(options: {
    readonly viewport: { readonly width: number; readonly height: number };
    readonly colorScheme: string;
  }): Promise<Tab>;
  close(): Promise<void>;
}
interface Playwright {
  readonly chromium: {
    launch(options: { readonly executablePath: string; readonly args: readonly string[] }): Promise<Browser>;
  };
}

const chromium = process.env["ROLLCALL_CHROMIUM"] ?? "/usr/bin/chromium";
const there = existsSync(chromium) || process.env["CI"] !== undefined;
const quiet = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A browser on a busy machine takes its time to start; this only ends one that never does. */
const startMsMax = 60_000;

const hostile = '</script><img src=x onerror="hacked=1">\u202e\u0000 שלום 😀';
const ahead = { prepare: "ok", dispatch: "ok" } as const;
const steps: readonly Step[] = [
  { do: "spawn", by: "/root", name: "a", role: "r", text: hostile, answers: ahead },
  { do: "spawn", by: "/root/a", name: "b", role: "q", text: "t", answers: ahead },
  { do: "wait", by: "/root" },
  { do: "finish", path: "/root/a", turn: 1, outcome: "completed", text: hostile },
  { do: "follow_up", by: "/root", to: "/root/a", text: "u" },
  {
    do: "together",
    steps: [
      { do: "answer", op: "/root/a#1.2", gate: "prepare", with: "ok" },
      { do: "execution", owner: "/root", text: "x" },
    ],
  },
  { do: "block", path: "/root/a/b", kind: "permission_blocked" },
  { do: "send", by: "/root/a/b", to: "/root/a", text: "hello", commit: "not_written" },
  { do: "answer", op: "/root/a#1.2", gate: "dispatch", with: "error" },
];
const scope: Scope = { capacity: 3, roles, registrars, archive: "memory", process: "same" };

/** Texts whose colour stands out too little from what is behind it, by the ratio of WCAG: 4.5, and 3 for signs of one character. */
const faint = `(() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const rgba = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = (color) => rgba(color).slice(0, 3).map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (node) => { for (let at = node; at !== null; at = at.parentElement) { const { backgroundColor } = getComputedStyle(at); if (rgba(backgroundColor)[3] > 128) return backgroundColor; } return "white"; };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode.data.trim();
    const element = walk.currentNode.parentElement;
    if (text === "" || element.closest(".unseen, script, .sign") !== null || element.getClientRects().length === 0) continue;
    const style = getComputedStyle(element);
    const [one, other] = [light(element.ownerSVGElement ? style.fill : style.color), light(behind(element))].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < (text.length === 1 ? 3 : 4.5)) found.push(text + " " + ratio.toFixed(2));
  }
  return found;
})()`;

if (!there)
  it("the page in a browser", (context) => {
    context.skip(`no browser at ${chromium}: install Debian's chromium, or name one in ROLLCALL_CHROMIUM`);
  });

describe.runIf(there)("the page in a browser", () => {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-page-"));
  const file = join(folder, "page.html");
  let browser: Browser | null = null;
  let tabs: Tab[] = [];

  beforeAll(async () => {
    const require = createRequire(import.meta.url);
    const playwright: Playwright = require("playwright-core");
    browser = await playwright.chromium.launch({ executablePath: chromium, args: quiet });
    const loses = { ...rules, ...twins["loses_result_on_error"]?.faulty };
    const told = await explain({
      scope,
      steps,
      open: () => modelTarget("twin:loses", loses),
      texts: "shown",
      title: hostile,
    });
    writeFileSync(file, explanationPage(told));
  }, startMsMax);
  afterEach(async () => {
    for (const tab of tabs) await tab.close();
    tabs = [];
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The page in a tab of its own, and what it asked for or complained of. */
  async function opened(
    width: number,
    colorScheme: "light" | "dark" = "light",
  ): Promise<{ tab: Tab; heard: string[] }> {
    if (browser === null) throw new Error("the browser was not started");
    const tab = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
    const heard: string[] = [];
    tabs.push(tab);
    for (const event of ["console", "pageerror"] as const) tab.on(event, (what) => heard.push(what.toString()));
    tab.on("request", (what) => heard.push(what.url?.() ?? ""));
    await tab.goto(pathToFileURL(file).href);
    return { tab, heard };
  }
  const chosen = "document.querySelector('[aria-current=step]').dataset.step";

  it("comes alive at the difference and asks for nothing", async () => {
    const { tab, heard } = await opened(1280);
    expect(await tab.evaluate("document.documentElement.hasAttribute('data-alive')")).toBe(true);
    expect(await tab.evaluate(chosen)).toBe("9");
    expect(await tab.evaluate("document.querySelector('#panel .unlike .target').textContent")).toContain("nothing");
    expect(heard).toEqual([pathToFileURL(file).href]);
  });

  it("is worked by keys alone", async () => {
    const { tab } = await opened(1280);
    const at = async (key: string): Promise<unknown> => {
      await tab.keyboard.press(key);
      return tab.evaluate(`${chosen} + " " + location.hash + " " + (document.activeElement.dataset.step ?? "")`);
    };
    expect(await at("Home")).toBe("0 #0 0");
    expect(await at("ArrowUp")).toBe("0 #0 0");
    expect(await at("ArrowDown")).toBe("1 #1 1");
    expect(await at("ArrowRight")).toBe("2 #2 2");
    expect(await at("ArrowLeft")).toBe("1 #1 1");
    expect(await tab.evaluate("document.querySelector('#live').textContent")).toContain("root spawns a");
    expect(await at("n")).toBe("9 #9 9");
    expect(await at("End")).toBe("9 #9 9");
  });

  it("is worked by the mouse alone", async () => {
    const { tab } = await opened(1280);
    await tab.click("[data-row='4'] .lanes");
    expect(await tab.evaluate(chosen)).toBe("4");
    expect(await tab.evaluate("document.querySelector('#moment').textContent")).toBe("After step 4 of 9");
    expect(await tab.evaluate("document.querySelectorAll('#panel .changed').length > 2")).toBe(true);
    await tab.click(".nav [data-key='ArrowDown']");
    expect(await tab.evaluate(chosen)).toBe("5");
    await tab.click(".bar [data-key='n']");
    expect(await tab.evaluate(chosen)).toBe("9");
  });

  it.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 400],
    ["dark", 400],
  ] as const)("can be read in %s at %i pixels", async (scheme, width) => {
    const { tab } = await opened(width, scheme);
    await tab.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
    expect(await tab.evaluate(faint)).toEqual([]);
    expect(await tab.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(
      await tab.evaluate(
        "document.querySelector('.scroll').scrollWidth <= document.querySelector('.scroll').clientWidth",
      ),
    ).toBe(true);
  });

  it("turns light and dark when asked", async () => {
    const { tab } = await opened(1280, "dark");
    const ground = "getComputedStyle(document.body).backgroundColor";
    const dark = await tab.evaluate(ground);
    await tab.keyboard.press("t");
    expect(await tab.evaluate(ground)).not.toBe(dark);
    await tab.click("[data-key='t']");
    expect(await tab.evaluate(ground)).toBe(dark);
  });

  it("keeps a hostile text a text", async () => {
    const { tab } = await opened(1280);
    expect(await tab.evaluate("[document.images.length, typeof hacked]")).toEqual([0, "undefined"]);
    await tab.keyboard.press("Home");
    await tab.keyboard.press("ArrowDown");
    expect(await tab.evaluate("document.querySelector('[data-row=\"1\"]').innerText")).toContain("</script><img src=x");
    await tab.keyboard.press("n");
    expect(await tab.evaluate("document.querySelector('#panel').innerText")).toContain("\\u{202e}\\u{0} שלום 😀");
  });

  it("tells who cannot see it what it shows", async () => {
    const { tab } = await opened(1280);
    const said = await tab.locator("body").ariaSnapshot();
    expect(said).toMatch(/heading "twin:loses and the model part at step 9 of 9" \[level=1\]/);
    expect(said).toMatch(/list "Steps"/);
    expect(said).toMatch(/button "9 \(required: .*dispatch error from provider to a/);
    expect(said).toMatch(/status/);
  });

  it("goes on paper without what cannot be pressed there", async () => {
    const { tab } = await opened(800, "dark");
    await tab.emulateMedia({ media: "print" });
    expect(await tab.evaluate("getComputedStyle(document.querySelector('.bar')).display")).toBe("none");
    expect(await tab.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
  });
});
