/** Claims about work counted and about times, each said once: what was asked, what was found. */
import { type Claim, shown, type Unit } from "./table.ts";

/** Work is exact: the same in every sample, whatever the machine. */
export function exactly(what: string, asked: number, found: readonly number[]): Claim {
  const wrong = found.find((each) => each !== asked);
  const isHeld = wrong === undefined && found.length > 0;
  return {
    about: "work",
    what,
    asked: `= ${asked}`,
    found: found.length === 0 ? "nothing" : String(wrong ?? asked),
    isHeld,
  };
}
/** Work that may differ, within a bound. */
export function within(what: string, asked: number, found: number, unit: Unit): Claim {
  return { ...atMost(what, asked, found, unit), about: "work" };
}
export function atMost(what: string, asked: number, found: number, unit: Unit): Claim {
  return { about: "floor", what, asked: `<= ${shown(asked, unit)}`, found: shown(found, unit), isHeld: found <= asked };
}
export function atLeast(what: string, asked: number, found: number, unit: Unit): Claim {
  return { about: "floor", what, asked: `>= ${shown(asked, unit)}`, found: shown(found, unit), isHeld: found >= asked };
}
