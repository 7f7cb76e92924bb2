/**
 * What a run has covered, by the number of stories that show it, and an estimate of what it has not. Good and Turing: the chance
 * that the next story shows something unseen is about the share of what was seen in one story only.
 */
import { goals } from "../../model/index.ts";
import { during, pairs } from "./cells.ts";

export interface Coverage {
  readonly stories: number;
  /** By behaviour (see cells.ts), in how many stories it was seen. */
  readonly cells: ReadonlyMap<string, number>;
  /** By goal, likewise. */
  readonly goals: ReadonlyMap<string, number>;
  /** Commands on activities, commands during gates, and goals, that no story has shown. */
  readonly holes: {
    readonly pairs: readonly string[];
    readonly during: readonly string[];
    readonly goals: readonly string[];
  };
  readonly next: Estimate;
}
interface Estimate {
  /** Classes (behaviours and goals) seen, and those seen in one story only. */
  readonly classes: number;
  readonly once: number;
  /** That the next story shows a class that none has shown. */
  readonly unseen: number;
  /** Stories whose set of classes no other story has; that the next one's is new as well. */
  readonly signatures: number;
  readonly unseenSignature: number;
}

/** Adds up stories, each by what it shows. */
export interface Covering {
  add(cells: readonly string[], reached: readonly number[]): void;
  sum(): Coverage;
}

export function covering(): Covering {
  const cells = new Map<string, number>();
  const reached = goals.map(() => 0);
  const signatures = new Map<string, number>();
  let stories = 0;
  return {
    add: (shown, met) => {
      stories++;
      for (const cell of shown) cells.set(cell, (cells.get(cell) ?? 0) + 1);
      for (const place of met) reached[place] = (reached[place] ?? 0) + 1;
      const signature = `${shown.toSorted().join("|")} ${met.toSorted((one, other) => one - other).join()}`;
      const key = short(signature);
      signatures.set(key, (signatures.get(key) ?? 0) + 1);
    },
    sum: () => {
      const byGoal = new Map(goals.map(({ name }, place) => [name, reached[place] ?? 0]));
      const tried = new Set([...cells.keys()].map((cell) => cell.replace(/: .*/, "")));
      const counts = [...cells.values(), ...byGoal.values()].filter((count) => count > 0);
      const once = counts.filter((count) => count === 1).length;
      const alone = [...signatures.values()].filter((count) => count === 1).length;
      const share = (count: number): number => (stories === 0 ? 1 : Math.min(1, count / stories));
      return {
        ...{ stories, cells, goals: byGoal },
        holes: {
          pairs: pairs.filter((pair) => !tried.has(pair)),
          during: during.filter((cell) => !cells.has(cell)),
          goals: [...byGoal].filter(([, count]) => count === 0).map(([name]) => name),
        },
        next: {
          ...{ classes: counts.length, once, unseen: share(once) },
          ...{ signatures: signatures.size, unseenSignature: share(alone) },
        },
      };
    },
  };
}

/** Two hashes of 32 bits in one word: signatures are many and long. */
function short(text: string): string {
  let [one, other] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < text.length; at++) {
    one = Math.imul(one ^ text.charCodeAt(at), 0x01000193);
    other = Math.imul(other ^ text.charCodeAt(at), 0x85ebca6b) + at;
  }
  return `${(one >>> 0).toString(36)}.${(other >>> 0).toString(36)}`;
}
