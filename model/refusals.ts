/**
 * Paths, texts, configs, and each refusal as a question: its code, or null. A command asks them in the order of the
 * contract and stops at the first that applies. Grammar and defaults stand a second time in `src/`, on purpose.
 */
import type { BlockKind, Config, Limits, Path, RefusalCode, ToolRef } from "../src/contract.ts";
import type { Rules } from "./rules.ts";
import type { Agent, Live, World } from "./state.ts";

export type Refusal = RefusalCode | null;

export const limits: Limits = {
  agentsMax: 100_000,
  operationsMax: 10_000,
  blockersMax: 1_000,
  mailMax: 10_000,
  textMax: 16 * 1024 * 1024,
};
export const waitMs: { readonly least: number; readonly most: number; readonly usual: number } = {
  least: 10_000,
  most: 3_600_000,
  usual: 30_000,
};
export const lastUsual = 20;

const segment = /^[a-z0-9_]{1,64}$/;
const depthMax = 32;

export function isPath(text: string): boolean {
  const segments = text.split("/");
  return (
    segments.length >= 2 &&
    segments.length <= depthMax + 2 &&
    segments[0] === "" &&
    segments[1] === "root" &&
    segments.slice(2).every((each) => segment.test(each) && each !== "root")
  );
}
export const parent = (path: Path): Path => path.slice(0, path.lastIndexOf("/"));
export const isBelow = (path: Path, above: Path): boolean => path.startsWith(`${above}/`);
/** A target is absolute, or below the caller. */
export const absolute = (by: Path, to: string): string => (to.startsWith("/") ? to : `${by}/${to}`);

export const agentAt = (live: Live, path: Path): Agent | undefined =>
  Object.hasOwn(live.agents, path) ? live.agents[path] : undefined;
const resolves = (live: Live, path: Path): boolean => path === "/root" || agentAt(live, path) !== undefined;

// In the order of the contract.

export const readOnly = (live: Live): Refusal => (live.mode === "read" ? "read_only" : null);
export const caller = (live: Live, by: Path): Refusal => (resolves(live, by) ? null : "caller_unknown");
/** For those who must have an admitted turn, or be the root. */
export const notActive = (live: Live, by: Path): Refusal =>
  by === "/root" || agentAt(live, by)?.is === "admitted" ? null : "not_active";
export function target(live: Live, path: string): Refusal {
  if (!isPath(path)) return "path_malformed";
  if (resolves(live, path)) return null;
  return Object.hasOwn(live.aside, path) ? "agent_invalid" : "agent_unknown";
}
export const targetRoot = (path: Path): Refusal => (path === "/root" ? "target_root" : null);
export function name(by: Path, given: string): Refusal {
  return given !== "root" && segment.test(given) && isPath(`${by}/${given}`) ? null : "name_malformed";
}
export function text(world: World, given: string): Refusal {
  if (given === "") return "text_empty";
  if (!given.isWellFormed()) return "text_malformed";
  return given.length > world.limits.textMax ? "text_too_long" : null;
}
export const role = (world: World, given: string): Refusal =>
  Object.hasOwn(world.roles, given) ? null : "role_unknown";
export const config = (given: unknown): Refusal => (isConfig(given) ? null : "config_invalid");
export const capacity = (given: number): Refusal =>
  Number.isSafeInteger(given) && given > 0 ? null : "capacity_invalid";
export function tools(live: Pick<Live, "registrars">, refs: readonly ToolRef[]): Refusal {
  if (live.registrars.length === 0) return "tools_unavailable";
  let foreign: Refusal = null;
  for (const [category, tool] of refs) {
    const owner = live.registrars.find((each) => each.category === category);
    if (owner === undefined) foreign = "category_foreign";
    else if (!owner.tools.includes(tool)) return "tool_unknown";
  }
  return foreign;
}
export const full = (world: World, live: Live): Refusal =>
  Object.keys(live.agents).length + Object.keys(live.aside).length + reservations(live) >= world.limits.agentsMax
    ? "agents_full"
    : null;
export const atCapacity = (m: Rules, live: Live): Refusal => (m.active(live) >= live.capacity ? "at_capacity" : null);
export const operations = (world: World, live: Live): Refusal =>
  live.ops.length >= world.limits.operationsMax ? "too_many_operations" : null;
export const blockers = (world: World, held: readonly { readonly kind: "waiting" | BlockKind }[]): Refusal =>
  held.filter((each) => each.kind !== "waiting").length >= world.limits.blockersMax ? "too_many_blockers" : null;
export const mailbox = (world: World, live: Live, path: Path): Refusal =>
  (path === "/root" ? live.root.mail : (agentAt(live, path)?.mail ?? [])).length >= world.limits.mailMax
    ? "mailbox_full"
    : null;
const reading = (live: Live, path: Path): boolean => live.ops.some((op) => op.path === path && op.gate === "hydrate");
export const inUse = (live: Live, path: Path): Refusal =>
  agentAt(live, path)?.is !== "idle" || reading(live, path) ? "in_use" : null;

export const reservations = (live: Live): number => live.ops.filter((op) => op.is === "spawn").length;

// Configs: a closed schema.

const isObject = (given: unknown): given is { readonly [key: string]: unknown } =>
  typeof given === "object" && given !== null && !Array.isArray(given);
const isText = (given: unknown): boolean => typeof given === "string" && given.isWellFormed();
const isJson = (given: unknown): boolean =>
  given === null ||
  typeof given === "boolean" ||
  (typeof given === "number" && Number.isFinite(given)) ||
  isText(given) ||
  (Array.isArray(given) && given.every(isJson)) ||
  (isObject(given) && Object.entries(given).every(([key, value]) => isText(key) && isJson(value)));

const keys = "effort instructions limits model parameters tools";

export function isConfig(given: unknown): given is Config {
  if (!isObject(given) || Object.keys(given).sort().join(" ") !== keys) return false;
  const { instructions, model, effort, tools: refs, limits: numbers, parameters } = given;
  return (
    isText(instructions) &&
    isText(model) &&
    (effort === null || isText(effort)) &&
    Array.isArray(refs) &&
    refs.every((ref) => Array.isArray(ref) && ref.length === 2 && isText(ref[0]) && isText(ref[1])) &&
    new Set(refs.map((ref) => JSON.stringify(ref))).size === refs.length &&
    isObject(numbers) &&
    Object.entries(numbers).every(([key, value]) => isText(key) && Number.isFinite(value)) &&
    isObject(parameters) &&
    isJson(parameters)
  );
}
