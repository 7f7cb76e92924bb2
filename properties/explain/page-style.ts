/** How the page looks: one set of names for colours, each with a light and a dark value; wide, narrow, and on paper. */
const common = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#ffffff, #0e1116);
  --raised: light-dark(#f5f7fa, #171b22);
  --ink: light-dark(#1a1f26, #e8ecf1);
  --soft: light-dark(#545d68, #9ea7b3);
  --line: light-dark(#d3d9e0, #323944);
  --rail: light-dark(#8b949e, #6b7683);
  --model: light-dark(#0b6129, #79dd8f);
  --model-ground: light-dark(#e3f6e8, #12291a);
  --target: light-dark(#a3132b, #ff9d98);
  --target-ground: light-dark(#ffebeb, #34161a);
  --fresh-ground: light-dark(#fff3c4, #3a3010);
  --fresh: light-dark(#6b4a00, #f2cc60);
  --accent: light-dark(#0a52b0, #82bdff);
  --chosen: light-dark(#e7f0fd, #172840);
  --hydrate: light-dark(#0f6b70, #4fd1d9);
  --prepare: light-dark(#6f3bc9, #cba6ff);
  --dispatch: light-dark(#8a5a00, #eab44a);
  --abort: light-dark(#b03a00, #ff9f66);
  --handler: light-dark(#0a52b0, #82bdff);
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "Segoe UI Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
bdi { unicode-bidi: isolate; direction: ltr; overflow-wrap: anywhere; }
h1 { font-size: 21px; line-height: 1.25; margin: 0 0 4px; text-wrap: balance; }
h2 { font-size: 15px; margin: 0; }
h3 { font-size: 13px; margin: 0; display: inline; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
main, header { max-width: 1560px; margin: 0 auto; padding: 0 20px; }
header { padding-top: 16px; }
.title { color: var(--soft); margin: 0 0 2px; }
.bar { float: right; display: flex; gap: 6px; margin-left: 12px; }
.bar button, .nav button { font: inherit; font-size: 12px; padding: 4px 9px; border: 1px solid var(--line); border-radius: 6px; background: var(--raised); color: var(--ink); cursor: pointer; }
kbd { font: 11px var(--mono); color: var(--soft); border: 1px solid var(--line); border-radius: 4px; padding: 0 4px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }

.law { margin: 8px 0 0; padding: 7px 12px; border-left: 4px solid var(--target); background: var(--raised); border-radius: 0 6px 6px 0; }
.law b { color: var(--target); margin-right: 6px; }
.laws { margin: 6px 0 0; color: var(--soft); }
.laws summary { cursor: pointer; font-size: 12.5px; }
.law { color: var(--ink); }
.law code { font-family: var(--mono); font-size: 0.92em; }
.law .what { color: var(--soft); font: 12px/1.4 var(--mono); overflow-wrap: anywhere; }
.versus { width: 100%; border-collapse: collapse; margin: 10px 0 0; }
.versus th { text-align: left; font-weight: 600; font-size: 12px; padding: 2px 10px; color: var(--soft); }
.versus td, .versus tbody th { padding: 5px 10px; border-top: 1px solid var(--line); vertical-align: top; color: var(--ink); }
.versus tbody th { font-size: 14px; width: 24%; }
.versus td { font: 13px/1.45 var(--mono); width: 38%; }
.versus td.model { background: var(--model-ground); color: var(--model); }
.versus td.target { background: var(--target-ground); color: var(--target); }
.notes { margin: 10px 0 0; padding: 0 0 0 18px; }
.notes li { margin: 1px 0; }
.notes .effort { color: var(--soft); }

main { display: grid; grid-template-columns: minmax(0, 1fr) minmax(340px, 430px); gap: 24px; padding-top: 14px; padding-bottom: 40px; align-items: start; }
.chart { min-width: 0; }
.scroll { overflow-x: auto; }
#story, .head { --says: minmax(230px, 34%); }
#story { list-style: none; margin: 0; padding: 0; }
.row, .head { display: grid; grid-template-columns: var(--says) minmax(0, 1fr); position: relative; }
.head { border-bottom: 1px solid var(--line); align-items: end; }
.head .lanes { display: flex; padding-bottom: 5px; }
.lane { flex: 1 1 0; min-width: 0; text-align: center; font-weight: 600; font-size: 12px; overflow: hidden; text-overflow: ellipsis; padding: 0 2px; }
.lane.provider, .lane.archive { color: var(--soft); font-weight: 500; font-style: italic; }
.row { --behind: var(--ground); border-bottom: 1px solid var(--line); cursor: pointer; background: var(--behind); }
.row:hover { --behind: var(--raised); }
.row:has([aria-current]) { --behind: var(--chosen); }
.row.fails { --behind: var(--target-ground); }
.row.fails:has([aria-current]), .row:has([aria-current]) { box-shadow: inset 4px 0 0 var(--accent); }
.row.fails:has([aria-current]) { box-shadow: inset 4px 0 0 var(--target); }
.says { padding: 6px 8px 6px 10px; min-width: 0; position: relative; }
.says button { all: unset; box-sizing: border-box; display: block; width: 100%; cursor: pointer; padding-left: 32px; position: relative; }
.says button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.number { position: absolute; left: 0; top: 0; min-width: 24px; height: 21px; border-radius: 11px; border: 1.5px solid var(--rail); color: var(--ink); font: 600 11px/18px var(--mono); text-align: center; padding: 0 3px; }
.number.required { background: var(--ink); border-color: var(--ink); color: var(--ground); }
.number.order { border-style: dashed; border-color: var(--ink); }
.number.free { color: var(--soft); border-style: dotted; }
.start .sentence { color: var(--soft); }
.value { border-radius: 3px; }
.value.no, .value.length { color: var(--soft); text-decoration: underline dotted; text-underline-offset: 3px; }
.value.yes { font-weight: 650; }
.reply { color: var(--soft); font-size: 12.5px; display: inline-block; }
.race { display: block; width: max-content; margin: -15px 0 3px 32px; padding: 0 7px; border-radius: 8px; background: var(--ground); border: 1px solid var(--fresh); color: var(--fresh); font-size: 11px; line-height: 16px; position: relative; z-index: 2; }
.flag { display: block; margin: 4px 0 0 32px; color: var(--target); font-weight: 700; font-size: 12.5px; }
.inner { list-style: none; margin: 6px 0 0 32px; padding: 0; }
.inner li { position: relative; padding-left: 40px; margin: 3px 0; min-height: 21px; }
.inner .race { margin: 0 0 2px -40px; }
.inner .number { min-width: 32px; }

.row .lanes { position: relative; min-width: 0; min-height: 30px; }
svg.rails { position: absolute; inset: 0; }
svg.marks { position: relative; display: block; overflow: visible; }
.lanes svg { overflow: visible; }
.rail { stroke: var(--rail); stroke-width: 1; fill: none; }
.rail.reserved { stroke-dasharray: 2 4; stroke-width: 1.5; }
.rail.idle { stroke-width: 1.5; }
.rail.root.running { stroke-width: 1.5; }
.rail.agent.running { stroke: var(--accent); stroke-width: 5; }
.rail.starting { stroke: var(--dispatch); stroke-width: 4; stroke-dasharray: 6 3; }
.rail.waiting { stroke: var(--accent); stroke-width: 4; stroke-dasharray: 2 3; }
.rail.blocked { stroke: var(--abort); stroke-width: 5; }
.rail.aside { stroke: var(--target); stroke-dasharray: 1 5; stroke-width: 2; }
.rail.closed { stroke-dasharray: 1 7; }
.rail.provider, .rail.archive { stroke-dasharray: 1 4; stroke: var(--rail); }
rect.gate { stroke-width: 1.6; }
rect.hydrate { fill: color-mix(in srgb, var(--hydrate) 30%, var(--ground)); }
rect.prepare { fill: color-mix(in srgb, var(--prepare) 30%, var(--ground)); }
rect.dispatch { fill: color-mix(in srgb, var(--dispatch) 30%, var(--ground)); }
rect.abort { fill: color-mix(in srgb, var(--abort) 30%, var(--ground)); }
rect.handler { fill: color-mix(in srgb, var(--handler) 30%, var(--ground)); }
line.end { stroke-width: 2.6; }
text.gate { font: italic 600 11px system-ui, sans-serif; }
rect.hydrate, line.hydrate { stroke: var(--hydrate); } text.hydrate { fill: var(--hydrate); }
rect.prepare, line.prepare { stroke: var(--prepare); } text.prepare { fill: var(--prepare); }
rect.dispatch, line.dispatch { stroke: var(--dispatch); } text.dispatch { fill: var(--dispatch); }
rect.abort, line.abort { stroke: var(--abort); } text.abort { fill: var(--abort); }
rect.handler, line.handler { stroke: var(--handler); } text.handler { fill: var(--handler); }
.mark line { stroke: var(--ink); stroke-width: 1.4; }
.mark text { font-size: 11.5px; fill: var(--ink); }
.lanes text { paint-order: stroke; stroke: var(--behind); stroke-width: 4px; stroke-linejoin: round; }
.mark .middle { text-anchor: middle; }
.mark circle { fill: var(--ink); }
.mark.answer line { stroke-dasharray: 5 3; }
.mark.commit line, .mark.provider line { stroke: var(--soft); }
.mark.commit text, .mark.provider text { fill: var(--soft); }
.mark.mail line { stroke: var(--accent); stroke-width: 2; }
.mark.mail text { fill: var(--accent); font-weight: 600; }
.letter rect, .letter path { fill: var(--ground); stroke: var(--accent); stroke-width: 1.4; }
.letter path { fill: none; }
.mark.mail.right .middle, .mark.mail.left .middle { transform: translate(0, -3px); }
.mark.bad line, .mark.only line { stroke: var(--target); }
.mark.bad text, .mark.only text { fill: var(--target); font-weight: 650; }
.mark.bad circle { fill: var(--target); }
.mark.only line { stroke-dasharray: 3 3; }
.mark.only .letter rect, .mark.only .letter path { stroke: var(--target); }
.sign circle { fill: var(--target); }
.sign text { fill: var(--target-ground); font: 700 12px system-ui, sans-serif; text-anchor: middle; stroke: none !important; }
#heads { position: absolute; width: 0; height: 0; }
#heads path { fill: var(--ink); }
#heads .commit path, #heads .provider path { fill: var(--soft); }
#heads .mail path { fill: var(--accent); }
#heads .bad path { fill: var(--target); }
.row.cut::before { content: ""; position: absolute; left: var(--cut, max(230px, 34%)); right: 0; top: 50%; border-top: 2px dashed var(--target); }
.row.cut.restore::before, .row.cut.close::before { border-color: var(--rail); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 10px 0 0; padding: 0; list-style: none; color: var(--soft); font-size: 12px; }
.legend svg { vertical-align: middle; margin-right: 5px; overflow: visible; }

.side { position: sticky; top: 10px; max-height: calc(100vh - 20px); overflow: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--ground); }
.side > .top { position: sticky; top: 0; z-index: 1; background: var(--raised); border-bottom: 1px solid var(--line); padding: 8px 12px; display: flex; gap: 8px; align-items: center; justify-content: space-between; }
.nav { display: flex; gap: 4px; }
#panel { padding: 4px 12px 12px; }
#panel summary { cursor: pointer; padding: 2px 0; }
.section { border-top: 1px solid var(--line); padding: 5px 0; }
.section:first-child { border-top: 0; }
.section details { margin: 0 0 2px 14px; }
.section > dl { margin-left: 14px; }
dl { margin: 2px 0 4px; }
.field { display: grid; grid-template-columns: 92px minmax(0, 1fr); gap: 0 8px; padding: 1px 4px; border-radius: 4px; font-size: 12.5px; }
.field dt { color: var(--soft); grid-row: span 2; overflow-wrap: anywhere; }
.field dd { margin: 0; font-family: var(--mono); font-size: 12px; grid-column: 2; }
.item { display: inline-block; max-width: 100%; }
.item.one { display: block; width: fit-content; }
.field.changed { background: var(--fresh-ground); }
.field.changed dt { color: var(--fresh); font-weight: 650; }
.item.fresh { font-weight: 700; }
.item.gone { color: var(--soft); text-decoration: line-through; }
.item.only { font-weight: 700; }
.item.one.only { border: 1px solid currentColor; border-radius: 3px; padding: 0 3px; }
.nothing { color: var(--soft); font-style: italic; }
.field.unlike { background: none; box-shadow: inset 3px 0 0 var(--target); padding-left: 8px; }
.field.unlike dt { color: var(--target); font-weight: 700; }
.field.unlike dd { padding: 1px 6px; border-radius: 3px; }
.field.unlike .model { background: var(--model-ground); color: var(--model); }
.field.unlike .target { background: var(--target-ground); color: var(--target); }
.field.unlike .nothing, .field.unlike .gone { color: inherit; }
.who { font: 600 11px system-ui, sans-serif; }
.quiet { color: var(--soft); font-size: 12px; }
.badge { font-size: 11px; font-weight: 650; border-radius: 8px; padding: 0 7px; }
.badge.changed { background: var(--fresh-ground); color: var(--fresh); }
.badge.unlike { background: var(--target-ground); color: var(--target); }
:root:not([data-alive]) .bar, :root:not([data-alive]) .nav { display: none; }

@media (max-width: 1000px) {
  main { grid-template-columns: minmax(0, 1fr); }
  .side { position: static; max-height: none; overflow: visible; }
  .side > .top { position: sticky; top: 0; }
}
@media (max-width: 640px) {
  body { padding-bottom: 0; }
  header, main { padding-left: 12px; padding-right: 12px; }
  h1 { font-size: 18px; }
  .bar { float: none; margin: 0 0 8px; justify-content: flex-end; }
  .versus, .versus tbody, .versus tr, .versus td, .versus tbody th { display: block; width: auto; }
  .versus thead { display: none; }
  .versus td::before { content: attr(data-who) " "; font: 600 11px system-ui, sans-serif; }
  .versus td { border-top: 0; }
  #story, .head { --says: minmax(0, 1fr); }
  .row, .head { grid-template-columns: minmax(0, 1fr); }
  .head { position: sticky; top: 0; background: var(--ground); z-index: 3; padding-top: 6px; }
  .head .says { display: none; }
  .row .lanes { position: static; }
  .race { margin-top: 0; }
  .row.cut { --cut: 0px; }
  .row.cut::before { top: auto; bottom: 4px; }
  .says { padding-bottom: 0; z-index: 1; }
  .says .sentence, .says .reply, .flag { background: color-mix(in srgb, var(--behind) 90%, transparent); border-radius: 3px; }
  .flag { width: max-content; max-width: calc(100% - 32px); }
  .mark text { font-size: 11px; }
}
@media print {
  :root { color-scheme: light !important; }
  body { font-size: 11px; }
  .bar, .nav, .legend .keys { display: none !important; }
  main { display: block; }
  .side { position: static; max-height: none; overflow: visible; margin-top: 16px; border: 0; }
  .side > .top { position: static; }
  .row, .field, .law { break-inside: avoid; }
  .row:has([aria-current]):not(.fails) { background: none; box-shadow: none; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
@media (prefers-reduced-motion: no-preference) { .row { transition: background-color 80ms; } }
`;

/** Pixels that a lane needs at least; where there is no room for all, the chart scrolls and not the page. */
const laneWidthMin = 50;

export const styleFor = (lanes: number): string => `${common}
#story, .head { min-width: ${230 + lanes * laneWidthMin}px; }
@media (max-width: 640px) { #story, .head { min-width: ${lanes * laneWidthMin}px; } }
`;
