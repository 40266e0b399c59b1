import type { CaseComparison } from '@proofmark/contracts/verdict';
import { changedPartWords } from '../plan/comparability-key.ts';
import { sumKnown } from '../results/totals.ts';
import { formatUsd, plural } from '../text/format-numbers.ts';
import { fencedBlock, inlineCode, joinBlocks } from '../text/markdown-text.ts';
import { share } from '../verdict/verdict-words.ts';
import type { BrokenCase } from './broken-cases.ts';
import { changeOf, passRates, verdictCell } from './cell-text.ts';
import { sortWorstFirst, worstCell } from './outcome.ts';
import { type CaseReport, isInvalid, type RemovedSuite, type RunReport } from './run-report.ts';

const maxNames = 50;
const maxCellRows = 30;
const maxTools = 20;
const maxChanges = 10;
/** Files whose lines are shown. */
const maxHunks = 3;

/** Both answers of a case, folded, with what a judge said and which tools were called; what agents wrote stays inside fences. */
export function answersBlock({ cell, comparison, report }: BrokenCase, maxUnits: number): string {
  if (report === null) return '';
  const { headAnswer, baseAnswer, judgeReason = null } = report;
  if (headAnswer === null && baseAnswer === null && judgeReason === null) return '';
  const answer = (title: string, text: string | null) =>
    text === null ? `${title}: none recorded` : `${title}:\n\n${fencedBlock(text, { maxUnits })}`;
  const hasBase = comparison.base !== null;
  const where = cell.cellKey === '' ? '' : ` ${inlineCode(cell.cellKey)}`;
  const title = `${inlineCode(comparison.caseName)}${where}: ${hasBase ? 'base and head answers' : 'the answer'}`;
  const judged = judgeReason === null ? '' : `The judge:\n\n${fencedBlock(judgeReason, { maxUnits })}`;
  const base = hasBase ? answer('Base', baseAnswer) : '';
  return fold(title, joinBlocks([base, answer('Head', headAnswer), judged, toolDifference(report)]));
}

/** Which tools each side called, where that differs. */
function toolDifference({ toolCalls }: CaseReport): string {
  if (toolCalls === undefined) return '';
  const [base, head] = [toolCalls.base, toolCalls.head].map((names) =>
    names.length === 0
      ? 'none'
      : names
          .slice(0, maxTools)
          .map((name) => inlineCode(name))
          .join(' → '),
  );
  return base === head ? '' : `Tools called, base: ${base}; head: ${head}`;
}

/** What differs between the two sides, which is where a reader looks for the cause. */
export function changesBlock({ changes = [], fileUrl }: RunReport): string {
  if (changes.length === 0) return '';
  const named = changes.slice(0, maxChanges).map(({ path, hunks, added, removed }, index) => {
    const name = fileUrl === null ? inlineCode(path) : `[${inlineCode(path)}](${fileUrl(path, 1)})`;
    const shown = index < maxHunks && hunks !== null ? fencedBlock(hunks, { info: 'diff', maxUnits: 2_000 }) : '';
    return joinBlocks([`${name} +${added} −${removed}`, shown]);
  });
  const rest = changes.length - named.length;
  const paths = changes.slice(0, 2).map(({ path }) => inlineCode(path.split('/').at(-1) ?? path));
  const others = changes.length - paths.length;
  const title = `What differs from the base: ${paths.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  return fold(title, joinBlocks([...named, rest > 0 ? `+${rest} more` : '']));
}

/** What somebody does next: one of the cases again on his own machine, or the suite where no single case is to blame. */
export function nextStep(run: RunReport, [first]: readonly BrokenCase[]): string {
  const suspect = first ?? worseSuite(run);
  if (suspect === undefined || !isPlain(suspect.suite.suitePath)) return '';
  const { suite, comparison, cell } = suspect;
  const one = comparison === null ? [] : ['--case', shellWord(comparison.caseName)];
  const variables = cell.cellKey === '' ? [] : cell.cellKey.split(',').flatMap((each) => ['--var', shellWord(each)]);
  const { baseSha } = run;
  const against = baseSha === null || comparison?.base === null ? [] : ['--compare', baseSha.slice(0, 12)];
  const words = ['npx proofmark run', suite.suitePath, ...one, ...variables, ...against];
  return `To see it again on your machine:\n\n${fencedBlock(words.join(' '), { info: 'sh', maxUnits: 1_000 })}`;
}

/** The suite that is worse as a whole. */
function worseSuite({ suites }: RunReport) {
  const worse = suites.filter((suite) => ['regressed', 'suspected'].includes(worstCell(suite).outcome));
  const [suite] = sortWorstFirst(worse, (one) => worstCell(one).outcome);
  return suite && { suite, cell: worstCell(suite), comparison: null };
}

const isPlain = (path: string): boolean => /^[\w./-]+$/.test(path);

/** One word of a shell, in which nothing of it is obeyed. */
const shellWord = (text: string): string =>
  /^[\w./=-]+$/.test(text) ? text : `'${text.replaceAll(/\s/g, ' ').replaceAll("'", "'\\''")}'`;

/** The folded lists below the tables: matrix cells, cases within noise, cases that were not compared. */
export function detailBlocks(run: RunReport): string[] {
  return [matrixBlock(run), quietCasesBlock(run), notComparedBlock(run)];
}

export function footer(run: RunReport): string {
  const testRuns = run.suites.flatMap((suite) => suite.cells).reduce((sum, cell) => sum + cell.total, 0);
  const time = run.durationMs === null ? '' : ` in ${duration(run.durationMs)}`;
  const savings = [...saving(run.savedUsd ?? null, 'reuse'), ...saving(savedByStopping(run), 'stopping early')];
  const saved = savings.length === 0 ? '' : ` (${savings.join(', ')})`;
  const cost = run.costUsd === null && saved === '' ? '' : `, ${formatUsd(run.costUsd ?? 0)}${saved}`;
  // Of a run that could not begin there is nothing to count.
  const counted = isInvalid(run) && testRuns === 0 ? 'No test run' : `${plural(testRuns, 'test run')}${time}${cost}`;
  return `${counted}${links(run)}`;
}

const saving = (usd: number | null, by: string): string[] =>
  usd === null || usd <= 0 ? [] : [`${formatUsd(usd)} saved by ${by}`];

function savedByStopping({ suites }: RunReport): number | null {
  const stops = suites.flatMap(({ cells }) => cells.flatMap(({ verdict }) => verdict?.early ?? []));
  return sumKnown(
    stops.map(({ spentUsd, plannedUsd }) => (spentUsd === null || plannedUsd === null ? null : plannedUsd - spentUsd)),
  );
}

function links({ detailsUrl, pages = [] }: RunReport): string {
  if (pages.length > 1)
    return ` · full reports: ${pages.map(({ job, url }) => `[${inlineCode(job)}](${url})`).join(', ')}`;
  return detailsUrl === null ? '' : ` · [full report](${detailsUrl})`;
}

function matrixBlock(run: RunReport): string {
  const cells = run.suites.flatMap((suite) => suite.cells.map((cell) => ({ suite, cell })));
  const inMatrix = cells.filter(({ cell }) => cell.cellKey !== '');
  if (inMatrix.length === 0) return '';
  const failing = inMatrix.filter(({ cell }) => cell.conclusion === 'failure').length;
  const rows = sortWorstFirst(inMatrix, ({ cell }) => cell.outcome).slice(0, maxCellRows);
  const table = [
    '| Suite | Cell | Base | Head | Change (points, 95% interval) | Verdict | Cost |',
    '|---|---|--:|--:|--:|---|--:|',
    ...rows.map(({ suite, cell }) => {
      const { base, head } = passRates(cell);
      const cost = cell.costUsd === null ? 'n/a' : formatUsd(cell.costUsd);
      return `| ${inlineCode(suite.suiteName)} | ${inlineCode(cell.cellKey)} | ${base} | ${head} | ${changeOf(cell)} | ${verdictCell(cell)} | ${cost} |`;
    }),
    ...(inMatrix.length > rows.length ? [`| +${inMatrix.length - rows.length} more | | | | | | |`] : []),
  ];
  return fold(`Matrix: ${plural(inMatrix.length, 'cell')}, ${failing} failing`, table.join('\n'));
}

function quietCasesBlock(run: RunReport): string {
  const broken = new Set(comparisons(run).flatMap(({ names, one }) => (names.has(one.caseName) ? [one] : [])));
  const compared = comparisons(run)
    .map(({ one }) => one)
    .filter((one) => one.base !== null && one.head !== null && !broken.has(one));
  const better = compared.filter((one) => change(one) > 0);
  const noise = compared.filter((one) => change(one) < 0);
  const same = compared.length - better.length - noise.length;
  if (compared.length === 0) return '';
  // Many cases that are each a little lower are what a regression of the whole is made of.
  const isNoise = run.suites.every((suite) => suite.cells.every(({ outcome }) => outcome !== 'regressed'));
  const lower = isNoise ? `${plural(noise.length, 'change')} within noise` : `${noise.length} lower`;
  const title = `${lower}, ${better.length} improved, ${same} unchanged`;
  const lists = [list(isNoise ? 'Lower, within noise' : 'Lower', noise), list('Higher', better)];
  const body = joinBlocks(lists);
  return body === '' ? '' : fold(title, body);
}

function notComparedBlock(run: RunReport): string {
  const cells = run.suites.flatMap((suite) => suite.cells).map(({ verdict }) => verdict?.cases ?? []);
  const added = cells.filter(hasBase).flatMap((cases) => cases.filter(isAdded));
  const removed = cells.flatMap((cases) => cases.filter(({ head }) => head === null));
  const changed = cells.flatMap((cases) => cases.filter(({ notComparable }) => notComparable));
  const { removedSuites: suites = [] } = run;
  const parts = [
    ...counted(added, () => `${added.length} new`),
    ...counted(removed, () => `${removed.length} removed${onBase(removed.map(lastOfCase))}`),
    ...counted(suites, () => `${plural(suites.length, 'removed suite')}${onBase(suites.map(lastOfSuite))}`),
    ...counted(changed, () => `${changed.length} changed`),
  ];
  if (parts.length === 0) return '';
  const lists = [
    list('New', added),
    list('Removed', removed, ({ base }) => (lastOf(base) === null ? '' : `${share(base)} on the base`)),
    suiteList(suites),
    list('Changed', changed, changedPartWords),
  ];
  return fold(`Not compared: ${parts.join(', ')}`, joinBlocks(lists));
}

/** A cell in which every case is new has no base that could lack one of them. */
const hasBase = (cases: readonly CaseComparison[]): boolean =>
  cases.some(({ base, head, notComparable }) => head !== null && (base !== null || notComparable));

const isAdded = ({ base, head, notComparable }: CaseComparison): boolean =>
  base === null && head !== null && !notComparable;

const counted = (some: readonly unknown[], words: () => string): string[] => (some.length === 0 ? [] : [words()]);

type LastResult = 'passed' | 'failed' | null;

const lastOf = (counts: CaseComparison['base']): LastResult => {
  if (counts === null || counts.passed + counts.failed === 0) return null;
  return counts.failed === 0 ? 'passed' : 'failed';
};

const lastOfCase = ({ base }: CaseComparison): LastResult => lastOf(base);

const lastOfSuite = ({ last }: RemovedSuite): LastResult =>
  last === null || last.total === 0 ? null : last.passed === last.total ? 'passed' : 'failed';

/** ` (it failed on the base)`: what the reader of a change that takes tests away wants to know. */
function onBase(results: readonly LastResult[]): string {
  const [failed, passed] = (['failed', 'passed'] as const).map((word) => results.filter((one) => one === word).length);
  const [word, count = 0] = failed === undefined || failed === 0 ? ['passed', passed] : ['failed', failed];
  if (count === 0) return '';
  if (count < results.length) return ` (${count} ${word} on the base)`;
  return ` (${count === 1 ? 'it' : 'all'} ${word} on the base)`;
}

function suiteList(suites: readonly RemovedSuite[]): string {
  if (suites.length === 0) return '';
  const shown = suites.slice(0, maxNames).map(({ suiteName, last }) => {
    const result = last === null ? '' : ` ${last.passed}/${plural(last.total, 'test run')} passed on the base`;
    return `- ${inlineCode(suiteName)}${result}`;
  });
  const more = suites.length > maxNames ? [`- +${suites.length - maxNames} more`] : [];
  return ['Removed suites:', '', ...shown, ...more].join('\n');
}

function comparisons(run: RunReport): { one: CaseComparison; names: ReadonlySet<string> }[] {
  return run.suites
    .flatMap((suite) => suite.cells)
    .flatMap(({ verdict }) => {
      if (verdict === null) return [];
      const names = new Set([...verdict.flagged, ...verdict.alert.newlyFailing]);
      return verdict.cases.map((one) => ({ one, names }));
    });
}

function change({ base, head }: CaseComparison): number {
  if (base === null || head === null) return 0;
  const rate = (counts: { passed: number; failed: number }) =>
    counts.passed / Math.max(1, counts.passed + counts.failed);
  return rate(head) - rate(base);
}

function list(title: string, cases: readonly CaseComparison[], told?: (one: CaseComparison) => string): string {
  if (cases.length === 0) return '';
  const shown = cases
    .slice(0, maxNames)
    .map((one) =>
      `- ${inlineCode(one.caseName)} ${told?.(one) ?? `${share(one.base)} → ${share(one.head)}`}`.trimEnd(),
    );
  const more = cases.length > maxNames ? [`- +${cases.length - maxNames} more`] : [];
  return [`${title}:`, '', ...shown, ...more].join('\n');
}

/** Hidden until somebody opens it; `summary` is Markdown of ours. */
export function fold(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;
}

/** `45s`, `3m10s`; under a second `0.4s`. */
function duration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
}
