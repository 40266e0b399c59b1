import { formatProbability } from '../text/format-numbers.ts';
import { markdownPhrase } from '../text/markdown-phrase.ts';
import { inlineCode, joinBlocks } from '../text/markdown-text.ts';
import { share } from '../verdict/verdict-words.ts';
import { type BrokenCase, brokenCases, needsWords } from './broken-cases.ts';
import { changeOf, passRates, verdictCell } from './cell-text.ts';
import { answersBlock, detailBlocks, fold, footer } from './comment-details.ts';
import { hasRegression } from './comment-policy.ts';
import { isInvalid } from './invalid-definitions.ts';
import { headline, sortWorstFirst, worstCell } from './outcome.ts';
import type { RunReport, SuiteReport } from './run-report.ts';
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
  const bodies = shapes.map((shape) => () => `${commentMarker(key)}\n${joinBlocks(blocks(shape))}`);
  const last = shapes.length - 1;
  const fitting = bodies.findIndex((body, index) => index === last || fits(body()));
  return (bodies[fitting] ?? bodies[last])?.() ?? commentMarker(key);
}

/** The same text without a marker and uncut: for step summaries and terminals that render Markdown. */
export function summaryMarkdown(run: RunReport): string {
  const shape = { answerUnits: 4_000, answerBlocks: 30, caseRows: 100, suiteRows: 200, details: true };
  return joinBlocks([heading(run, headline(run)), details(run, shape), footer(run)]);
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
  const broken = brokenCases(run);
  return joinBlocks([
    showProblems(run),
    suiteTable(run, shape.suiteRows),
    ...run.suites
      .filter(needsWords)
      .slice(0, shape.suiteRows)
      .map((suite) => words(suite, run.suites.length > 1)),
    caseTable(run, broken, shape.caseRows),
    ...broken.slice(0, shape.answerBlocks).map((one) => answersBlock(one, shape.answerUnits)),
    ...(shape.details ? detailBlocks(run) : []),
  ]);
}

function commitLine(run: RunReport): string {
  const head = `\`${run.headSha.slice(0, 7)}\``;
  if (run.baseSha === null && isInvalid(run)) return head;
  if (run.baseSha === null) return `${head}, no base to compare with`;
  return `${head} against \`${run.baseSha.slice(0, 7)}\`${run.baseLabel === null ? '' : ` (${run.baseLabel})`}`;
}

function suiteTable(run: RunReport, maxRows: number): string {
  if (maxRows === 0 || (isInvalid(run) && run.suites.length === 0)) return '';
  const suites = sortWorstFirst(run.suites, (suite) => worstCell(suite).outcome);
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
  return `| ${linked} | ${base} | ${head} | ${changeOf(cell)} | ${verdictCell(cell)} |`;
}

function words(suite: SuiteReport, named: boolean): string {
  const { verdict, detail } = worstCell(suite);
  const sentences =
    verdict === null ? [detail ?? 'No verdict.'] : [verdict.paragraph, ...verdict.lines].map(markdownPhrase);
  return `${named ? `${inlineCode(suite.suiteName)}: ` : ''}${sentences.join('\n')}`;
}

function caseTable(run: RunReport, broken: readonly BrokenCase[], maxRows: number): string {
  if (broken.length === 0 || maxRows === 0) return '';
  return [
    `| Broken case (${broken.length}) | Base | Head | p | First failing check |`,
    '|---|--:|--:|--:|---|',
    ...broken.slice(0, maxRows).map((one) => caseRow(run, one)),
    ...(broken.length > maxRows ? [`| +${broken.length - maxRows} more | | | | |`] : []),
  ].join('\n');
}

function caseRow(run: RunReport, { suite, cell, comparison, report, p }: BrokenCase): string {
  const name = inlineCode(comparison.caseName);
  const line = report?.line ?? null;
  const linked = run.fileUrl === null || line === null ? name : `[${name}](${run.fileUrl(suite.suitePath, line)})`;
  const where = cell.cellKey === '' ? linked : `${linked} ${inlineCode(cell.cellKey)}`;
  const failure = report?.firstFailure ?? null;
  return `| ${where} | ${share(comparison.base)} | ${share(comparison.head)} | ${formatProbability(p)} | ${failure === null ? '' : inlineCode(failure)} |`;
}
