/**
 * The hashes of spec-shaped views: SHA-256 over UTF-8 for texts, over RFC 8785 JSON for configurations. Remembered, since
 * a story says the same few texts thousands of times; the memory is bounded and forgets all at once when it is full.
 */
import { createHash } from "node:crypto";
import type { Digest } from "../model/index.ts";
import type { Config, Hash, Json, Text } from "../src/contract.ts";

/** Texts up to so many UTF-16 units stand in views as they are. */
const shownUnitsMax = 64;
/** Remembered hashes; above it all are forgotten. */
const rememberedMax = 20_000;

const hashes = new Map<string, Hash>();
const texts = new Map<string, Text>();
const configs = new WeakMap<Config, Hash>();

function sha256(text: string): Hash {
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 16);
}

/** First 16 hex digits of SHA-256 over UTF-8. */
export function hash(text: string): Hash {
  const known = hashes.get(text);
  if (known !== undefined) return known;
  if (hashes.size >= rememberedMax) hashes.clear();
  const found = sha256(text);
  hashes.set(text, found);
  return found;
}

/** A text as views show it. */
export function shown(text: string): Text {
  if (text.length <= shownUnitsMax) return text;
  const known = texts.get(text);
  if (known !== undefined) return known;
  if (texts.size >= rememberedMax) texts.clear();
  const found = { length: text.length, sha256: hash(text) };
  texts.set(text, found);
  return found;
}

/** RFC 8785: keys in order of their UTF-16 units, numbers and strings as JSON.stringify writes them. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(",")}}`;
}

/** Of any plain value, by what it says and not by the order in which it says it. */
export const hashOf = (value: Json): Hash => sha256(canonical(value));

/** What the model is given to say texts and configurations with. */
export const digest: Digest = {
  text: shown,
  hash,
  config: (config) => {
    const known = configs.get(config);
    if (known !== undefined) return known;
    const { instructions, model, effort, tools, limits, parameters } = config;
    const found = hash(canonical({ instructions, model, effort, tools, limits, parameters }));
    configs.set(config, found);
    return found;
  },
};
