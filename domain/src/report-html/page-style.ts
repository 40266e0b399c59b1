import { darkColors, lightColors } from '../text/palette.ts';

const colors = `
:root { color-scheme: light dark; ${lightColors} }
@media (prefers-color-scheme: dark) { :root { ${darkColors} } }
.passed { --state: var(--passed); --state-ground: var(--passed-ground); }
.failed, .partly { --state: var(--failed); --state-ground: var(--failed-ground); }
.error, .open { --state: var(--error); --state-ground: var(--error-ground); }
.skipped { --state: var(--skipped); --state-ground: var(--skipped-ground); }
`;

const frame = `
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 68rem; padding: 2rem 1.25rem 4rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; overflow-wrap: anywhere; }
h1, h2, h3, h4, h5, p, ul, ol, dl, dd, figure { margin: 0; padding: 0; }
h1 { font-size: 1.9rem; line-height: 1.2; letter-spacing: -0.015em; }
h2 { font-size: 1.2rem; margin: 2.25rem 0 0.75rem; }
h3 { font-size: 1.05rem; margin: 1.75rem 0 0.6rem; }
h5 { font-size: 0.8rem; color: var(--soft); margin: 1.1rem 0 0.35rem; font-weight: 600; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, input:focus-visible + label { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 0.86em; }
pre { margin: 0; padding: 0.7rem 0.85rem; background: var(--inset); border-radius: 6px; white-space: pre-wrap; line-height: 1.45; font-size: 0.84rem; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: 0.85rem; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 0.5rem; background: var(--panel); padding: 0.4rem 0.8rem; }
.brand { color: var(--soft); font-size: 0.9rem; margin-bottom: 0.2rem; }
.sub { color: var(--soft); margin-top: 0.4rem; font-size: 0.92rem; }
.cell { font-weight: 400; color: var(--soft); font-size: 0.75em; margin-left: 0.3em; }
.meta, .note, .empty { color: var(--soft); font-size: 0.87rem; font-weight: 400; }
.note { margin-top: 0.6rem; }
.notice { margin-top: 1rem; padding: 0.7rem 0.9rem; border-left: 3px solid var(--error); background: var(--error-ground); border-radius: 0 6px 6px 0; font-size: 0.92rem; }
.tag { display: inline-block; padding: 0 0.5em; border-radius: 99px; font-size: 0.78rem; font-weight: 500; line-height: 1.6;
  color: var(--state, var(--soft)); background: var(--state-ground, var(--skipped-ground)); white-space: nowrap; }
.why { color: var(--failed); font-size: 0.9rem; }
`;

const summary = `
.summary > h2 { position: absolute; clip-path: inset(50%); height: 1px; width: 1px; overflow: hidden; margin: 0; }
.figures { display: flex; flex-wrap: wrap; align-items: center; gap: 1rem 2.25rem; margin-top: 1.5rem; padding: 1.25rem 1.5rem;
  background: var(--panel); border: 1px solid var(--line); border-radius: 10px; }
.ring { width: 8.5rem; flex: none; }
.ring circle { fill: none; stroke-width: 4; }
.ring .track { stroke: var(--track); }
.ring .arc { stroke: var(--state); }
.ring text { fill: var(--text); font-size: 7px; font-weight: 650; letter-spacing: -0.02em; }
.ring .small { fill: var(--soft); font-size: 3.2px; font-weight: 400; letter-spacing: 0; }
.legend { list-style: none; display: grid; gap: 0.15rem; min-width: 9rem; }
.legend li { display: flex; align-items: center; gap: 0.55rem; }
.legend strong { margin-left: auto; font-variant-numeric: tabular-nums; }
.key { width: 0.7rem; height: 0.7rem; border-radius: 3px; background: var(--state); }
dl.facts { display: flex; flex-wrap: wrap; gap: 0.7rem 2rem; }
.figures dl.facts { flex: 1 1 16rem; }
dt { color: var(--soft); font-size: 0.8rem; }
dd { font-variant-numeric: tabular-nums; }
.figures dd { font-size: 1.15rem; font-weight: 600; letter-spacing: -0.01em; }
.bar { display: block; width: 100%; min-width: 5rem; height: 0.5rem; border-radius: 3px; overflow: hidden; }
.bar .rest { fill: var(--failed); opacity: 0.35; }
.bar .share { fill: var(--passed); }
.verdict { margin-top: 1.25rem; padding: 1rem 1.25rem 1.1rem; background: var(--panel); border: 1px solid var(--line); border-left: 4px solid var(--error); border-radius: 6px 10px 10px 6px; }
.verdict.good { border-left-color: var(--passed); }
.verdict.bad { border-left-color: var(--failed); }
.verdict h3 { margin: 0 0 0.4rem; }
.verdict h3 .label { display: block; font-weight: 400; margin: 0; }
.remark { margin-top: 1rem; color: var(--soft); font-size: 0.92rem; }
.verdict + .list, .remark + .list { margin-top: 0.9rem; }
.verdict p + p { margin-top: 0.4rem; }
.difference { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 2rem; margin: 0.7rem 0; }
.verdict table { max-width: 44rem; }
.big { font-size: 1.3rem; font-weight: 650; letter-spacing: -0.01em; }
.big span { font-size: 0.95rem; font-weight: 400; color: var(--soft); letter-spacing: 0; }
.interval { width: 20rem; max-width: 100%; }
.interval text { fill: var(--soft); font-size: 10px; }
.interval .tick { stroke: var(--line); stroke-width: 1.5; }
.interval .span { stroke: var(--state); stroke-width: 4; stroke-linecap: round; }
.interval .dot { fill: var(--state); }
`;

const tables = `
.scroll { overflow-x: auto; margin-top: 0.4rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
caption { text-align: left; color: var(--soft); font-size: 0.85rem; padding: 0.9rem 0 0.3rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.9rem 0.4rem 0; border-bottom: 1px solid var(--line); font-weight: 400; }
thead th { color: var(--soft); font-size: 0.8rem; vertical-align: bottom; }
tbody th { min-width: 8rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.graph { width: 30%; vertical-align: middle; }
.text { min-width: 12rem; }
.place { min-width: 9rem; }
.matrix td, .matrix thead th + th { text-align: center; padding: 0.4rem 0.6rem; }
.matrix thead th + th { min-width: 9.5rem; }
.matrix th:first-child { position: sticky; left: 0; background: var(--ground); }
.tone { color: var(--state); background: var(--state-ground); font-weight: 600; border: 2px solid var(--ground); border-radius: 6px; }
.tone.partly { --state: var(--error); --state-ground: var(--error-ground); }
`;

const runs = `
.filter { border: 0; margin: 0; padding: 0.5rem 0; display: flex; flex-wrap: wrap; gap: 0.4rem; position: sticky; top: 0; z-index: 1; background: var(--ground); }
.filter legend { position: absolute; clip-path: inset(50%); height: 1px; width: 1px; overflow: hidden; }
.filter input { position: absolute; opacity: 0; width: 1px; height: 1px; margin: 0; }
.filter label { padding: 0.25rem 0.8rem; border: 1px solid var(--line); border-radius: 99px; background: var(--panel); cursor: pointer; font-size: 0.9rem; }
.filter .count { color: var(--soft); font-variant-numeric: tabular-nums; margin-left: 0.15rem; }
.filter input:checked + label { background: var(--text); border-color: var(--text); color: var(--ground); }
.filter input:checked + label .count { color: inherit; }
.suites-of-base > summary { cursor: pointer; margin-top: 1.75rem; font-weight: 550; }
.none { display: none; color: var(--soft); font-size: 0.92rem; padding: 0.4rem 0; }
.runs:has(#show-failed:checked) .run:not(.failed), .runs:has(#show-error:checked) .run:not(.error),
.runs:has(#show-passed:checked) .run:not(.passed), .runs:has(#show-skipped:checked) .run:not(.skipped) { display: none; }
.runs:has(#show-failed:checked) .none.failed, .runs:has(#show-error:checked) .none.error,
.runs:has(#show-passed:checked) .none.passed, .runs:has(#show-skipped:checked) .none.skipped { display: block; }
.broken { background: var(--panel); border: 1px solid var(--line); border-left: 4px solid var(--state); border-radius: 6px 8px 8px 6px; padding: 0.2rem 0 0.7rem; min-width: 0; }
.broken .line { grid-template-columns: minmax(0, 1fr) 7rem 7.5rem; align-items: center; padding-bottom: 0.3rem; }
.broken h3 { margin: 0; font-size: 1rem; font-weight: 600; }
.broken dl { padding: 0 1rem; display: grid; gap: 0.2rem; font-size: 0.92rem; }
.broken dl > div { display: grid; grid-template-columns: 5rem minmax(0, 1fr); gap: 0 0.6rem; }
.broken dt { line-height: 1.8; }
.broken dd.why { color: var(--state); }
.run:has(:target), .run:target { outline: 2px solid var(--link); outline-offset: 1px; }
.run :target { scroll-margin-top: 8rem; }
.list { list-style: none; display: grid; gap: 0.4rem; margin-top: 0.35rem; }
.run { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; content-visibility: auto; contain-intrinsic-size: auto 3rem; min-width: 0; }
.line { display: grid; grid-template-columns: 4.6rem minmax(0, 1fr) auto; gap: 0 0.9rem; align-items: baseline; padding: 0.6rem 1rem; list-style: none; }
summary.line { cursor: pointer; border-radius: 8px; }
summary.line::-webkit-details-marker { display: none; }
summary.line h4::before { content: "▸"; display: inline-block; width: 1.1em; color: var(--soft); }
details[open] > summary.line h4::before { content: "▾"; }
.line h4 { font-size: 1rem; font-weight: 550; }
.line .why { grid-column: 2 / -1; padding-left: 1.1em; }
.state { color: var(--state); font-weight: 650; font-size: 0.87rem; }
.took { color: var(--soft); font-size: 0.87rem; font-variant-numeric: tabular-nums; text-align: right; }
.body { padding: 0 1rem 1.1rem; border-top: 1px solid var(--line); }
.body ul, .body ol { padding-left: 1.3rem; font-size: 0.92rem; }
.body ul { list-style: disc; }
.reasons { color: var(--failed); }
.run.error .reasons, .run.error .why { color: var(--error); }
.exchange { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0 1.25rem; }
.exchange > div { min-width: 0; }
.label { color: var(--soft); font-size: 0.8rem; margin: 0.5rem 0 0.2rem; }
.calls > li { padding: 0.1rem 0; }
.calls details[open] { padding-bottom: 0.5rem; }
.calls summary, .fold > summary { cursor: pointer; }
.fold { margin-top: 1.1rem; }
.fold > summary { font-size: 0.92rem; font-weight: 550; }
.body .turns { list-style: none; padding: 0; display: grid; gap: 0.3rem; }
.turn.agent pre { background: var(--skipped-ground); }
.turn.tool { padding-left: 1.5rem; }
.body dl.facts { margin-top: 1.1rem; padding-top: 0.8rem; border-top: 1px solid var(--line); font-size: 0.92rem; }
@media (max-width: 40rem) {
  body { padding: 1.25rem 0.9rem 3rem; }
  h1 { font-size: 1.55rem; }
  .figures { padding: 1rem; gap: 1rem 1.5rem; }
  .ring { width: 7.5rem; }
  .line { grid-template-columns: minmax(0, 1fr) auto; padding: 0.6rem 0.8rem; }
  .line h4 { grid-column: 1 / -1; grid-row: 2; }
  .line .why { grid-row: 3; }
  .line .took { grid-row: 1; grid-column: 2; }
  .body { padding: 0 0.8rem 1rem; }
  .broken .line { grid-template-columns: minmax(0, 1fr) auto; }
  .broken .bar { display: none; }
  .broken dl { padding: 0 0.8rem; }
  .broken dl > div { grid-template-columns: 1fr; }
  .graph { width: 22%; }
  .rates, .rates tbody { display: block; }
  .rates thead { position: absolute; clip-path: inset(50%); height: 1px; width: 1px; overflow: hidden; }
  .rates tr { display: flex; flex-wrap: wrap; gap: 0 0.9rem; padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
  .rates th, .rates td { padding: 0; border: 0; }
  .rates th, .rates .place { flex: 1 0 100%; }
  .rates .graph, .rates .place:empty { display: none; }
}
@media print {
  body { max-width: none; }
  .filter, .skip { display: none; }
  .run { break-inside: avoid; content-visibility: visible; }
}
`;

/** The style sheet of a report page. The page allows exactly this text, by its hash. */
export const pageStyle = `${colors}${frame}${summary}${tables}${runs}`;
