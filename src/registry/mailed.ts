/**
 * The form in which a result is mailed: short enough for a mailbox whatever the turn said. A pure function of the text
 * and of where the whole of it can be found. L18
 */

/** UTF-16 units of a mailed result, at most. */
export const mailedUnitsMax = 32_768;
/** A longer location is cut: the note says where to look, it must not be the mail. */
const locationUnitsMax = 1_024;

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
/** The largest cut at or before `at` that does not part a surrogate pair. */
function whole(text: string, at: number): number {
  return at > 0 && at < text.length && isHighSurrogate(text.charCodeAt(at - 1)) ? at - 1 : at;
}
/** Where the head ends: after the last line end that fits, unless that gives half of it away. */
function headEnd(text: string, units: number): number {
  const lineEnd = text.lastIndexOf("\n", units - 1) + 1;
  return lineEnd >= units / 2 ? lineEnd : whole(text, units);
}
/** Where the tail begins: likewise after a line end. */
function tailStart(text: string, units: number): number {
  const start = text.length - units;
  const lineEnd = text.indexOf("\n", start - 1) + 1;
  if (lineEnd > 0 && lineEnd <= start + units / 2) return lineEnd;
  // Never earlier: the bound holds.
  return whole(text, start) === start ? start : start + 1;
}

function note(omitted: number, location: string): string {
  return `\n[${omitted} characters left out here; the whole result is in ${location}]\n`;
}

export function mailedText(text: string, location: string): string {
  if (text.length <= mailedUnitsMax) return text;
  const shown =
    location.length <= locationUnitsMax ? location : `${location.slice(0, whole(location, locationUnitsMax - 1))}…`;
  // Room for the longest note there can be: nobody leaves out more than there is.
  const room = mailedUnitsMax - note(text.length, shown).length;
  const head = headEnd(text, Math.ceil(room / 2));
  const tail = tailStart(text, Math.floor(room / 2));
  return `${text.slice(0, head)}${note(tail - head, shown)}${text.slice(tail)}`;
}
