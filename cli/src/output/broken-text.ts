import { plural } from '@proofmark/domain/format-numbers';
import type { CaseReport } from '@proofmark/domain/run-report';
import { cutText } from '@proofmark/domain/visible-text';
import type { FinishedSuiteRun } from '@proofmark/embedded/finished-suite-run';
import { paint, plain, type Terminal } from './terminal.ts';
import { wrapLine } from './wrap-line.ts';

/** More nobody reads in a terminal; the report has all of them. */
const mostCases = 10;
const mostUnits = 240;

/** The cases that did not pass, those first that passed on the base: where they stand, why, and what the agent said. */
export function brokenText(suiteRun: FinishedSuiteRun, terminal: Terminal): string {
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

interface Place {
  suiteRun: FinishedSuiteRun;
  isNew: boolean;
}

function caseText(one: CaseReport, { suiteRun, isNew }: Place, terminal: Terminal): string {
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
