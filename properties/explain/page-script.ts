/**
 * What the page does when it is alive: choosing a step by key, mouse or address, and the theme. Its text is put into the
 * page, so it uses nothing but its arguments; the few things it needs of a browser are named here, since this tree compiles
 * for Node.
 */
import type { Sheets } from "./sheets.ts";

interface Node {
  innerHTML: string;
  textContent: string | null;
  tabIndex: number;
  readonly dataset: { readonly [key: string]: string | undefined };
  readonly style: { colorScheme: string };
  focus(options?: { readonly preventScroll: boolean }): void;
  closest(selector: string): Node | null;
  contains(other: Node | null): boolean;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  scrollIntoView(options: { readonly block: "nearest" }): void;
  addEventListener(type: string, listen: (event: Happening) => void): void;
}
interface Happening {
  readonly target: Node | null;
  readonly key?: string;
  readonly altKey?: boolean;
  readonly ctrlKey?: boolean;
  readonly metaKey?: boolean;
  preventDefault(): void;
}
export interface Browser {
  readonly document: {
    readonly documentElement: Node;
    readonly activeElement: Node | null;
    querySelector(selector: string): Node | null;
    querySelectorAll(selector: string): Iterable<Node>;
    addEventListener(type: string, listen: (event: Happening) => void): void;
  };
  readonly location: { readonly hash: string };
  readonly history: { replaceState(state: null, unused: string, url: string): void };
  matchMedia(query: string): { readonly matches: boolean };
  addEventListener(type: string, listen: (event: Happening) => void): void;
}

export function start(browser: Browser, panelOf: (sheets: Sheets, at: number) => string): void {
  const { document, location, history } = browser;
  const data = document.querySelector("#sheets");
  const panel = document.querySelector("#panel");
  const heading = document.querySelector("#moment");
  const live = document.querySelector("#live");
  const story = document.querySelector("#story");
  const steps = [...document.querySelectorAll("[data-step]")];
  if (data === null || panel === null || heading === null || live === null || story === null || steps.length === 0)
    return;
  const sheets: Sheets = JSON.parse(data.textContent ?? "");
  const differs = Number(story.dataset["differs"] ?? "-1");
  let at = -1;

  const choose = (wanted: number, focus: boolean): void => {
    const next = Math.max(0, Math.min(steps.length - 1, wanted));
    const chosen = steps[next];
    if (chosen === undefined || next === at) return;
    at = next;
    for (const step of steps) {
      step.removeAttribute("aria-current");
      step.tabIndex = -1;
    }
    chosen.setAttribute("aria-current", "step");
    chosen.tabIndex = 0;
    panel.innerHTML = panelOf(sheets, next);
    const says = chosen.dataset["says"] ?? "";
    heading.textContent = next === 0 ? "Before the first step" : `After step ${next} of ${steps.length - 1}`;
    live.textContent = `${next === 0 ? "" : `Step ${next}: `}${says}`;
    if (focus) {
      chosen.focus({ preventScroll: true });
      chosen.scrollIntoView({ block: "nearest" });
    }
    history.replaceState(null, "", `#${next}`);
  };
  const hash = (): number => {
    const number = Number.parseInt(location.hash.slice(1), 10);
    return Number.isNaN(number) ? (differs < 0 ? steps.length - 1 : differs) : number;
  };
  const go: { readonly [key: string]: () => void } = {
    ArrowUp: () => choose(at - 1, true),
    ArrowLeft: () => choose(at - 1, true),
    ArrowDown: () => choose(at + 1, true),
    ArrowRight: () => choose(at + 1, true),
    Home: () => choose(0, true),
    End: () => choose(steps.length - 1, true),
    n: () => choose(differs < 0 ? at : differs, true),
    t: () => toggle(),
  };
  const toggle = (): void => {
    const { style } = document.documentElement;
    const dark =
      style.colorScheme === ""
        ? browser.matchMedia("(prefers-color-scheme: dark)").matches
        : style.colorScheme === "dark";
    style.colorScheme = dark ? "light" : "dark";
  };

  document.addEventListener("keydown", (event) => {
    const act = go[event.key ?? ""];
    if (act === undefined || event.altKey === true || event.ctrlKey === true || event.metaKey === true) return;
    event.preventDefault();
    act();
  });
  document.addEventListener("click", (event) => {
    const row = event.target?.closest("[data-row]") ?? null;
    if (row !== null) choose(Number(row.dataset["row"]), true);
    const key = event.target?.closest("[data-key]")?.dataset["key"];
    if (key !== undefined) go[key]?.();
  });
  browser.addEventListener("hashchange", () => choose(hash(), true));
  document.documentElement.setAttribute("data-alive", "");
  choose(hash(), false);
}
