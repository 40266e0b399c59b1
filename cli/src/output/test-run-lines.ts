import { cutLine } from '@proofmark/domain/visible-text';
import type { TestRunFinished } from '@proofmark/embedded/test-run-finished';
import type { ProgressStep } from './progress.ts';
import { type Color, paint, plain, type Terminal } from './terminal.ts';

const mostReasons = 3;
const reasonUnits = 200;

/** A test run as a step of its run: a line, and below it why it did not pass. */
export function stepOf(event: TestRunFinished, terminal: Terminal): ProgressStep {
  const { done, total, status, costUsd } = event;
  return {
    ...{ done, total, costUsd, state: status },
    lines: eventLines(event, terminal),
    // What the base gets wrong is no news: the head is what is judged.
    isNews: status === 'error' || (status === 'failed' && event.variant !== 'baseline'),
    ...(status === 'error' && event.reasons.length > 0 && { error: event.reasons.join('\n') }),
  };
}

const words: Record<TestRunFinished['status'], readonly [word: string, color: Color]> = {
  passed: ['passed ', 'green'],
  failed: ['FAILED ', 'red'],
  error: ['ERROR  ', 'red'],
  skipped: ['skipped', 'yellow'],
};

function eventLines(event: TestRunFinished, terminal: Terminal): string {
  const [word, color] = words[event.status];
  const time = event.status === 'skipped' ? '' : `  ${(event.executionTimeMs / 1000).toFixed(1)}s`;
  const reasons = event.reasons
    .slice(0, mostReasons)
    .map((reason) => `         ${cutLine(plain(reason), reasonUnits)}\n`);
  return `${paint(terminal, color, word)}  ${nameOf(event)}${time}\n${reasons.join('')}`;
}

function nameOf({ suiteName, cellKey, variant, caseName, repetition }: TestRunFinished): string {
  const side = variant === 'head' ? '' : ` (${variant})`;
  const cell = cellKey === '' ? '' : ` [${plain(cellKey)}]`;
  return `${plain(suiteName)}${cell}${side} › ${plain(caseName)}${repetition === 1 ? '' : ` #${repetition}`}`;
}
