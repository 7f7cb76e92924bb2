/** What was measured, as people read it: one table a subject, 80 columns at most, units at every number. */

export type Unit = "ms" | "bytes" | "times" | "per_second" | "count";
export interface Row {
  readonly label: string;
  readonly unit: Unit;
  /** Of each column, where they differ. */
  readonly units?: readonly Unit[];
  /** One for each column; null where there is nothing to tell. */
  readonly values: readonly (number | null)[];
}
export interface Section {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** Sentences below the table. */
  readonly notes: readonly string[];
}
/** What has to hold; `isHeld` decides the exit code. */
export interface Claim {
  /** Work counted is the regression test; floors are what was promised. */
  readonly about: "work" | "floor";
  readonly what: string;
  readonly asked: string;
  readonly found: string;
  readonly isHeld: boolean;
}

const width = 80;
const cellWidth = 10;

/** Three digits that count, and no exponent. */
function digits(value: number): string {
  if (value >= 1_000) return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
  const decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return value.toFixed(decimals);
}
/** In thousands where that is short; what is near a limit of 32 KB, 32,768 of them, is said to the byte. */
function bytes(value: number): string {
  if (value < 100_000) return `${digits(Math.round(value)).replace(/\.0+$/, "")} B`;
  return value < 1_000_000 ? `${digits(value / 1_000)} KB` : `${digits(value / 1_000_000)} MB`;
}
export function shown(value: number, unit: Unit): string {
  switch (unit) {
    case "ms":
      return value >= 10_000 ? `${digits(value / 1_000)} s` : `${digits(value)} ms`;
    case "bytes":
      return bytes(value);
    case "times":
      return `${value >= 10 ? digits(Math.round(value)).replace(/\.0+$/, "") : digits(value)}x`;
    case "per_second":
      return `${digits(Math.round(value))}/s`;
    case "count":
      return digits(Math.round(value)).replace(/\.0+$/, "");
  }
}

function line(label: string, cells: readonly string[]): string {
  const right = cells.map((cell) => cell.padStart(cellWidth)).join("");
  return `  ${label.padEnd(width - 2 - right.length)}${right}`.trimEnd();
}
export function wrapped(text: string, indent: string, columns: number = width): readonly string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of text.split(" ")) {
    if (current !== "" && indent.length + current.length + 1 + word.length > columns) {
      lines.push(indent + current);
      current = "";
    }
    current += current === "" ? word : ` ${word}`;
  }
  return [...lines, indent + current];
}

export function tableOf({ title, columns, rows, notes }: Section): string {
  const body = rows.map(({ label, unit, units, values }) =>
    line(
      label,
      values.map((value, at) => (value === null ? "" : shown(value, units?.[at] ?? unit))),
    ),
  );
  return [title, line("", columns), ...body, ...notes.flatMap((note) => wrapped(note, "  ")), ""].join("\n");
}

const askedWidth = 13;
const foundWidth = 12;
function claimOf({ what, asked, found, isHeld }: Claim): readonly string[] {
  const right = asked.padStart(askedWidth) + found.padStart(foundWidth);
  const [first = "", ...others] = wrapped(isHeld ? what : `MISSED ${what}`, "  ", width - right.length);
  return [first.padEnd(width - right.length) + right, ...others];
}
/** What has to hold, floors one by one; counts of work as one line, unless they are wrong. */
export function claimsOf(claims: readonly Claim[]): string {
  const work = claims.filter(({ about, isHeld }) => about === "work" && isHeld);
  const told = claims.filter((claim) => !work.includes(claim));
  const head =
    "What has to hold".padEnd(width - askedWidth - foundWidth) +
    "asked".padStart(askedWidth) +
    "found".padStart(foundWidth);
  const summary =
    work.length === 0
      ? []
      : [`  ${work.length} ${work.length === 1 ? "count" : "counts"} of work, the same in every sample`];
  return [head, ...told.flatMap(claimOf), ...summary].join("\n");
}
