import type { Phrase, Verdict } from '@proofmark/contracts/verdict';
import { formatShare, plural } from '../text/format-numbers.ts';
import { inlineCode, joinBlocks, markdownPhrase } from '../text/markdown-text.ts';
import { firesToo } from '../verdict/further-lines.ts';
import { share } from '../verdict/verdict-words.ts';
import { type BrokenCase, brokenCases, failingCases, needsWords } from './broken-cases.ts';
import { changeOf, passRates, verdictCell } from './cell-text.ts';
import { answersBlock, changesBlock, detailBlocks, fold, footer, nextStep } from './comment-details.ts';
import { hasRegression, headline, sortWorstFirst, worstCell } from './outcome.ts';
import { type CaseReport, isInvalid, type RunReport, type SuiteReport } from './run-report.ts';
import { showProblems } from './show-problems.ts';

/** Our own limits, below GitHub's 65,536 characters and 262,144 bytes. */
const maxUnits = 60_000;
const maxBytes = 250_000;

interface Shape {
  answerUnits: number;
  answerBlocks: number;
  caseRows: number;
  suiteRows: number;
  details: boolean;
}

/** From everything to the least that still says what happened; the first that fits is sent. */
const shapes: readonly Shape[] = [
  { answerUnits: 4_000, answerBlocks: 10, caseRows: 10, suiteRows: 30, details: true },
  { answerUnits: 400, answerBlocks: 10, caseRows: 10, suiteRows: 30, details: true },
  { answerUnits: 400, answerBlocks: 3, caseRows: 10, suiteRows: 30, details: true },
  { answerUnits: 400, answerBlocks: 3, caseRows: 10, suiteRows: 30, details: false },
  { answerUnits: 400, answerBlocks: 3, caseRows: 5, suiteRows: 30, details: false },
  { answerUnits: 0, answerBlocks: 0, caseRows: 5, suiteRows: 10, details: false },
  { answerUnits: 0, answerBlocks: 0, caseRows: 0, suiteRows: 0, details: false },
];

/** For step summaries and checks, which have more room. */
const wholeShape: Shape = { answerUnits: 4_000, answerBlocks: 30, caseRows: 100, suiteRows: 200, details: true };

const maxNames = 10;

/** The first line of our comment, by which it is found again together with its author. */
export function commentMarker(key: string): string {
  return `<!-- proofmark:v1 key=${key} -->`;
}

/** The last line of a comment that shows a regression: nothing that people or models wrote can stand there. */
const regressionMark = '<!-- shows regression -->';

/** The whole comment of a run, shortened step by step until it fits. Line 1 is the marker, exactly once. */
export function commentBody(run: RunReport, key: string): string {
  return fittingBody(key, (shape) => [
    heading(run, headline(run)),
    details(run, shape),
    footer(run),
    hasRegression(run) ? regressionMark : '',
  ]);
}

/** The comment of a good run where the one before it has shown a regression: that it is over, all else folded. */
export function resolvedBody(run: RunReport, key: string): string {
  return fittingBody(key, (shape) => [
    heading(run, `Resolved in ${run.headSha.slice(0, 7)}`),
    fold(headline(run), details(run, shape)),
    footer(run),
  ]);
}

/** Whether a comment of ours says that something regressed. */
export function showsRegression(body: string): boolean {
  return body.trimEnd().endsWith(`\n${regressionMark}`);
}

/** The heading of a comment of ours, by which two comments about the same thing are told from others. */
export function headingOf(body: string): string {
  return body.split(/\r?\n/, 2)[1] ?? '';
}

function fittingBody(key: string, blocks: (shape: Shape) => string[]): string {
  const bodies = shapes.map((shape) => () => `${commentMarker(key)}\n${withoutMarkers(joinBlocks(blocks(shape)))}`);
  const last = shapes.length - 1;
  const fitting = bodies.findIndex((body, index) => index === last || fits(body()));
  return (bodies[fitting] ?? bodies[last])?.() ?? commentMarker(key);
}

/** Whatever people or models wrote: the marker stands in the first line and nowhere else. A break inside shows nothing. */
const withoutMarkers = (text: string): string => text.replaceAll('<!-- proofmark:', '<!--\\u{200B} proofmark:');

/** The same text without a marker and uncut: for step summaries and terminals that render Markdown. */
export function summaryMarkdown(run: RunReport): string {
  return joinBlocks([heading(run, headline(run)), details(run, wholeShape), footer(run)]);
}

function fits(body: string): boolean {
  return body.length <= maxUnits && new TextEncoder().encode(body).length <= maxBytes;
}

function heading(run: RunReport, words: string): string {
  return joinBlocks([`### Proofmark: ${words}\n${commitLine(run)}`, openLines(run)]);
}

function openLines({ openRegressions = [] }: RunReport): string {
  const lines = openRegressions.map(
    ({ job, headSha }) =>
      `${inlineCode(job)} found a regression on \`${headSha.slice(0, 7)}\` and has no result for this commit yet.`,
  );
  return lines.join('\n');
}

function details(run: RunReport, shape: Shape): string {
  const affected = run.suites.filter(isAffected);
  return joinBlocks([
    showProblems(run),
    suiteTable(run, affected, shape.suiteRows),
    unaffectedLine(run.suites.length - affected.length, affected.length),
    gateLine(run),
    unverifiedLine(run),
    ...affected
      .filter(needsWords)
      .slice(0, shape.suiteRows)
      .map((suite) => words(suite, affected.length > 1)),
    cases(run, shape),
  ]);
}

/** What is said of single cases, and what a reader does with it. */
function cases(run: RunReport, shape: Shape): string {
  const broken = brokenCases(run);
  const failing = failingCases(run);
  const shown = [...broken, ...failing];
  return joinBlocks([
    brokenTable(run, broken, shape.caseRows),
    failingTable(run, failing, shape.caseRows),
    ...shown.slice(0, shape.answerBlocks).map((one) => answersBlock(one, shape.answerUnits)),
    ...(shape.details ? [changesBlock(run), nextStep(run, shown), ...detailBlocks(run)] : []),
  ]);
}

/** The cases of a run without what is said of its suites: for a check, which says that in another field. */
export const caseDetails = (run: RunReport): string => cases(run, wholeShape);

const isAffected = (suite: SuiteReport): boolean => worstCell(suite).outcome !== 'unaffected';

function unaffectedLine(unaffected: number, affected: number): string {
  if (unaffected === 0) return '';
  return `${plural(unaffected, affected === 0 ? 'suite' : 'other suite')} ${unaffected === 1 ? 'is' : 'are'} not affected by this change.`;
}

/** The gate of the base decides, so whoever changes it should know. */
function gateLine({ changedGates = [] }: RunReport): string {
  if (changedGates.length === 0) return '';
  return `The gate of ${listed(changedGates)} changes: it takes effect after merge.`;
}

function listed(names: readonly string[]): string {
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  return `${names
    .slice(0, maxNames)
    .map((name) => inlineCode(name))
    .join(', ')}${more}`;
}

/** Numbers about a commit that may not be those of the commit. */
function unverifiedLine({ unverified, headSha }: RunReport): string {
  if (unverified === undefined) return '';
  const sha = `\`${headSha.slice(0, 7)}\``;
  const why =
    unverified.length === 0
      ? `the files of ${sha} could not be read`
      : `${listed(unverified)} ${unverified.length === 1 ? 'is' : 'are'} not as committed in ${sha}`;
  return `**Content not verified**: ${why}. No later run is compared with this one.`;
}

function commitLine(run: RunReport): string {
  const head = `\`${run.headSha.slice(0, 7)}\``;
  if (run.baseSha === null && isInvalid(run)) return head;
  if (run.baseSha === null) return `${head}, no base to compare with`;
  return `${head} against \`${run.baseSha.slice(0, 7)}\`${run.baseLabel === null ? '' : ` (${run.baseLabel})`}`;
}

function suiteTable(run: RunReport, affected: readonly SuiteReport[], maxRows: number): string {
  if (maxRows === 0 || affected.length === 0) return '';
  const suites = sortWorstFirst(affected, (suite) => worstCell(suite).outcome);
  const rows = suites.slice(0, maxRows).map((suite) => suiteRow(run, suite));
  return [
    '| Suite | Base | Head | Change (points, 95% interval) | Verdict |',
    '|---|--:|--:|--:|---|',
    ...rows,
    ...(suites.length > maxRows ? [`| +${suites.length - maxRows} more | | | | |`] : []),
  ].join('\n');
}

function suiteRow(run: RunReport, suite: SuiteReport): string {
  const cell = worstCell(suite);
  const { base, head } = passRates(cell);
  const name = inlineCode(suite.suiteName);
  const { detailsUrl = run.detailsUrl } = suite;
  const linked = detailsUrl === null ? name : `[${name}](${detailsUrl})`;
  // Of a matrix the worst cell stands for the suite, and is named.
  const which = suite.cells.length > 1 ? ` ${inlineCode(cell.cellKey)}` : '';
  return `| ${linked}${which} | ${base} | ${head} | ${changeOf(cell)} | ${verdictCell(cell)} |`;
}

function words(suite: SuiteReport, named: boolean): string {
  const { verdict, detail } = worstCell(suite);
  const sentences = verdict === null ? [detail ?? 'No verdict.'] : newPhrases(verdict).map(markdownPhrase);
  if (sentences.length === 0) return '';
  return `${named ? `${inlineCode(suite.suiteName)}: ` : ''}${sentences.join('\n')}`;
}

/** What a verdict says that no table of the comment says: a case is named once, and its alert rule where it decides alone. */
function newPhrases({ word, reason, paragraph, lines }: Verdict): Phrase[] {
  const isNamed = word === 'regressed' && reason === 'cases';
  const rest = lines.filter(([first]) => {
    const start = typeof first === 'string' ? first : '';
    return !start.startsWith(firesToo) && !/^\d+ (?:new|removed|changed) cases?\b.*, not compared: $/.test(start);
  });
  return isNamed ? rest : [paragraph, ...rest];
}

function brokenTable(run: RunReport, shown: readonly BrokenCase[], maxRows: number): string {
  if (shown.length === 0 || maxRows === 0) return '';
  return [
    `| Broken case (${shown.length}) | Base | Head | By chance | What failed |`,
    '|---|--:|--:|--:|---|',
    ...shown.slice(0, maxRows).map((one) => {
      const { base, head, p } = one.comparison;
      const chance = p === null ? 'n/a' : formatShare(p);
      return `| ${caseName(run, one)} | ${share(base)} | ${share(head)} | ${chance} | ${whatFailed(one.report)} |`;
    }),
    ...(shown.length > maxRows ? [`| +${shown.length - maxRows} more | | | | |`] : []),
  ].join('\n');
}

function failingTable(run: RunReport, shown: readonly BrokenCase[], maxRows: number): string {
  if (shown.length === 0 || maxRows === 0) return '';
  return [
    `| Failing case (${shown.length}) | Head | What failed |`,
    '|---|--:|---|',
    ...shown
      .slice(0, maxRows)
      .map((one) => `| ${caseName(run, one)} | ${share(one.comparison.head)} | ${whatFailed(one.report)} |`),
    ...(shown.length > maxRows ? [`| +${shown.length - maxRows} more | | |`] : []),
  ].join('\n');
}

/** With its line, and its cell in a matrix. */
function caseName(run: RunReport, { suite, cell, comparison, report }: BrokenCase): string {
  const name = inlineCode(comparison.caseName);
  const line = report?.line ?? null;
  const at = report?.row ?? { file: suite.suitePath, line };
  const linked = run.fileUrl === null || at.line === null ? name : `[${name}](${run.fileUrl(at.file, at.line)})`;
  return cell.cellKey === '' ? linked : `${linked} ${inlineCode(cell.cellKey)}`;
}

/** What a judge wrote is a model's text: it stands in a block below, and here only that there is one. */
function whatFailed(report: CaseReport | null): string {
  const failure = report?.firstFailure ?? null;
  if (failure === null) return '';
  const [kind = ''] = failure.split(':', 1);
  return report?.judgeReason == null ? inlineCode(failure) : `${inlineCode(kind)}: the judge says why, below`;
}
