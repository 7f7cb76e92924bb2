/** What a corpus of stories says of the commits of a repository: a strip as text, as SVG, and where something changed. */

export type Mark = "holds" | "broken" | "not applicable" | "stale" | "does not start";
export interface Commit {
  readonly id: string;
  /** Year, month, day. */
  readonly day: string;
  readonly subject: string;
}
export interface Row {
  readonly name: string;
  /** One for each commit, in their order. */
  readonly marks: readonly Mark[];
}
export interface Strip {
  readonly commits: readonly Commit[];
  readonly rows: readonly Row[];
}

const signs: { readonly [mark in Mark]: string } = {
  holds: "·",
  broken: "X",
  "not applicable": "-",
  stale: "?",
  "does not start": "!",
};
const colours: { readonly [mark in Mark]: string } = {
  holds: "#4c9f70",
  broken: "#c8443c",
  "not applicable": "#d9d9d9",
  stale: "#e0b040",
  "does not start": "#707070",
};
const known: readonly Mark[] = ["holds", "broken", "not applicable", "stale", "does not start"];

/** Rows of the laws that stories are about: a law is broken where one of its stories is. */
export function byLaw(rows: readonly (Row & { readonly laws: readonly number[] })[]): readonly Row[] {
  const numbers = [...new Set(rows.flatMap(({ laws }) => laws))].sort((one, other) => one - other);
  return numbers.map((number) => {
    const of = rows.filter(({ laws }) => laws.includes(number));
    const marks = (of[0]?.marks ?? []).map((_, at): Mark => {
      const all = of.map((row) => row.marks[at] ?? "not applicable");
      return (
        (["broken", "stale", "does not start", "holds"] as const).find((mark) => all.includes(mark)) ?? "not applicable"
      );
    });
    return { name: `L${number}`, marks };
  });
}

export interface Change {
  readonly row: string;
  readonly commit: Commit;
  readonly is: "broken since" | "holds since";
}
/** Between a commit where it held or was broken and the next one where that can be told again. */
export function changesIn({ commits, rows }: Strip): readonly Change[] {
  return rows.flatMap(({ name, marks }) => {
    let last: Mark | null = null;
    return marks.flatMap((mark, at): readonly Change[] => {
      const commit = commits[at];
      if ((mark !== "holds" && mark !== "broken") || commit === undefined) return [];
      const changed = last !== null && last !== mark;
      last = mark;
      return changed ? [{ row: name, commit, is: mark === "holds" ? "holds since" : "broken since" }] : [];
    });
  });
}

export function stripText(strip: Strip): string {
  const { commits, rows } = strip;
  const width = Math.max(...rows.map(({ name }) => name.length));
  const days = commits.map(({ day }, at) => (day === commits[at - 1]?.day ? "" : day.slice(5)));
  const wide = 6;
  const cells = (texts: readonly string[]): string =>
    texts
      .map((text) => text.padEnd(wide))
      .join("")
      .trimEnd();
  const used = known.filter((mark) => rows.some(({ marks }) => marks.includes(mark)));
  const changes = changesIn(strip).map(
    ({ row, commit, is }) => `  ${row}: ${is} ${commit.id.slice(0, 7)} (${commit.day}, ${commit.subject})`,
  );
  return [
    `${" ".repeat(width)}  ${cells(days)}`,
    ...rows.map(({ name, marks }) => `${name.padEnd(width)}  ${cells(marks.map((mark) => signs[mark]))}`),
    "",
    used.map((mark) => `${signs[mark]} ${mark}`).join("   "),
    ...(changes.length === 0 ? [] : ["", "seen to change, at the first of the commits told:", ...changes]),
    "",
  ].join("\n");
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`);

const cell = { width: 64, height: 22, letter: 6.6 };

/** One picture without anything else: readable where colours are not, by the signs. */
export function stripSvg({ commits, rows }: Strip, title: string): string {
  const left = Math.ceil(Math.max(...rows.map(({ name }) => name.length)) * cell.letter) + 16;
  const [width, height] = [left + commits.length * cell.width + 8, 62 + (rows.length + 2) * cell.height];
  const text = (x: number, y: number, said: string, more = ""): string =>
    `<text x="${x}" y="${y}"${more}>${escaped(said)}</text>`;
  const heads = commits.flatMap(({ id, day }, at) => {
    const x = left + at * cell.width + cell.width / 2;
    return [text(x, 40, day.slice(5), ' text-anchor="middle"'), text(x, 54, id.slice(0, 7), ' text-anchor="middle"')];
  });
  const body = rows.flatMap(({ name, marks }, row) => {
    const y = 62 + row * cell.height;
    const cells = marks.map((mark, at) => {
      const x = left + at * cell.width;
      const said = `${name}, ${commits[at]?.id.slice(0, 7)}: ${mark}`;
      return `<g><title>${escaped(said)}</title><rect x="${x + 1}" y="${y + 1}" width="${cell.width - 2}" height="${cell.height - 2}" rx="3" fill="${colours[mark]}"/>${text(x + cell.width / 2, y + 15, signs[mark], ' text-anchor="middle" fill="#fff"')}</g>`;
    });
    return [text(8, y + 15, name), ...cells];
  });
  const used = known.filter((mark) => rows.some(({ marks }) => marks.includes(mark)));
  const legend = used.map((mark, at) => {
    const [x, y] = [8 + at * 130, 62 + (rows.length + 1) * cell.height];
    return `<rect x="${x}" y="${y}" width="14" height="14" rx="3" fill="${colours[mark]}"/>${text(x + 20, y + 12, mark)}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, monospace" font-size="11" fill="#222">`,
    `<title>${escaped(title)}</title>`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    text(8, 18, title, ' font-size="13"'),
    ...heads,
    ...body,
    ...legend,
    "</svg>",
    "",
  ].join("\n");
}
