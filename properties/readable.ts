/**
 * Readable names for a story that a generator told: agents, roles and texts of one letter become words, the same letter the
 * same word. What was named by a person stays. Whether the story still shows the same is for the caller to see.
 */
import type { Json, Scope, Step } from "../src/contract.ts";
import { hashOf } from "./digest.ts";
import { scope as scopeSchema, step as stepSchema } from "./schema.ts";
import { parse } from "./trace.ts";

interface Story {
  readonly scope: Scope;
  readonly steps: readonly Step[];
}

const agents = ["reviewer", "tester", "writer", "planner", "helper", "editor", "scout", "clerk"];
const roleNames = ["worker", "expert", "guest", "apprentice"];
const isTerse = (name: string): boolean => /^[a-z]\d{0,2}$/.test(name);

/** What a text of one letter is about, by the verb it stands on. */
const spoken: { readonly [verb: string]: string } = {
  spawn: "review the change",
  follow_up: "look again",
  send: "one more thing",
  execution: "the tests passed",
  steer: "hurry up",
  say: "so far it is fine",
  finish: "the change is fine",
};

type Loose = { readonly [key: string]: Json };
const isMembers = (value: Json): value is Loose => typeof value === "object" && value !== null && !Array.isArray(value);

/** Every step of a story, also those inside of others. */
function* stepsIn(value: Json): Generator<Loose> {
  if (Array.isArray(value)) for (const each of value) yield* stepsIn(each);
  else if (isMembers(value)) {
    if (typeof value["do"] === "string") yield value;
    for (const member of Object.values(value)) yield* stepsIn(member);
  }
}

class Words {
  readonly #chosen = new Map<string, string>();
  readonly #taken: Set<string>;
  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }
  /** The same word for the same name; another one than any that is there. */
  for(name: string, wanted: readonly string[]): string {
    const known = this.#chosen.get(name);
    if (known !== undefined) return known;
    const numbered = (word: string) => (count: number) => (count === 0 ? word : `${word}_${count + 1}`);
    const candidates = [0, 1, 2, 3].flatMap((count) => wanted.map((word) => numbered(word)(count)));
    const word = candidates.find((each) => !this.#taken.has(each)) ?? name;
    this.#taken.add(word);
    this.#chosen.set(name, word);
    return word;
  }
}

/** What a story's own names become. */
interface Naming {
  readonly agent: (name: string) => string;
  readonly role: (role: string) => string;
  readonly text: (text: string, verb: string) => string;
}

/** The story in words; the same where there was nothing to say better. */
export function readable(story: Story): Story {
  const all = [...stepsIn(JSON.parse(JSON.stringify(story.steps)))];
  const named = all.flatMap(({ name }) => (typeof name === "string" ? [name] : []));
  const [segments, roles, said] = [new Words(named), new Words(Object.keys(story.scope.roles)), new Words([])];
  return renamedBy(story, {
    agent: (name) => (isTerse(name) ? segments.for(name, agents) : name),
    role: (role) => (isTerse(role) ? roles.for(role, roleNames) : role),
    // What is spawned, said and mailed in one letter was hardly meant to be the same.
    text: (text, verb) => (isTerse(text) ? said.for(`${verb} ${text}`, [spoken[verb] ?? "so it is"]) : text),
  });
}

/** Two stories that differ in names and texts only are one. */
export function nameless(story: Story): string {
  const counting = (letter: string): ((name: string) => string) => {
    const known = new Map<string, string>();
    return (name) => {
      const numbered = known.get(name) ?? `${letter}${known.size}`;
      known.set(name, numbered);
      return numbered;
    };
  };
  const text = counting("text");
  // A text that views do not show whole, an empty one and one that is no Unicode are what a story may be about.
  const isPlain = (held: string): boolean => held !== "" && held.length <= 64 && held.isWellFormed();
  const naming = {
    agent: counting("a"),
    role: counting("r"),
    text: (held: string) => (isPlain(held) ? text(held) : held),
  };
  const { scope, steps } = renamedBy({ ...story, steps: story.steps.map(absolute) }, naming);
  return hashOf(JSON.parse(JSON.stringify([steps, scope.capacity, scope.limits ?? {}])));
}

/** A name below the caller and the path that it means are the same address. */
function absolute(step: Step): Step {
  return "to" in step && "by" in step && !step.to.startsWith("/") ? { ...step, to: `${step.by}/${step.to}` } : step;
}

function renamedBy({ scope, steps }: Story, { agent, role, text }: Naming): Story {
  const spawned = new Set([...stepsIn(JSON.parse(JSON.stringify(steps)))].map(({ name }) => name));
  const segment = (held: string): string => (spawned.has(held) ? agent(held) : held);
  const path = (held: string): string =>
    held.replace(/^[^#@]*/, (address) => address.split("/").map(segment).join("/"));
  const worded = (value: Json, key: string, verb: string): Json => {
    if (Array.isArray(value)) return value.map((each) => worded(each, "", verb));
    if (isMembers(value) && key !== "config") {
      const within = typeof value["do"] === "string" ? value["do"] : verb;
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, worded(member, name, within)]));
    }
    if (typeof value !== "string") return value;
    if (key === "name") return agent(value);
    if (key === "role") return Object.hasOwn(scope.roles, value) ? role(value) : value;
    if (key === "text") return text(value, verb);
    return addresses.includes(key) ? path(value) : value;
  };
  const renamed = Object.entries(scope.roles).map(([name, config]) => [role(name), config]);
  return {
    scope: parse(scopeSchema, { ...scope, roles: Object.fromEntries(renamed) }, "the scope in words"),
    steps: steps.map((step) => parse(stepSchema, worded(JSON.parse(JSON.stringify(step)), "", ""), "a step in words")),
  };
}

/** Keys of steps that hold a path, or a name made of one. */
const addresses: readonly string[] = ["by", "to", "path", "owner", "op", "token", "prefix"];
