/** Shorter and simpler stories than one that fails, by what is done to it: the candidates of the shrinker, likeliest first. */
import type { Scope } from "../src/contract.ts";
import type { Bound } from "./bind.ts";
import type { Held } from "./search.ts";
import {
  answeredAhead,
  plainest,
  renamed,
  renamings,
  replaced,
  simplerBounds,
  simplerScopes,
  unheld,
} from "./simplify.ts";
import { unbound } from "./unbound.ts";

export type Candidates = Generator<readonly [readonly Bound[], Scope]>;

/** Stories up to so many steps also lose pairs of steps. */
const pairsMax = 12;
/** Stories up to so many steps lose pairs of steps while another one moves. */
const movesMax = 7;

/** Everything said plainly at once; only the texts; only what may be left out. */
export function* allPlain({ list, scope }: Held): Candidates {
  for (const what of ["all", "texts", "options"] as const) {
    let plain: readonly Bound[] = list;
    for (const bound of list) {
      const step = plainest(bound, what, bound === list.at(-1));
      if (step !== null) plain = replaced(plain, bound, step);
    }
    yield [plain, scope];
  }
}

/** One step fewer, whichever it is. */
export function* singles({ list, scope }: Pick<Held, "list" | "scope">): Candidates {
  for (const bound of list) yield [list.filter((each) => each !== bound), scope];
}

export function* pairs({ list, scope }: Pick<Held, "list" | "scope">): Candidates {
  if (list.length > pairsMax) return;
  for (let one = 0; one < list.length; one++)
    for (let other = one + 1; other < list.length - 1; other++)
      yield [list.filter((_, index) => index !== one && index !== other), scope];
}

/** One or two steps fewer, and one of the rest elsewhere: how two restores become one. */
export function* moves({ list, scope }: Held): Candidates {
  if (list.length > movesMax) return;
  const fewer = [...singles({ list, scope }), ...pairs({ list, scope })].map(([shorter]) => shorter);
  for (const shorter of fewer)
    for (const moved of shorter) {
      const others = shorter.filter((each) => each !== moved);
      for (let to = 0; to <= others.length; to++)
        if (shorter[to] !== moved) yield [[...others.slice(0, to), moved, ...others.slice(to)], scope];
    }
}

export function* aheads({ list, scope }: Pick<Held, "list" | "scope">): Candidates {
  for (let at = list.length - 1; at >= 0; at--) {
    for (const ahead of answeredAhead(list, at)) yield [ahead, scope];
    const ended = unheld(list, at);
    if (ended !== null) yield [ended, scope];
  }
}

export function* simplifications({ list, scope }: Held): Candidates {
  for (const bound of list) for (const simpler of simplerBounds(bound)) yield [replaced(list, bound, simpler), scope];
}

export function* renames({ list, scope }: Held): Candidates {
  for (const [from, to] of renamings(list)) {
    const moved = list.map(({ step }) => renamed(step, from, to)).filter((step) => step !== null);
    if (moved.length === list.length) yield [moved.map(unbound), scope];
  }
}

/** As little as the story may need of its scope at once, then one thing after another. */
export function* scopes({ list, scope }: Held): Candidates {
  const [first, ...others] = simplerScopes(scope, list);
  if (first === undefined) return;
  let least = first;
  for (let more = simplerScopes(least, list)[0]; more !== undefined; more = simplerScopes(least, list)[0]) least = more;
  yield [list, least];
  for (const simpler of [first, ...others]) yield [list, simpler];
}
