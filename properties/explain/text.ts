/** An explanation on a terminal: at most 25 lines, plain words, colour only when told. */
import pc from "picocolors";
import { differsOf } from "./differs.ts";
import type { Explanation, Told } from "./explanation.ts";
import { effortNote, freeNote, headline, neededNote, numberOf, orderNote, partingNote, valueNote } from "./notes.ts";
import { type Piece, replyTo, sayReply, sentence } from "./say.ts";
import { cells, fitted, visible } from "./visible.ts";

export interface Paper {
  readonly color: boolean;
  /** Cells of a line. */
  readonly columns: number;
}

export const linesMax = 25;
/** So that something of each can be told: laws, places that differ, and lines of one note. */
const lawsMax = 2;
const placesMax = 2;
const noteLinesMax = 2;
/** Narrower than this nothing can be laid out. */
const columnsMin = 40;

type Colors = ReturnType<typeof pc.createColors>;
/** A line, and the same as it is measured: colours take no room. */
type Paint = (text: string) => string;

export function explanationText(explanation: Explanation, { color, columns }: Paper): string {
  const c = pc.createColors(color);
  const width = Math.max(columnsMin, columns);
  const head = headOf(explanation, width, c);
  const notes = notesOf(explanation, width, c);
  const differing = differingOf(explanation, width, c);
  // What a crowded screen gives up first: the middle of the story.
  const room = linesMax - head.length - notes.length - differing.length - (notes.length > 0 ? 2 : 1);
  const story = storyOf(explanation, width, Math.max(3, room), c);
  const at = explanation.failing === null ? story.lines.length : story.failing + 1;
  const told = [...story.lines.slice(0, at), ...differing, ...story.lines.slice(at)];
  const blank = notes.length > 0 ? [""] : [];
  return `${[...head, "", ...told, ...blank, ...notes].slice(0, linesMax).join("\n")}\n`;
}

function headOf(explanation: Explanation, width: number, c: Colors): readonly string[] {
  const { failing, title } = explanation;
  const name = visible(title) === "" ? "" : `${visible(title)}: `;
  const first = wrapped(`${name}${headline(explanation)}`, width, 2).map(c.bold);
  if (failing === null) return first;
  const laws = failing.laws
    .slice(0, lawsMax)
    .flatMap(({ number, sentence: says, what: broken }) => [
      ...wrapped(`L${number} ${says}`, width, 2, "   ").map((line) => c.red(line)),
      `   ${fitted(visible(broken), width - 3)}`,
    ]);
  const more = failing.laws.slice(lawsMax).map(({ number }) => `L${number}`);
  return [...first, ...laws, ...(more.length === 0 ? [] : [fitted(`and ${more.join(", ")}`, width)])];
}

/** Only what differs, model and target side by side where a line has room for both. */
function differingOf(explanation: Explanation, width: number, c: Colors): readonly string[] {
  const places = differsOf(explanation);
  const label = fitted(visible(explanation.target), 16);
  const pad = Math.max(5, cells(label));
  const lines = places.slice(0, placesMax).flatMap(({ where, model, target }) => {
    const both = `      ${where}   model ${model} | ${label} ${target}`;
    if (cells(both) <= width) return [`      ${c.bold(where)}   model ${c.green(model)} | ${label} ${c.red(target)}`];
    const side = (name: string, says: string, paint: Paint): string =>
      `        ${name.padEnd(pad)} ${paint(fitted(says, width - pad - 9))}`;
    return [`      ${c.bold(fitted(where, width - 6))}`, side("model", model, c.green), side(label, target, c.red)];
  });
  const more = places.slice(placesMax).map(({ where }) => where);
  return more.length === 0 ? lines : [...lines, `      ${fitted(`and ${more.join("; ")}`, width - 6)}`];
}

function notesOf(explanation: Explanation, width: number, c: Colors): readonly string[] {
  if (explanation.failing === null) return [];
  const said = [
    orderNote(explanation),
    valueNote(explanation),
    partingNote(explanation),
    neededNote(explanation),
    freeNote(explanation),
  ];
  const legend = `* required, ~ only for its order. ${effortNote(explanation)}`;
  return [
    ...said.flatMap((note) => (note === null ? [] : wrapped(note, width, noteLinesMax, "  "))),
    ...wrapped(legend, width, 1).map((line) => c.dim(line)),
  ];
}

interface StoryLine {
  readonly text: string;
  /** The higher, the longer it is kept. */
  readonly weight: number;
}

/** A step a line; where they are too many, runs of the least telling ones become one line. */
function storyOf(
  explanation: Explanation,
  width: number,
  room: number,
  c: Colors,
): { readonly lines: readonly string[]; readonly failing: number } {
  const { told } = explanation;
  const lines = told.map(
    (each, index): StoryLine => ({
      text: stepLine(explanation, each, width, c),
      weight: weightOf(explanation, each) + index / told.length,
    }),
  );
  const kept = new Set(lines);
  const order = [...lines].sort((one, other) => one.weight - other.weight);
  const height = (): number =>
    lines.reduce((sum, line, at) => sum + (kept.has(line) || at === 0 || kept.has(lines[at - 1] ?? line) ? 1 : 0), 0);
  for (const line of order) {
    if (height() <= room || kept.size <= 1) break;
    kept.delete(line);
  }
  const shown: string[] = [];
  let gap = 0;
  let failing = -1;
  const close = (): void => {
    if (gap > 0) shown.push(c.dim(`    … ${gap} ${gap === 1 ? "line" : "lines"} of the story left out`));
    gap = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (!kept.has(line)) {
      gap++;
      continue;
    }
    close();
    shown.push(line.text);
    if (told[index]?.at[0] === explanation.failing?.step) failing = shown.length - 1;
  }
  close();
  return { lines: shown, failing };
}

function weightOf({ failing }: Explanation, { at, need }: Told): number {
  if (at[0] === failing?.step && at.length === 1) return 10;
  return { required: 6, order: 4, untried: 2, free: 0 }[need];
}

const needMarks: Record<Told["need"], string> = { required: "*", order: "~", free: " ", untried: " " };

function stepLine({ failing, frames }: Explanation, told: Told, width: number, c: Colors): string {
  const fails = told.at[0] === failing?.step && told.at.length === 1;
  const lead = `${fails ? ">" : " "}${needMarks[told.need]}${numberOf(told).padStart(told.at.length === 1 ? 2 : 5)} `;
  const pieces = sentence(told.step);
  const reply = replyTo(told.at, frames[told.at[0] + 1]?.model.reply ?? null);
  const answer = reply === null || told.step.do === "together" ? "" : sayReply(reply);
  const says = pieces.map((piece) => painted(piece, told, c));
  const length = pieces.reduce((sum, piece) => sum + cells(typeof piece === "string" ? piece : piece.says), 0);
  const left = width - cells(lead) - length;
  const head = fails ? c.bold(c.red(lead)) : lead;
  if (left < 0)
    return `${head}${fitted(pieces.map((piece) => (typeof piece === "string" ? piece : piece.says)).join(""), width - cells(lead))}`;
  const tail = answer === "" || answer === "done" || left < 8 ? "" : c.dim(` → ${fitted(answer, left - 3)}`);
  return `${head}${says.join("")}${tail}`;
}

/** Values that do not matter stand back. */
function painted(piece: Piece, { worths }: Told, c: Colors): string {
  if (typeof piece === "string") return piece;
  const worth = worths.find(({ key }) => key === piece.key);
  if (worth?.matters === "no") return c.dim(piece.says);
  return worth?.matters === "yes" && piece.says !== "ok" ? c.yellow(piece.says) : piece.says;
}

/** Broken at spaces; what is over the last line is cut. */
function wrapped(text: string, width: number, most: number, indent = ""): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const lead = lines.length === 0 ? "" : indent;
    const longer = line === "" ? `${lead}${word}` : `${line} ${word}`;
    if (line === "" || cells(longer) <= width || lines.length === most - 1) line = longer;
    else {
      lines.push(line);
      line = `${indent}${word}`;
    }
  }
  return [...lines, line].map((each) => fitted(each, width));
}
