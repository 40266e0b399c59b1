import type { Verdict } from '@proofmark/contracts/verdict';
import { formatRate, formatUsd, plural } from '@proofmark/domain/format-numbers';
import { type GateWord, gateWord } from '@proofmark/domain/gate-word';
import { plainPhrase } from '@proofmark/domain/phrase';
import type { CaseReport } from '@proofmark/domain/run-report';
import { balancedPassRate, type ResultGroup } from '@proofmark/domain/summarize';
import { sumKnown } from '@proofmark/domain/totals';
import { cutText } from '@proofmark/domain/visible-text';
import type { EndedSuiteRun } from '@proofmark/embedded/finished-suite-run';
import { cellTables } from './matrix-table.ts';
import { curesOf } from './problem-text.ts';
import { type Color, paint, plain, type Terminal, wrapLine } from './terminal.ts';

interface Place {
  folder: string;
  /** What to type to go on with the run when it was cut short; null: it cannot go on. */
  goOn: string | null;
}

/** What a person reads after a run: per suite run its numbers and its verdict, where the files are, and how the rest is run. */
export function runSummary(suiteRuns: readonly EndedSuiteRun[], { folder, goOn }: Place, terminal: Terminal): string {
  const judged = suiteRuns.filter(({ verdict }) => verdict !== null);
  const texts = judged.map((suiteRun) => suiteRunText(suiteRun, terminal));
  const whole = `${cellTables(suiteRuns)}${closingLine(judged, terminal)}`;
  return `\n${texts.join('')}${whole}${interruptionLine(suiteRuns)}${curesLine(judged)}${nextLine(judged)}Results: ${folder}\n${goOnLine(suiteRuns, goOn)}`;
}

/** An error has a kind, and each kind a cure. */
const curesLine = (judged: readonly EndedSuiteRun[]): string =>
  judged.some(({ totals }) => totals.errored > 0) ? `Kinds of error and cures: ${curesOf('in-results')}\n` : '';

/** What to do about runs that were compared with nothing, once for all of them. */
function nextLine(judged: readonly EndedSuiteRun[]): string {
  const verdict = judged.map((suiteRun) => suiteRun.verdict).find((one) => one !== null && isComparedWithNothing(one));
  return verdict === undefined || verdict === null ? '' : `${plainPhrase(verdict.paragraph)}\n`;
}

/** All suite runs in one line, the worst of their words last; of one alone its own line says it. */
function closingLine(judged: readonly EndedSuiteRun[], terminal: Terminal): string {
  if (judged.length < 2) return '';
  const sum = (of: keyof EndedSuiteRun['totals']): number =>
    judged.reduce((total, { totals }) => total + totals[of], 0);
  const [passed, failed, errored] = [sum('passed'), sum('failed'), sum('errored')];
  const executed = passed + failed + errored;
  const cost = sumKnown(judged.map(({ costUsd }) => costUsd));
  const parts = [
    `${passed} of ${plural(executed, 'test run')} passed${executed === 0 ? '' : ` (${formatRate((100 * passed) / executed)})`}`,
    failed === 0 ? '' : `${failed} failed`,
    errored === 0 ? '' : plural(errored, 'error'),
    cost === null ? '' : formatUsd(cost),
  ].filter((part) => part !== '');
  const found = judged.map(wordOf);
  const worst = ['refused', 'not judged', 'interrupted', 'neutral', 'accepted'] as const;
  const [word, color] = wordsOf[worst.find((one) => found.includes(one)) ?? 'accepted'];
  return `${paint(terminal, 'bold', `All ${judged.length} suite runs`)}: ${parts.join(', ')}  ${paint(terminal, color, word)}\n`;
}

const wordOf = ({ skipReasons, verdict }: EndedSuiteRun): GateWord | 'interrupted' => {
  if (skipReasons.includes('interrupted')) return 'interrupted';
  return verdict === null ? 'accepted' : gateWord(verdict);
};

const isSkippedFor = (suiteRuns: readonly EndedSuiteRun[], reason: string): boolean =>
  suiteRuns.some(({ skipReasons }) => skipReasons.includes(reason));

/** What an interrupted run leaves. */
function interruptionLine(suiteRuns: readonly EndedSuiteRun[]): string {
  if (!isSkippedFor(suiteRuns, 'interrupted')) return '';
  const executed = suiteRuns.reduce((sum, { totals }) => sum + totals.passed + totals.failed + totals.errored, 0);
  const all = suiteRuns.reduce((sum, { totals }) => sum + totals.skipped, executed);
  if (executed === 0) return `Interrupted: none of ${plural(all, 'test run')} finished.\n`;
  return `Interrupted: ${executed} of ${plural(all, 'test run')} finished and ${executed === 1 ? 'is' : 'are'} kept.\n`;
}

/** The line that goes on with a run that was cut short; empty when it was not. */
export function goOnLine(suiteRuns: readonly EndedSuiteRun[], goOn: string | null): string {
  if (goOn === null) return '';
  if (isSkippedFor(suiteRuns, 'interrupted')) return `Go on with it: ${goOn}\n`;
  return isSkippedFor(suiteRuns, 'budget') ? `With a larger budget in proofmark.yaml, go on with it: ${goOn}\n` : '';
}

function suiteRunText(suiteRun: EndedSuiteRun, terminal: Terminal): string {
  const { suiteName, cellKey, verdict, totals, report, groups, costUsd } = suiteRun;
  const name = `${paint(terminal, 'bold', plain(suiteName))}${cellKey === '' ? '' : ` [${plain(cellKey)}]`}`;
  const executed = totals.passed + totals.failed + totals.errored;
  const rate = report.ok ? ` (${formatRate(report.summary.pass_rate)})` : '';
  const parts = [
    `${totals.passed} of ${executed} passed${rate}`,
    totals.failed === 0 ? '' : `${totals.failed} failed`,
    totals.errored === 0 ? '' : plural(totals.errored, 'error'),
    totals.skipped === 0 ? '' : `${totals.skipped} skipped`,
    costUsd === null ? '' : formatUsd(costUsd),
  ].filter((part) => part !== '');
  const [word, color] = wordsOf[wordOf(suiteRun)];
  const details = verdict === null ? [] : verdictLines(verdict);
  const refusal = report.ok ? [] : [report.reason];
  const width = terminal.isInteractive ? terminal.columns - 1 : null;
  const lines = [...details, ...refusal, ...groupLines(groups)]
    .flatMap((line) => wrapLine(`  ${plain(line)}`, { width, hanging: '  ' }))
    .map((line) => `${line}\n`);
  return `${name}: ${parts.join(', ')}  ${paint(terminal, color, word)}\n${lines.join('')}${brokenText(suiteRun, terminal)}\n`;
}

/** A run that was compared with nothing has nothing to say beside the title: the numbers stand above, what to do next below. */
export function verdictLines(verdict: Verdict): string[] {
  const told = isComparedWithNothing(verdict) ? [] : [plainPhrase(verdict.paragraph)];
  return [verdict.title, ...told, ...verdict.lines.map(plainPhrase)];
}

const isComparedWithNothing = ({ reason, cases }: Verdict): boolean =>
  reason === 'no_base' && cases.every(({ base }) => base === null);

/** A line per kind of group, where there is more than one of the kind to tell apart. */
function groupLines(groups: readonly ResultGroup[]): string[] {
  const line = (by: ResultGroup['by'], least: number): string[] => {
    const own = groups.filter((group) => group.by === by);
    if (own.length < least) return [];
    const rates = own.map(
      ({ name, passed, executed, passRate }) => `${name} ${passed}/${executed} (${formatRate(passRate)})`,
    );
    const balanced = by === 'difficulty' ? balancedPassRate(groups) : null;
    const alike = balanced === null ? '' : `; each counted alike ${formatRate(balanced)}`;
    return [`By ${by}: ${rates.join(', ')}${alike}`];
  };
  return [...line('difficulty', 2), ...line('tag', 1)];
}

const wordsOf: Record<GateWord | 'interrupted', readonly [word: string, color: Color]> = {
  interrupted: ['INTERRUPTED', 'yellow'],
  accepted: ['accepted', 'green'],
  neutral: ['NEUTRAL', 'yellow'],
  refused: ['REFUSED', 'red'],
  'not judged': ['NOT JUDGED', 'yellow'],
};

/** More nobody reads in a terminal; the report has all of them. */
const mostCases = 10;
const mostUnits = 240;

/** The cases that did not pass, those first that passed on the base: where they stand, why, and what the agent said. */
function brokenText(suiteRun: EndedSuiteRun, terminal: Terminal): string {
  const newly = new Set(suiteRun.verdict?.alert.newlyFailing);
  const broken = suiteRun.cases
    .filter(({ firstFailure }) => firstFailure !== null)
    .toSorted((a, b) => Number(newly.has(b.caseName)) - Number(newly.has(a.caseName)));
  if (broken.length === 0) return '';
  const items = broken
    .slice(0, mostCases)
    .map((one) => caseText(one, { suiteRun, isNew: newly.has(one.caseName) }, terminal));
  const more = broken.length - items.length;
  return `\n${items.join('')}${more > 0 ? `    and ${plural(more, 'more case')} in the report\n` : ''}`;
}

interface BrokenPlace {
  suiteRun: EndedSuiteRun;
  isNew: boolean;
}

function caseText(one: CaseReport, { suiteRun, isNew }: BrokenPlace, terminal: Terminal): string {
  const { caseName, line, firstFailure, headAnswer, baseAnswer } = one;
  const counts = suiteRun.verdict?.cases.find((compared) => compared.caseName === caseName)?.head ?? null;
  const facts = [
    counts === null
      ? ''
      : `${counts.passed} of ${counts.passed + counts.failed + counts.errored + counts.invalid} passed`,
    isNew ? 'newly failing' : '',
    line === null ? '' : plain(`${suiteRun.suitePath}:${line}`),
  ].filter((fact) => fact !== '');
  const title = `  ${paint(terminal, 'red', '✗')} ${paint(terminal, 'bold', plain(caseName))}  ${paint(terminal, 'dim', facts.join(', '))}\n`;
  const told = [
    row('why', firstFailure),
    row('said', headAnswer),
    baseAnswer === headAnswer ? '' : row('base said', baseAnswer),
  ].filter((text) => text !== '');
  const width = terminal.isInteractive ? terminal.columns - 1 : null;
  const lines = told.flatMap((text) => wrapLine(text, { width, hanging: ' '.repeat(labelUnits) }));
  return `${title}${lines.map((text) => `${text}\n`).join('')}`;
}

const labelUnits = 16;

function row(label: string, text: string | null): string {
  if (text === null) return '';
  const shown = text.trim() === '' ? '(empty)' : cutText(plain(text), mostUnits);
  return `${`      ${label}`.padEnd(labelUnits)}${shown}`;
}
