import { policyHash } from '@proofmark/contracts/content-hash';
import type { TestReport } from '@proofmark/contracts/test-report';
import { placeOf } from '../report/build-test-report.ts';
import { incompleteWords, skipWords } from '../report/incomplete-report.ts';
import { sumKnown } from '../results/totals.ts';
import { formatMs, formatRate, formatTokens, formatUsd, formatUtc, plural } from '../text/format-numbers.ts';
import { states, stateWords } from '../text/state-words.ts';
import { gateWord } from '../verdict/gate-word.ts';
import { unmeasuredIn, unmeasuredLines } from '../verdict/unmeasured-metrics.ts';
import { brokenSection } from './broken-cases.ts';
import { cellName, matrixTables } from './cells.ts';
import { rateBar, stateRing } from './charts.ts';
import { type Html, type HtmlPart, html, nameText, nothing } from './html-text.ts';
import { countStates, executedOf, type ReportWithFacts, type StateCounts } from './page-shapes.ts';
import { pageStyle } from './page-style.ts';
import { type PageLimits, type TestRunLists, testRunLists } from './test-run-list.ts';
import { phraseText, verdictSection } from './verdict-section.ts';

const usualLimits: PageLimits = { bodyUnits: 6_000_000, lines: 20_000 };

/**
 * Reports as one page: it needs no script, no other file and no network, and nothing that an agent, a tool, a judge or a
 * file wrote can change it. `limits` bound it; what is left out is said at the top.
 */
export function renderHtml(reports: readonly ReportWithFacts[], limits: PageLimits = usualLimits): string {
  const ordered = reports.toSorted((a, b) => Number(isBaseline(a)) - Number(isBaseline(b)));
  const judged = ordered.filter((report) => !isBaseline(report));
  const shown = judged.length === 0 ? ordered : judged;
  const counts = countStates(shown.map(({ report }) => report));
  const lists = testRunLists(ordered, limits);
  const [first] = shown;
  const bases = judged.length === 0 ? [] : ordered.filter(isBaseline);
  const broken = brokenSection({ judged: shown, bases, anchors: lists.anchors });
  return page(
    pageTitle(shown, counts),
    html`<a class="skip" href="#runs">Skip to the test runs</a>${header(shown)}<main>${summary(shown, counts, lists)}${shown.length > 1 ? overview(shown) : nothing}${matrixTables(shown.map(({ report }) => report))}${broken}${filterAndSuites(ordered, shown.length, lists)}</main><footer><p>Made by Proofmark ${nameText(first?.report.proofmark_version ?? '', 40)}. ${environment(first?.report)}</p></footer>`,
  ).markup;
}

const isBaseline = ({ report }: ReportWithFacts): boolean => placeOf(report).variant === 'baseline';

function page(title: Html, body: Html): Html {
  const policy = `default-src 'none'; style-src ${policyHash(pageStyle)}; base-uri 'none'; form-action 'none'`;
  const style: Html = { markup: `<style>${pageStyle}</style>` };
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyPart(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
${style}
</head>
<body>
${body}
</body>
</html>
`;
}

// Quotes of a policy stay as they are: it holds nothing but our own words.
const policyPart = (policy: string): Html => ({ markup: policy });

function pageTitle(reports: readonly ReportWithFacts[], counts: StateCounts): Html {
  const [first] = reports;
  const name =
    reports.length === 1 && first !== undefined ? placeOf(first.report).suite : `${reports.length} suite runs`;
  const bad = counts.failed + counts.error;
  const isIncomplete = reports.some(
    ({ report }) => incompleteWords(report) !== null || unmeasuredIn(report).some(({ isEnough }) => !isEnough),
  );
  const mark = bad > 0 ? '✗' : isIncomplete ? '…' : '✓';
  return html`${mark} ${name}: ${counts.passed} of ${executedOf(counts)} passed`;
}

function header(reports: readonly ReportWithFacts[]): Html {
  const [first] = reports;
  if (first === undefined) return nothing;
  const { report } = first;
  const { suite, cell } = placeOf(report);
  const isOne = reports.length === 1;
  const places = isOne
    ? [nameText(report.agent_name), html`<code>${nameText(report.agent_config_path)}</code>`]
    : [plural(new Set(reports.map((one) => placeOf(one.report).suite)).size, 'suite')];
  const parts: HtmlPart[] = [...places, formatUtc(report.timestamp)];
  return html`<header><p class="brand">Proofmark test report</p><h1>${isOne ? html`${nameText(suite)}${cell === '' ? null : html` <span class="cell">${nameText(cell)}</span>`}` : `${reports.length} suite runs`}</h1><p class="sub">${parts.map((part, index) => html`${index === 0 ? null : html` <span aria-hidden="true">·</span> `}${part}`)}</p></header>`;
}

function summary(reports: readonly ReportWithFacts[], counts: StateCounts, lists: TestRunLists): Html {
  const legend = states.map(
    (state) =>
      html`<li class="${state}"><span class="key" aria-hidden="true"></span>${stateWords[state]} <strong>${counts[state]}</strong></li>`,
  );
  const [only] = reports;
  const isOne = reports.length === 1 && only !== undefined;
  return html`<section class="summary" aria-labelledby="summary"><h2 id="summary">Summary</h2><div class="figures">${stateRing(counts)}<ul class="legend">${legend}</ul><dl class="facts">${measures(reports).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></div>${cutNotice(lists)}${incompleteNotice(reports)}${unmeasuredNotice(reports)}${isOne ? html`${only.verdict == null ? null : verdictSection(only.verdict)}` : nothing}</section>`;
}

function measures(reports: readonly ReportWithFacts[]): [string, string][] {
  const duration = reports.reduce((sum, { report }) => sum + report.summary.total_duration_ms, 0);
  const facts = reports.flatMap(({ facts: ofReport }) => [...(ofReport?.values() ?? [])]);
  const tokens = facts.flatMap((one) => one.tokens ?? []);
  const costUsd = sumKnown(reports.map(costOf));
  const latencies = facts.flatMap(({ latencyMs }) => latencyMs ?? []).sort((a, b) => a - b);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const middle = latencies[Math.floor(latencies.length / 2)];
  return [
    ['Test runs', String(reports.reduce((total, { report }) => total + report.results.length, 0))],
    ['Time in total', formatMs(duration)],
    ...(middle === undefined ? [] : [['Median latency', formatMs(middle)] as [string, string]]),
    ...(tokens.length === 0
      ? []
      : [['Tokens', formatTokens(sum(tokens)).replace(/ tokens?$/, '')] as [string, string]]),
    ...(costUsd === null ? [] : [['Cost', formatUsd(costUsd)] as [string, string]]),
  ];
}

function costOf({ costUsd, facts }: ReportWithFacts): number | null {
  return costUsd ?? sumKnown([...(facts?.values() ?? [])].map((one) => one.costUsd));
}

function cutNotice({ total, withBody, unlisted }: TestRunLists): Html {
  if (withBody === total) return nothing;
  const lines = total - withBody - unlisted;
  const rest = [
    lines > 0 ? `${lines} others are one line each` : '',
    unlisted > 0 ? `${unlisted} that passed are only counted` : '',
  ].filter((part) => part !== '');
  return html`<p class="notice"><strong>This page is not everything.</strong> ${withBody} of ${total} test runs can be unfolded, those that did not pass first; ${rest.join(', ')}. The JSON report has all of them.</p>`;
}

/** What was wanted and not run: without it a page of a run that was cut short looks like one that is green. */
function incompleteNotice(reports: readonly ReportWithFacts[]): Html {
  const told = reports.flatMap(({ report }) => {
    const words = incompleteWords(report);
    return words === null
      ? []
      : [reports.length === 1 ? html`${words}` : html`${nameText(placeOf(report).suite)}: ${words}`];
  });
  if (told.length === 0) return nothing;
  const [first, ...more] = told;
  return html`<p class="notice"><strong>This run is not complete.</strong> ${first ?? nothing}${more.map((one) => html`; ${one}`)}.</p>`;
}

/** Which metrics are missing, where no verdict below says so. */
function unmeasuredNotice(reports: readonly ReportWithFacts[]): Html {
  const [only] = reports;
  if (reports.length === 1 && only?.verdict != null) return nothing;
  const told = reports.flatMap(({ report }) =>
    unmeasuredLines(unmeasuredIn(report)).map((line) =>
      reports.length === 1
        ? html`<p>${phraseText(line)}</p>`
        : html`<p>${nameText(placeOf(report).suite)}: ${phraseText(line)}</p>`,
    ),
  );
  if (told.length === 0) return nothing;
  return html`<div class="notice"><strong>Not everything was measured.</strong>${told}</div>`;
}

function overview(reports: readonly ReportWithFacts[]): Html {
  const rows = reports.map(({ report, verdict }, index) => {
    const { suite, cell } = placeOf(report);
    const counts = countStates([report]);
    const executed = executedOf(counts);
    const rate = (counts.passed / executed) * 100;
    return html`<tr><th scope="row"><a href="#s${index + 1}">${nameText(suite, 120)}</a></th><td class="place">${cell === '' ? '' : cellName(cell)}</td><td class="graph">${rateBar(rate)}</td><td class="number">${formatRate(rate)}</td><td class="number">${counts.passed} of ${executed}</td><td>${verdict == null ? '' : `${gateWord(verdict)}: ${verdict.word.replaceAll('-', ' ')}`}</td></tr>`;
  });
  return html`<section aria-labelledby="suites"><h2 id="suites">Suite runs</h2><div class="scroll"><table class="rates"><thead><tr><th scope="col">Suite</th><th scope="col">Cell</th><td></td><th scope="col" class="number">Rate</th><th scope="col" class="number">Passed</th><th scope="col">Verdict</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

function filterAndSuites(reports: readonly ReportWithFacts[], judged: number, { items }: TestRunLists): Html {
  const counts = countStates(reports.slice(0, judged).map(({ report }) => report));
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const choices = (['all', ...states] as const).map(
    (state) =>
      html`<input type="radio" name="show" id="show-${state}"${state === 'all' ? html` checked` : null}><label for="show-${state}">${state === 'all' ? 'All' : stateWords[state]} <span class="count">${state === 'all' ? total : counts[state]}</span></label>`,
  );
  const sections = reports.map((one, index) =>
    suiteSection(one, { index, items: items[index] ?? [], isOne: judged === 1 }),
  );
  const base = sections.slice(judged);
  const ofBase =
    base.length === 0
      ? nothing
      : html`<details class="suites-of-base"><summary>Test runs of the base</summary>${base}</details>`;
  return html`<section class="runs" id="runs" aria-labelledby="runs-title"><h2 id="runs-title">Test runs</h2><fieldset class="filter"><legend>Show</legend>${choices}</fieldset>${sections.slice(0, judged)}${ofBase}</section>`;
}

function suiteSection(
  { report, verdict }: ReportWithFacts,
  { index, items, isOne }: { index: number; items: readonly Html[]; isOne: boolean },
): Html {
  const { suite, cell, variant } = placeOf(report);
  const counts = countStates([report]);
  const none = states
    .filter((state) => counts[state] === 0)
    .map((state) => html`<p class="none ${state}">None with the state “${stateWords[state].toLowerCase()}” here.</p>`);
  const title =
    isOne && variant !== 'baseline'
      ? nothing
      : html`<h3>${nameText(suite)}${cell === '' ? null : html` <span class="cell">${nameText(cell)}</span>`}${variant === 'baseline' ? html` <span class="tag">baseline</span>` : null} <span class="meta">${counts.passed} of ${executedOf(counts)} passed</span></h3>`;
  const skipped = report.skipped.map(
    ({ test_name, reason }) =>
      html`<li class="run skipped"><div class="line"><span class="state">${stateWords.skipped}</span><h4>${nameText(test_name)}</h4><span class="took">${skipWords({ reason })}</span></div></li>`,
  );
  return html`<div class="suite" id="s${index + 1}">${title}${isOne || verdict == null ? null : verdictSection(verdict)}${none}<ol class="list">${items}${skipped}</ol></div>`;
}

function environment(report: TestReport | undefined): Html {
  const { suite: _suite, cell: _cell, variant: _variant, ...place } = report?.environment ?? {};
  const parts = Object.entries(place).map(([name, value]) => html` ${nameText(name, 40)}: ${nameText(value, 80)}.`);
  return html`${parts}`;
}
