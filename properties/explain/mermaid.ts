/**
 * An explanation as a sequence diagram in Mermaid's language, for where only text can be put, as in a pull request. Whatever
 * is said is ours or escaped, so that no text of a story can end a line, open a block or close the fence around the diagram.
 */
import { chartOf, type Span } from "./chart.ts";
import { differsOf } from "./differs.ts";
import type { Explanation, Told } from "./explanation.ts";
import type { Mark } from "./marks.ts";
import { numberOf } from "./notes.ts";
import { plainly, replyTo, sayOutcome, sentence } from "./say.ts";
import { clipped, visible } from "./visible.ts";

/** Code points of one line of a note. */
const pointsMax = 90;

/** Letters, digits and what no reader of the language takes for more than itself; all else by its number. */
export function mermaidEscaped(text: string): string {
  const safe = /^[\p{L}\p{N}\p{M} .,/_()'=+*?!|→≠…⟨⟩-]$/u;
  return [...text].map((point) => (safe.test(point) ? point : `#${point.codePointAt(0) ?? 63};`)).join("");
}
const line = (text: string): string => mermaidEscaped(clipped(visible(text), pointsMax));

export function explanationMermaid(explanation: Explanation): string {
  const { failing, target } = explanation;
  const { lanes, rows, spans } = chartOf(explanation);
  const id = (lane: number): string => `L${lane}`;
  const last = id(lanes.length - 1);
  const steps = explanation.told.filter(({ at }) => at.length === 1);
  const out = [
    "sequenceDiagram",
    ...lanes.map(
      ({ name, kind }, lane) => `  ${kind === "root" ? "actor" : "participant"} ${id(lane)} as ${line(name)}`,
    ),
  ];
  const open: Span[] = [];
  for (const [index, told] of steps.entries()) {
    const row = rows[index];
    if (row === undefined) continue;
    const fails = index === failing?.step;
    if (fails) out.push("  rect rgba(220, 60, 60, 0.18)");
    out.push(`  Note over ${id(0)},${last}: ${noteOf(explanation, told)}`);
    for (const mark of row.marks) out.push(`  ${arrow(mark, id)}`);
    // A gate that goes over into the next one of its operation stays open.
    for (const span of spans.filter(({ to }) => to === index)) {
      const goesOn = spans.some(({ op, from }) => op === span.op && from === index);
      const at = open.findIndex(({ op }) => op === span.op);
      if (goesOn || at < 0) continue;
      open.splice(at, 1);
      out.push(`  deactivate ${id(span.lane)}`);
    }
    for (const span of spans.filter(({ from }) => from === index)) {
      if (!open.some(({ op }) => op === span.op)) {
        open.push(span);
        out.push(`  activate ${id(span.lane)}`);
      }
      out.push(`  Note right of ${id(span.lane)}: ${line(`${span.gate} is open`)}`);
    }
    if (row.cut !== null) out.push(`  Note over ${id(0)},${last}: ${line(cuts[row.cut])}`);
    if (fails) out.push(...differing(explanation, id(0), last), "  end");
  }
  if (failing !== null && failing.step < 0) out.push(...differing(explanation, id(0), last));
  for (const { lane } of open) out.push(`  deactivate ${id(lane)}`);
  if (failing === null) out.push(`  Note over ${id(0)},${last}: ${line(`${target} holds`)}`);
  return `${out.join("\n")}\n`;
}

const cuts = { crash: "all that was live is gone", close: "closed", restore: "restored" } as const;

function noteOf({ frames, told: all }: Explanation, told: Told): string {
  const reply = frames[told.at[0] + 1]?.model.reply ?? null;
  const inner = all.filter(({ at }) => at.length === 2 && at[0] === told.at[0]);
  const said = [told, ...inner].map((each) => {
    const answer = replyTo(each.at, reply);
    const outcome = answer === null || each.step.do === "together" ? "" : sayOutcome(answer);
    return line(
      `${each.need === "required" ? "*" : ""}${numberOf(each)} ${plainly(sentence(each.step))}${outcome === "" || outcome === "done" ? "" : ` → ${outcome}`}`,
    );
  });
  return said.join("<br/>");
}

/** Solid for what is asked and mailed, dashed for what the world answers; a cross where it went wrong. */
function arrow({ kind, from, to, label, bad, only }: Mark, id: (lane: number) => string): string {
  const says = line(`${kind === "mail" ? "mail: " : ""}${label}${only === null ? "" : `, only in the ${only}`}`);
  const dashed = kind === "answer" || only !== null;
  const head = bad ? (dashed ? "--x" : "-x") : dashed ? "-->>" : "->>";
  if (from === null) return `Note left of ${id(to)}: ${says}`;
  return `${id(from)}${head}${id(to)}: ${says}`;
}

function differing(explanation: Explanation, first: string, last: string): readonly string[] {
  const { failing, target } = explanation;
  const laws = (failing?.laws ?? []).map(({ number, sentence: says }) => line(`L${number} ${says}`));
  const places = differsOf(explanation).flatMap(({ where, model, target: other }) => [
    line(`≠ ${where}`),
    line(`model ${model}`),
    line(`${target} ${other}`),
  ]);
  const lines = [...laws.slice(0, 2), ...places.slice(0, 6)];
  return lines.length === 0 ? [] : [`  Note over ${first},${last}: ${lines.join("<br/>")}`];
}
