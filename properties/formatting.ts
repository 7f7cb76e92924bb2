/**
 * Mailed results keep their bound. False would be: a mail above it, half a surrogate pair, a short result that is not mailed as
 * it is, a head or tail that is not the text's own or ends within a line that it need not, or a wrong count of what is left out
 * (L18).
 */
import fc from "fast-check";
import { mailedForm } from "./targets/mailing.ts";

const piece = fc.constantFrom(
  "a",
  "line\n",
  "\n",
  "\u{1f600}",
  "é",
  "0123456789".repeat(50),
  "\u{1f600}".repeat(99),
  "x\n".repeat(77),
);
/** From nothing to a few times the bound; what it is made of decides where it may be cut. */
const many = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 12 }), fc.nat({ max: 900 }))
  .map(([pieces, times]) => pieces.join("").repeat(times));
const mailedUnitsMax = 32_768;
/** Within a unit or two of the bound, and with one line end near where it is cut. */
const exact = fc.tuple(fc.integer({ min: -2, max: 2 }), fc.constantFrom("a", "\u{1f600}")).map(([off, letter]) =>
  letter
    .repeat(mailedUnitsMax)
    .slice(0, mailedUnitsMax + off)
    .toWellFormed(),
);
const lined = fc
  .tuple(fc.nat({ max: 20_000 }), fc.nat({ max: 20_000 }), fc.constantFrom("a", "\u{1f600}"))
  .map(([before, after, letter]) => `${letter.repeat(before)}\n${letter.repeat(30_000)}\n${letter.repeat(after)}`);
const text = fc.oneof(many, exact, lined);
const location = fc.oneof(
  fc.constant("agents/1/conversation"),
  fc.string({ unit: "grapheme-ascii", maxLength: 40 }),
  fc.nat({ max: 40_000 }).map((length) => `agents/${"\u{1f600}".repeat(length)}`),
  fc.constantFrom(1_023, 1_024, 1_025).map((length) => "l".repeat(length)),
);
/** The part of a location that a note shows. */
const locationUnitsMax = 1_024;

export interface FormLaw {
  readonly name: string;
  readonly property: () => fc.IRawProperty<unknown, false>;
}
const law = (name: string, holds: (full: string, mailed: string, at: string) => boolean): FormLaw => ({
  name,
  property: () => fc.property(text, location, (full, at) => holds(full, mailedForm(full, at), at)),
});

interface Parts {
  readonly head: string;
  readonly omitted: number;
  readonly shown: string;
  readonly tail: string;
}
/** Null where it has no note. */
function partsOf(mailed: string): Parts | null {
  const found =
    /^(?<head>.*)\n\[(?<omitted>\d+) characters left out here; the whole result is in (?<shown>.*?)\]\n(?<tail>.*)$/su.exec(
      mailed,
    );
  const { head = "", omitted = "", shown = "", tail = "" } = found?.groups ?? {};
  return found === null ? null : { head, omitted: Number(omitted), shown, tail };
}
/** Where it may be cut: at a line end, unless that gives away half of what there is room for. */
function isCutWell(full: string, { head, tail, shown }: Parts): boolean {
  const note = `\n[${full.length} characters left out here; the whole result is in ${shown}]\n`;
  const room = mailedUnitsMax - note.length;
  const [first, last] = [Math.ceil(room / 2), Math.floor(room / 2)];
  const lineEnd = full.lastIndexOf("\n", first - 1) + 1;
  const lineStart = full.indexOf("\n", full.length - last - 1) + 1;
  const isHead = lineEnd >= first / 2 ? head.length === lineEnd : first - head.length <= 1 && head.length <= first;
  const isTail =
    lineStart > 0 && full.length - lineStart >= last / 2
      ? tail.length === full.length - lineStart
      : last - tail.length <= 1 && tail.length <= last;
  return isHead && isTail;
}

export const formLaws: readonly FormLaw[] = [
  law("within the bound, however long the location", (_, mailed) => mailed.length <= mailedUnitsMax),
  law("whole where it is short, and with a note where it is not", (full, mailed) =>
    full.length <= mailedUnitsMax ? mailed === full : partsOf(mailed) !== null,
  ),
  law("well-formed where it was", (full, mailed) => !full.isWellFormed() || mailed.isWellFormed()),
  law("with its own beginning and end, and the count of what is left out", (full, mailed) => {
    const parts = full.length > mailedUnitsMax ? partsOf(mailed) : null;
    if (parts === null) return true;
    const { head, omitted, tail } = parts;
    return full.startsWith(head) && full.endsWith(tail) && full.length - head.length - tail.length === omitted;
  }),
  law("cut at line ends where that gives little away, else as late as it can be", (full, mailed) => {
    const parts = full.length > mailedUnitsMax ? partsOf(mailed) : null;
    return parts === null || isCutWell(full, parts);
  }),
  law("with its location, or the beginning of a long one", (full, mailed, at) => {
    const shown = full.length > mailedUnitsMax ? partsOf(mailed)?.shown : undefined;
    if (shown === undefined || at.length <= locationUnitsMax) return shown === undefined || shown === at;
    return shown.length >= locationUnitsMax - 1 && shown.endsWith("…") && at.startsWith(shown.slice(0, -1));
  }),
];
