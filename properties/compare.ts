/**
 * Whether two plain values are equal, quickly, and where they first differ, slowly. Views of agents that did not change are
 * the same objects as a step ago on both sides, so pairs once found equal are remembered and not looked into again.
 */

/** Where two values first differ, and what stands there; `undefined` where one has nothing. */
export interface Difference {
  /** As `view.agents./root/a.result`. */
  readonly at: string;
  readonly model: unknown;
  readonly target: unknown;
}

const pairs = new WeakMap<object, object>();

const isObject = (given: unknown): given is { readonly [key: string]: unknown } =>
  typeof given === "object" && given !== null;

/** As JSON has it: a key that holds `undefined` is not there. */
export function equal(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isObject(one) || !isObject(other)) return false;
  if (Array.isArray(one)) return Array.isArray(other) && equalItems(one, other);
  return !Array.isArray(other) && equalMembers(one, other);
}

/** As `equal`, for what stays the same object over many steps. */
function equalOnce(one: unknown, other: unknown): boolean {
  if (!isObject(one) || !isObject(other)) return one === other;
  if (pairs.get(one) === other) return true;
  if (!equal(one, other)) return false;
  pairs.set(one, other);
  return true;
}

function equalItems(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) if (!equal(one[index], other[index])) return false;
  return true;
}

function equalMembers(one: { readonly [key: string]: unknown }, other: { readonly [key: string]: unknown }): boolean {
  let count = 0;
  for (const key in one) {
    const member = one[key];
    if (member === undefined) continue;
    // The agents of a view, and of an archive: most of them did not change in this step.
    if (!(key.startsWith("/") ? equalOnce(member, other[key]) : equal(member, other[key]))) return false;
    count++;
  }
  for (const key in other) if (other[key] !== undefined) count--;
  return count === 0;
}

/** The first difference, in the model's order of keys; `null` where there is none. */
export function difference(model: unknown, target: unknown, at: string): Difference | null {
  if (equal(model, target)) return null;
  if (!isObject(model) || !isObject(target) || Array.isArray(model) !== Array.isArray(target))
    return { at, model, target };
  for (const key of new Set([...Object.keys(model), ...Object.keys(target)])) {
    const found = difference(model[key], target[key], `${at}.${key}`);
    if (found !== null) return found;
  }
  return { at, model, target };
}

/** The kind of a difference: its place without names and numbers, so that the same fault elsewhere is the same kind. */
export function kindOf(at: string): string {
  // An answer inside those of a `together` is the same kind as one by itself.
  const single = at.replace(/^reply(\.ok\.\d+)+/, "reply");
  return single.replace(/\.(\/[^.]*|\d+|w\d+)(?=\.|$)/g, "").replace(/\.(length|sha256)$/, "");
}
