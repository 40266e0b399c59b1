import type { CaseComparison, MeasureComparison, TrialCounts, Verdict } from '@proofmark/contracts/verdict';
import { changedPartWords, isOnlyJudging } from '@proofmark/domain/comparability-key';
import type { AnswerComparison } from '@proofmark/domain/compare-answers';
import { formatPrice, formatProbability, plural } from '@proofmark/domain/format-numbers';
import type { ComparedResults, ComparedSuiteRun } from '@proofmark/embedded/compare-results';
import { verdictLines } from './run-summary.ts';
import { paint, plain, type Terminal, table } from './terminal.ts';

/** How many cases a terminal shows; `--json` has all of them. */
const mostCases = 30;
const answerCharacters = 160;
const mostToolChanges = 10;

/** What a person reads about two results held side by side. */
export function comparisonText(
  { compared, onlyBase, onlyHead }: ComparedResults,
  { terminal, base }: { terminal: Terminal; base: string },
): string {
  const alone = [
    ...judgeLines(compared, base),
    ...onlyBase.map((name) => `${name}: only in the base`),
    ...onlyHead.map((name) => `${name}: only in the head`),
  ];
  return `${compared.map((one) => suiteRunText(one, terminal)).join('\n')}${alone.map((line) => `${plain(line)}\n`).join('')}`;
}

/** This command asks no model; another one does. */
function judgeLines(compared: readonly ComparedSuiteRun[], base: string): string[] {
  const cases = compared.flatMap(({ verdict }) => verdict.cases);
  const judged = cases.filter(({ notComparable, changedParts }) => notComparable && isOnlyJudging(changedParts));
  if (judged.length === 0) return [];
  return [
    `In ${plural(judged.length, 'case')} only what judges has changed: proofmark run --compare ${base} judges the stored answers of the base again.`,
  ];
}

function suiteRunText(
  { suiteName, cellKey, baseCellKey, verdict, answers }: ComparedSuiteRun,
  terminal: Terminal,
): string {
  const cells = [...new Set([baseCellKey, cellKey])].map((cell) => plain(cell) || 'no matrix').join(' → ');
  const name = `${paint(terminal, 'bold', plain(suiteName))}${cells === 'no matrix' ? '' : ` [${cells}]`}`;
  const lines = [...verdictLines(verdict), ...measureLines(verdict), ...changeLines(answers)].map(
    (line) => `  ${plain(line)}\n`,
  );
  return `${name}\n${lines.join('')}${caseTable(verdict, answers)}${answerText(verdict, answers)}`;
}

function measureLines({ measures }: Verdict): string[] {
  if (measures === null) return [];
  const { latencyMs, tokens, costUsd } = measures;
  return [
    measureLine('Latency', latencyMs, (value) => `${Math.round(value)} ms`),
    measureLine('Tokens', tokens, (value) => `${Math.round(value)}`),
    measureLine('Cost', costUsd, formatPrice),
  ].flat();
}

/** What the agent said and did otherwise, whether or not it passed all the same. */
function changeLines(answers: ReadonlyMap<string, AnswerComparison>): string[] {
  const all = [...answers];
  const changed = all.filter(([, { answerChanged }]) => answerChanged).length;
  const tools = all.filter(([, { toolsChanged }]) => toolsChanged);
  const sequence = (side: AnswerComparison['base']) => side?.tools.join(', ') || 'none';
  return [
    ...(changed === 0 ? [] : [`Answers: different in ${changed} of ${plural(all.length, 'case')}`]),
    ...(tools.length === 0 ? [] : [`Tools: called otherwise in ${tools.length} of ${plural(all.length, 'case')}`]),
    ...tools
      .slice(0, mostToolChanges)
      .map(([name, { base, head }]) => `  ${name}: ${sequence(base)} → ${sequence(head)}`),
    ...(tools.length > mostToolChanges ? [`  and ${tools.length - mostToolChanges} more`] : []),
  ];
}

function measureLine(name: string, { base, head, diff }: MeasureComparison, show: (value: number) => string): string[] {
  if (base === null || head === null) return [];
  const signed = (value: number) => `${value < 0 ? '−' : '+'}${show(Math.abs(value))}`;
  const change =
    diff === null ? '' : ` (${signed(diff.mean)} per case, 95% interval ${signed(diff.lo)} to ${signed(diff.hi)})`;
  return [`${name}: mean ${show(base.mean)} → ${show(head.mean)}${change}, p95 ${show(base.p95)} → ${show(head.p95)}`];
}

/** Cases that differ. Those that are least likely to have fallen by chance come first. */
export function differentCases({ cases }: Pick<Verdict, 'cases'>): CaseComparison[] {
  return cases.filter(isDifferent).toSorted((a, b) => (a.p ?? 2) - (b.p ?? 2));
}

function isDifferent({ base, head, notComparable }: CaseComparison): boolean {
  if (base === null || head === null || notComparable) return true;
  return base.passed * scored(head) !== head.passed * scored(base);
}

const scored = (counts: TrialCounts): number => counts.passed + counts.failed;

function caseTable(verdict: Verdict, answers: ReadonlyMap<string, AnswerComparison>): string {
  const all = differentCases(verdict);
  if (all.length === 0) return '';
  const rows = all
    .slice(0, mostCases)
    .map((one) => [
      plain(one.caseName),
      share(one.base),
      share(one.head),
      one.p === null ? '' : formatProbability(one.p),
      remark(one, answers.get(one.caseName)),
    ]);
  const more = all.length > mostCases ? `    and ${all.length - mostCases} more\n` : '';
  return `${table([['case', 'base', 'head', 'p', ''], ...rows], '    ')}${more}`;
}

function remark(one: CaseComparison, found: AnswerComparison | undefined): string {
  if (one.notComparable) return `not comparable: ${changedPartWords(one)}`;
  if (one.base === null) return 'new';
  if (one.head === null) return 'removed';
  return found?.toolsChanged === true ? 'other tools' : '';
}

const share = (counts: TrialCounts | null): string =>
  counts === null || scored(counts) === 0 ? 'n/a' : `${counts.passed}/${scored(counts)}`;

/** Both answers of the cases that the head lost. */
function answerText(verdict: Verdict, answers: ReadonlyMap<string, AnswerComparison>): string {
  const lost = differentCases(verdict).filter(
    ({ baseStatus, headStatus }) => baseStatus === 'passed' && headStatus === 'failed',
  );
  return lost
    .slice(0, mostCases)
    .flatMap(({ caseName }) => {
      const found = answers.get(caseName);
      if (found?.base == null || found.head == null) return [];
      const side = (title: string, { answer, tools }: typeof found.head & object) =>
        `      ${title}: ${cut(answer)}${tools.length === 0 ? '' : ` [${plain(tools.join(', '))}]`}\n`;
      return [`    ${plain(caseName)}\n`, side('base', found.base), side('head', found.head)];
    })
    .join('');
}

function cut(answer: string | null): string {
  if (answer === null) return 'no answer';
  const text = plain(answer);
  return text.length > answerCharacters ? `${text.slice(0, answerCharacters)}…` : text;
}
