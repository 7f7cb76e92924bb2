/**
 * An explanation as one page that needs nothing else: the difference first, then the story with its lanes, and beside it both
 * sides of the chosen moment. It can be read without scripts; with them, steps are chosen by key or mouse. A policy in the
 * page allows the one script and the one style that are ours and nothing from outside.
 */
import { createHash } from "node:crypto";
import { type Chart, chartOf } from "./chart.ts";
import { differsOf } from "./differs.ts";
import type { Explanation } from "./explanation.ts";
import { embedded, escaped } from "./html.ts";
import { effortNote, freeNote, headline, neededNote, orderNote, partingNote, valueNote } from "./notes.ts";
import { panelOf } from "./page-panel.ts";
import { lanesHead, storyRows } from "./page-rows.ts";
import { start } from "./page-script.ts";
import { styleFor } from "./page-style.ts";
import { sheetsOf } from "./sheets.ts";
import { visible } from "./visible.ts";

const hash = (text: string): string => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

/** Laws and places that differ, shown at the top at once; the other laws fold, all places are in the panel. */
const lawsMax = 2;
const placesMax = 6;

export function explanationPage(explanation: Explanation): string {
  const chart = chartOf(explanation);
  const sheets = sheetsOf(explanation);
  const differs = explanation.failing === null ? -1 : explanation.failing.step + 1;
  const at = differs < 0 ? sheets.frames.length - 1 : differs;
  const script = `(${start.toString()})(window, ${panelOf.toString()});`;
  const style = styleFor(chart.lanes.length);
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(headline(explanation))}</title>
<style>${style}</style>
</head>
<body>
<header>
<div class="bar"><button type="button" data-key="n">difference <kbd>n</kbd></button><button type="button" data-key="t" aria-label="light or dark">light / dark <kbd>t</kbd></button></div>
${visible(explanation.title) === "" ? "" : `<p class="title"><bdi>${escaped(visible(explanation.title))}</bdi></p>`}
<h1><bdi>${escaped(headline(explanation))}</bdi></h1>
${laws(explanation)}
${versus(explanation)}
${notes(explanation)}
</header>
<main>
<section class="chart" aria-label="The story, step by step">
<div class="scroll">${heads}
${lanesHead(chart)}
<ol id="story" data-differs="${differs}" aria-label="Steps">
${storyRows(explanation, chart)}
</ol></div>
${legend(chart, explanation)}
</section>
<section class="side" aria-label="Both sides of the chosen moment">
<div class="top"><h2 id="moment">${at === 0 ? "Before the first step" : `After step ${at} of ${sheets.frames.length - 1}`}</h2>
<div class="nav" role="group" aria-label="Choose a step"><button type="button" data-key="Home" aria-label="before the first step">⇤</button><button type="button" data-key="ArrowUp" aria-label="step before">↑</button><button type="button" data-key="ArrowDown" aria-label="next step">↓</button><button type="button" data-key="End" aria-label="last step">⇥</button><button type="button" data-key="n" aria-label="the difference">≠</button></div></div>
<div id="panel">${panelOf(sheets, at)}</div>
</section>
</main>
<div id="live" class="unseen" role="status" aria-live="polite"></div>
<script type="application/json" id="sheets">${embedded(sheets)}</script>
<script>${script}</script>
</body>
</html>
`;
}

function laws({ failing }: Explanation): string {
  const all = (failing?.laws ?? []).map(
    ({ number, sentence, what }) =>
      `<div class="law"><b>L${number}</b>${escaped(sentence).replaceAll(/`([^`]*)`/g, "<code>$1</code>")}<div class="what"><bdi>${escaped(visible(what))}</bdi></div></div>`,
  );
  const more = (failing?.laws ?? []).slice(lawsMax).map(({ number }) => `L${number}`);
  const rest =
    more.length === 0
      ? ""
      : `<details class="laws"><summary>and ${more.join(", ")}</summary>${all.slice(lawsMax).join("")}</details>`;
  return `${all.slice(0, lawsMax).join("\n")}${rest}`;
}

function versus(explanation: Explanation): string {
  const all = differsOf(explanation);
  if (all.length === 0) return "";
  const name = escaped(visible(explanation.target));
  const rows = all
    .slice(0, placesMax)
    .map(
      ({ where, model, target }) =>
        `<tr><th scope="row"><bdi>${escaped(where)}</bdi></th><td class="model" data-who="model"><bdi>${escaped(model)}</bdi></td><td class="target" data-who="${name}"><bdi>${escaped(target)}</bdi></td></tr>`,
    );
  const more =
    all.length > placesMax ? `<p class="notes">and ${all.length - placesMax} more, beside the last step</p>` : "";
  return `<table class="versus"><thead><tr><th scope="col">What differs</th><th scope="col">the model</th><th scope="col"><bdi>${name}</bdi></th></tr></thead><tbody>${rows.join("")}</tbody></table>${more}`;
}

function notes(explanation: Explanation): string {
  if (explanation.failing === null) return "";
  const said = [
    orderNote(explanation),
    valueNote(explanation),
    partingNote(explanation),
    neededNote(explanation),
    freeNote(explanation),
  ];
  const items = said.flatMap((note) => (note === null ? [] : [`<li>${escaped(note)}</li>`]));
  const hashed = explanation.hashed ? " Texts stand as lengths and hashes." : "";
  return `<ul class="notes">${items.join("")}<li class="effort">${escaped(`${effortNote(explanation)}${hashed}`)}</li></ul>`;
}

const kinds: readonly string[] = ["call", "answer", "provider", "commit", "mail", "bad"];
const heads = `<svg id="heads" aria-hidden="true"><defs>${kinds
  .map(
    (kind) =>
      `<marker id="head-${kind}" class="${kind}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0 0.5 L8 4 L0 7.5 z"/></marker>`,
  )
  .join("")}</defs></svg>`;

const stroke = (classes: string): string =>
  `<svg width="26" height="10" aria-hidden="true"><line class="rail ${classes}" x1="1" x2="25" y1="5" y2="5"/></svg>`;

function legend({ omitted }: Chart, { hidden, failing }: Explanation): string {
  const items = [
    `${stroke("agent idle")}idle`,
    `${stroke("agent starting")}starting`,
    `${stroke("agent running")}running`,
    `${stroke("agent waiting")}waiting`,
    `${stroke("agent blocked")}blocked`,
    `${stroke("agent reserved")}reserved`,
    `<svg width="26" height="12" aria-hidden="true"><rect class="gate dispatch" x="1" y="1" width="24" height="9"/></svg>gate open`,
    ...(failing === null
      ? []
      : [
          '<b class="value yes">value</b> has to be this',
          '<span class="value no">value</span> does not matter',
          "black number: step required",
        ]),
    ...(omitted === 0 ? [] : [`${omitted} other ${omitted === 1 ? "agent is" : "agents are"} not drawn`]),
    ...(hidden.length === 0 ? [] : [`the target does not show: ${escaped(hidden.map(visible).join(", "))}`]),
    '<span class="keys"><kbd>↑</kbd> <kbd>↓</kbd> <kbd>Home</kbd> <kbd>End</kbd> choose, <kbd>n</kbd> difference</span>',
  ];
  return `<ul class="legend">${items.map((item) => `<li>${item}</li>`).join("")}</ul>`;
}
