/**
 * Strings as people may see them: whatever steers a terminal or a reading direction, cannot be seen, or is no character at
 * all, stands as an escape. And how many cells of a terminal a string takes.
 */

/** Controls, formats (among them the marks that turn the reading direction), separators, surrogates, private use, unassigned. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu;

export const visible = (text: string): string =>
  text.replace(unseen, (found) => {
    if (found === "\n") return "\\n";
    if (found === "\t") return "\\t";
    return `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`;
  });

/** Cut to so many code points, the last being `…` where something is missing. */
export function clipped(text: string, most: number): string {
  const points = [...text];
  return points.length <= most ? text : `${points.slice(0, most - 1).join("")}…`;
}

const marks = /\p{Mn}|\p{Me}/u;
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const cellOf = (point: string): number => (marks.test(point) ? 0 : wide.test(point) ? 2 : 1);

/** Of a string that is `visible`. */
export function cells(text: string): number {
  let count = 0;
  for (const point of text) count += cellOf(point);
  return count;
}

/** Cut to so many cells. */
export function fitted(text: string, most: number): string {
  if (cells(text) <= most) return text;
  let kept = "";
  let count = 0;
  for (const point of text) {
    count += cellOf(point);
    if (count > most - 1) break;
    kept += point;
  }
  return `${kept}…`;
}
