/**
 * What a configuration must be, its canonical text, and the hash that names it. The schema is closed: an unknown or
 * missing key, a tool named twice, a value that JSON cannot carry make it invalid.
 */
import * as crypto from "node:crypto";
import type { Config, Json, ToolRef } from "./contract.ts";

const keys = "effort instructions limits model parameters tools";
/** Deeper values are refused: canonical text is made by recursion, and nobody means such a value. */
const nestingMax = 256;

type Members = { readonly [key: string]: unknown };

function isMembers(given: unknown): given is Members {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return false;
  const prototype: unknown = Object.getPrototypeOf(given);
  return prototype === Object.prototype || prototype === null;
}
function isText(given: unknown): given is string {
  return typeof given === "string" && given.isWellFormed();
}
function isNumber(given: unknown): given is number {
  return typeof given === "number" && Number.isFinite(given);
}
function isJson(given: unknown, nesting = 0): given is Json {
  if (given === null || typeof given === "boolean" || isNumber(given) || isText(given)) return true;
  if (nesting >= nestingMax) return false;
  // Array.from: a hole is no value, and `every` would step over it.
  if (Array.isArray(given)) return Array.from(given).every((each) => isJson(each, nesting + 1));
  return isMembers(given) && Object.entries(given).every(([key, value]) => isText(key) && isJson(value, nesting + 1));
}
function isToolRef(given: unknown): given is ToolRef {
  return Array.isArray(given) && given.length === 2 && isText(given[0]) && isText(given[1]);
}

export function isConfig(given: unknown): given is Config {
  if (!isMembers(given) || Object.keys(given).sort().join(" ") !== keys) return false;
  const { instructions, model, effort, tools, limits, parameters } = given;
  return (
    isText(instructions) &&
    isText(model) &&
    (effort === null || isText(effort)) &&
    Array.isArray(tools) &&
    Array.from(tools).every(isToolRef) &&
    new Set(tools.map((each) => JSON.stringify(each))).size === tools.length &&
    isMembers(limits) &&
    Object.entries(limits).every(([key, value]) => isText(key) && isNumber(value)) &&
    isMembers(parameters) &&
    isJson(parameters)
  );
}

/** RFC 8785: keys in order of their UTF-16 units, numbers and strings as JSON.stringify writes them. */
export function canonical(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(",")}}`;
}

/** The canonical text of a configuration: equal ones have equal texts. */
export function configText(config: Config): string {
  const { instructions, model, effort, tools, limits, parameters } = config;
  return canonical({ instructions, model, effort, tools, limits, parameters });
}

/** A third of the time of the usual way, since Node 20.12. */
const { hash } = crypto as { readonly hash?: typeof crypto.hash }; // the types do not know that it may be absent

/** SHA-256 over UTF-8, in 64 hex digits; views show the first 16. */
export function sha256(text: string): string {
  return hash?.("sha256", text, "hex") ?? crypto.createHash("sha256").update(text, "utf8").digest("hex");
}

/** A configuration's canonical text and the hash that names it. */
export interface ConfigName {
  readonly text: string;
  readonly hash: string;
}
/** Of configurations that can no longer change: an agent's is the same object from spawn to the end. */
const names = new WeakMap<Config, ConfigName>();

function isFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}
/** Null where it is no configuration. */
export function nameOfConfig(config: Config): ConfigName | null {
  const known = names.get(config);
  if (known !== undefined) return known;
  if (!isConfig(config)) return null;
  const text = configText(config);
  const name = { text, hash: sha256(text) };
  if (isFrozen(config)) names.set(config, name);
  return name;
}

/** `Array.isArray` does not narrow a readonly list. */
function isList(given: Json): given is readonly Json[] {
  return Array.isArray(given);
}
function frozenJson(given: Json): Json {
  if (given === null || typeof given !== "object") return given;
  return isList(given) ? Object.freeze(given.map(frozenJson)) : frozenMembers(given, frozenJson);
}
function frozenMembers<Value>(
  given: { readonly [key: string]: Value },
  freeze: (value: Value) => Value,
): { readonly [key: string]: Value } {
  // Defined, not assigned: a key may be called `__proto__`.
  const copy = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, freeze(value)]));
  return Object.freeze(copy);
}

/** A copy that shares nothing with the given one and cannot be changed; null where that is no configuration. L27 */
export function frozenConfig(given: unknown): Config | null {
  return isConfig(given) ? copied(given) : null;
}
function copied(given: Config): Config {
  const { instructions, model, effort, tools, limits, parameters } = given;
  return Object.freeze({
    ...{ instructions, model, effort },
    tools: Object.freeze(tools.map(([category, name]): ToolRef => Object.freeze([category, name] as const))),
    limits: frozenMembers(limits, (each) => each),
    parameters: frozenMembers(parameters, frozenJson),
  });
}

/** Gives a frozen copy for one agent, always the same, made when it is first asked for: a roster asks for none. */
type ConfigLater = () => Config;
/** Null where it is no configuration. One that was named before can no longer change, and is not looked at again. L27 */
export function configLater(given: Config): ConfigLater | null {
  const name = names.get(given);
  let copy = name === undefined ? frozenConfig(given) : null;
  if (name === undefined && copy === null) return null;
  return () => {
    copy ??= copied(given);
    if (name !== undefined) names.set(copy, name);
    return copy;
  };
}
