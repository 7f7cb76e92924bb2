/** Simpler forms of one step, and simpler whole stories: what the shrinker tries after taking steps out. */
import type { Answers, Path, Scope, Step } from "../src/contract.ts";
import type { Bound } from "./bind.ts";
import { step as schema } from "./schema.ts";

/** Without these keys, one at a time; a key with a plainer value in its place. */
const optional = [
  "commit",
  "epoch",
  "handler",
  "callback",
  "answers",
  "last",
  "timeoutMs",
  "prefix",
  "takeover",
  "registrars",
  "as",
] as const;
const plainer: { readonly [key: string]: readonly unknown[] } = {
  by: ["/root"],
  text: ["t"],
  outcome: ["completed"],
  mode: ["write"],
  role: ["r"],
  commit: ["not_written", "crash_before"],
  epoch: ["not_written", "crash_before"],
  how: ["malformed"],
  last: [0],
  ms: [10_000],
  capacity: [1],
  kind: ["permission_blocked"],
};
/** Order of answers, plainest first; an answer may become one that stands before it. */
const order: readonly string[] = ["ok", "error", "quit", "refuse", "throw", "missing", "corrupt"];

type Loose = { readonly [key: string]: unknown };
/** A changed step, if it still is one. */
export function rebuilt(changed: Loose): readonly Step[] {
  const read = schema.safeParse(changed);
  return read.success ? [read.data] : [];
}

/** Whose caller may as well be another. */
const anybodys: readonly Step["do"][] = ["send", "follow_up", "interrupt"];

/** A step as plain as it can be; only its texts, or only without what may be left out. `null` where it is that already. */
export function plainest(bound: Bound, what: "all" | "texts" | "options", isLast: boolean): Bound | null {
  const { step } = bound;
  const changed: { [key: string]: unknown } = { ...step };
  if (what !== "texts")
    for (const key of optional)
      if (key !== "answers" && key !== "as" && !(isLast && key === "commit")) delete changed[key];
  if (what !== "options" && typeof changed["text"] === "string" && changed["text"].length <= 64) changed["text"] = "t";
  if (what === "all") {
    for (const key of ["outcome", "role", "ms", "kind"])
      if (changed[key] !== undefined) changed[key] = plainer[key]?.[0];
    if (anybodys.includes(step.do) && "to" in step) {
      changed["to"] = step.to.startsWith("/") ? step.to : `${step.by}/${step.to}`;
      changed["by"] = "/root";
    }
  }
  const [plain] = rebuilt(changed);
  if (plain === undefined || JSON.stringify(plain) === JSON.stringify(step)) return null;
  return { ...bound, step: plain, inner: plain.do === "wait" && !("callback" in plain) ? [] : bound.inner };
}

function without(step: Step, key: string): readonly Step[] {
  const { [key]: _, ...rest }: Loose = { ...step };
  return rebuilt(rest);
}

function simplerSteps(step: Step): readonly Step[] {
  const found: Step[] = [];
  const loose: Loose = { ...step };
  for (const key of optional) if (loose[key] !== undefined) found.push(...without(step, key));
  for (const [key, values] of Object.entries(plainer)) {
    const held = loose[key];
    if (held === undefined) continue;
    const before = values.indexOf(held);
    for (const value of before < 0 ? values : values.slice(0, before))
      found.push(...rebuilt({ ...step, [key]: value }));
  }
  if (typeof loose["text"] === "string" && loose["text"].length > 64)
    found.push(...rebuilt({ ...step, text: "t".repeat(65) }), ...rebuilt({ ...step, text: "t".repeat(33_000) }));
  if (step.commit === "crash_before" || step.commit === "crash_after") found.push({ do: "crash" });
  if (step.do === "answer")
    for (const plain of order.slice(0, order.indexOf(step.with))) found.push(...rebuilt({ ...step, with: plain }));
  if ("answers" in step && step.answers !== undefined) {
    for (const [gate, held] of Object.entries(step.answers)) {
      const { [gate]: _, ...rest }: Loose = { ...step.answers };
      found.push(...(Object.keys(rest).length === 0 ? without(step, "answers") : rebuilt({ ...step, answers: rest })));
      for (const plain of order.slice(0, order.indexOf(held)))
        found.push(...rebuilt({ ...step, answers: { ...step.answers, [gate]: plain } }));
    }
  }
  return found;
}

/** One inner step instead of many; all but one. */
export function simplerBounds(bound: Bound): readonly Bound[] {
  const { step, inner } = bound;
  const plain = simplerSteps(step).map((simpler) => ({
    ...bound,
    step: simpler,
    inner: simpler.do === step.do && "callback" in step && !("callback" in simpler) ? [] : inner,
  }));
  if (step.do !== "together") return plain;
  const fewer = inner.map((_, index) => ({ ...bound, inner: inner.filter((__, other) => other !== index) }));
  return [...inner, ...(inner.length > 1 ? fewer : []), ...plain];
}

/** An answer, or a cancel, that comes in advance, on the step that began its operation: one step fewer. */
export function answeredAhead(list: readonly Bound[], at: number): readonly (readonly Bound[])[] {
  const bound = list[at];
  if (bound === undefined || bound.op === null) return [];
  const { by } = bound.op;
  const { step } = bound;
  const riding =
    step.do === "answer" ? { ...by.step, ...(step.commit === undefined ? {} : { commit: step.commit }) } : by.step;
  const given = "answers" in by.step ? by.step.answers : {};
  const answers: readonly Answers[] =
    step.do === "answer"
      ? [{ ...given, [step.gate]: step.with, ...step.answers }]
      : step.do === "cancel"
        ? [
            { ...given, hydrate: "quit" },
            { ...given, prepare: "quit" },
            { ...given, dispatch: "quit" },
          ]
        : [];
  const rest = list.filter((each) => each !== bound);
  return answers
    .flatMap((ahead) => rebuilt({ ...riding, answers: ahead }))
    .map((opening) => replaced(rest, by, { ...by, step: opening }));
}

/** A turn's end after its admission, in the place of one that was held for it. */
export function unheld(list: readonly Bound[], at: number): readonly Bound[] | null {
  const bound = list[at];
  if (bound?.step.do !== "finish" || !("op" in bound.step) || bound.op === null) return null;
  const { op, ...rest } = bound.step;
  const { by, path } = bound.op;
  const answer = list.findIndex(
    ({ step, op: answers }, index) =>
      index > at && step.do === "answer" && step.gate === "dispatch" && answers?.by === by && answers.path === path,
  );
  const [step] = rebuilt({ ...rest, path, turn: 1 });
  if (answer < 0 || step === undefined) return null;
  const ended: Bound = { step, op: null, turn: { path, back: 0 }, token: null, inner: [] };
  return [...list.slice(0, at), ...list.slice(at + 1, answer + 1), ended, ...list.slice(answer + 1)];
}

/** What referred to the old step refers to the new one. */
export function replaced(list: readonly Bound[], old: Bound, fresh: Bound): readonly Bound[] {
  const follow = (each: Bound): Bound =>
    each === old ? fresh : each.op?.by === old ? { ...each, op: { ...each.op, by: fresh } } : each;
  return list.map(follow);
}

/** The agents of a story, and where each could stand instead: higher up, or under an earlier name. */
export function renamings(list: readonly Bound[]): readonly (readonly [from: Path, to: Path])[] {
  const spawned = list.flatMap(({ step }) => (step.do === "spawn" ? [`${step.by}/${step.name}`] : []));
  const used = new Set(spawned);
  const found: (readonly [Path, Path])[] = [];
  for (const path of used) {
    const segments = path.split("/");
    const name = segments.at(-1) ?? "";
    for (const parent of segments.length > 3 ? ["/root", segments.slice(0, -2).join("/")] : ["/root"])
      for (const short of ["a", "b", "c", name]) {
        const to = `${parent}/${short}`;
        if (to !== path && !used.has(to) && (to.length < path.length || to < path)) found.push([path, to]);
      }
  }
  return found;
}

/** Every path, operation and token of the step moved; `null` where that is no step. */
export function renamed(step: Step, from: Path, to: Path): Step | null {
  const moved = move(step, from, to);
  const parent = to.slice(0, to.lastIndexOf("/"));
  const spawning = step.do === "spawn" && `${step.by}/${step.name}` === from;
  const [valid] = rebuilt(spawning ? { ...moved, by: parent, name: to.slice(parent.length + 1) } : moved);
  return valid ?? null;
}

function move(value: unknown, from: Path, to: Path): Loose {
  return JSON.parse(JSON.stringify(value), (_, held: unknown) => {
    if (typeof held !== "string" || !held.startsWith(from)) return held;
    const rest = held.slice(from.length);
    return rest === "" || "/#@".includes(rest.charAt(0)) ? to + rest : held;
  });
}

/** Scopes with something taken out that a story may not need. */
export function simplerScopes(scope: Scope, list: readonly Bound[]): readonly Scope[] {
  const { limits, ...unlimited } = scope;
  const said = JSON.stringify(list.map(({ step, inner }) => [step, inner.map((each) => each.step)]));
  const kept = Object.fromEntries(Object.entries(scope.roles).filter(([role]) => said.includes(JSON.stringify(role))));
  const needed = JSON.stringify(kept);
  const registrars = Object.fromEntries(
    Object.entries(scope.registrars).filter(
      ([name, { category }]) => said.includes(JSON.stringify(name)) || needed.includes(JSON.stringify(category)),
    ),
  );
  const found: Scope[] = limits === undefined ? [] : [unlimited];
  for (const [limit, most] of Object.entries(limits ?? {}))
    if (most > 1 && limit !== "textMax") found.push({ ...scope, limits: { ...limits, [limit]: 1 } });
  if (Object.keys(kept).length < Object.keys(scope.roles).length) found.push({ ...scope, roles: kept });
  if (Object.keys(registrars).length < Object.keys(scope.registrars).length) found.push({ ...scope, registrars });
  if (scope.capacity !== 3) found.push({ ...scope, capacity: 3 });
  return found;
}
