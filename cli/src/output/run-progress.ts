import { formatUsd, plural } from '@proofmark/domain/format-numbers';
import { knownCostUsd } from '@proofmark/domain/totals';
import { cutLine } from '@proofmark/domain/visible-text';
import type { LabelJudged, MeasuringJudge } from '@proofmark/embedded/measure-judges';
import type { RecalledTotals } from '@proofmark/embedded/run-embedded';
import type { TestRunFinished } from '@proofmark/embedded/test-run-finished';
import { labelStep } from './calibration-text.ts';
import { type EarlierSteps, openProgress, type ShownProgress, type ShownStep } from './progress.ts';
import { type Color, paint, plain, type Terminal } from './terminal.ts';

/** How a run of this process goes on: its judges are measured first, then its test runs are made. */
export interface ShownRun {
  /** Told first, when results of an earlier process are there. */
  recalled: (recalled: RecalledTotals) => void;
  measuring: (judge: MeasuringJudge) => void;
  judged: (event: LabelJudged) => void;
  finished: (event: TestRunFinished) => void;
  end: () => void;
}

export const answerWords = { thing: 'answer', passed: 'as people' };

export function openRunProgress(terminal: Terminal, signal: AbortSignal): ShownRun {
  const options = { nowMs: () => performance.now(), signal };
  let isOnAnswers = false;
  let shown: ShownProgress = openProgress(terminal, options);
  const change = (toAnswers: boolean): void => {
    shown.end();
    isOnAnswers = toAnswers;
    shown = openProgress(terminal, toAnswers ? { ...options, words: answerWords } : options);
    if (earlier !== undefined && !toAnswers) shown.recall(earlier);
  };
  let earlier: EarlierSteps | undefined;
  return {
    recalled: (recalled) => {
      terminal.writeError(recalledLine(recalled));
      const { testRuns, passed, errored, spent } = recalled;
      earlier = { passed, failed: testRuns - passed - errored, error: errored, costUsd: spent.usd };
      shown.recall(earlier);
    },
    measuring: ({ suiteName, path, labels }) => {
      change(true);
      const answers = plural(labels, 'labelled answer');
      terminal.writeError(`Measuring the judge of ${plain(suiteName)} with the ${answers} of ${plain(path)}\n`);
    },
    judged: (event) => shown.step(quietStep(event)),
    finished: (event) => {
      if (isOnAnswers) change(false);
      shown.step(stepOf(event, terminal));
    },
    end: () => shown.end(),
  };
}

/** Only answers that could not be judged are worth a line: the verdict says what the others came to. */
function quietStep(event: LabelJudged) {
  const step = labelStep(event);
  const costUsd = knownCostUsd({ costUsd: null, measuring: event.spent });
  return { ...step, costUsd, lines: step.isNews ? step.lines : '' };
}

function recalledLine({ testRuns, total, passed, spent }: RecalledTotals): string {
  const cost = spent.usd > 0 ? `, ${formatUsd(spent.usd)} spent` : '';
  const left = testRuns === total ? 'nothing is left to ask' : `${total - testRuns} to go`;
  return `Going on: ${testRuns} of ${plural(total, 'test run')} ${testRuns === 1 ? 'is' : 'are'} kept (${passed} passed${cost}), ${left}\n`;
}

const mostReasons = 3;
const reasonUnits = 200;

/** A test run as a step of its run: a line, and below it why it did not pass. */
export function stepOf(event: TestRunFinished, terminal: Terminal): ShownStep {
  const { done, total, status, costUsd } = event;
  return {
    done,
    total,
    costUsd,
    state: status,
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
  // What errors of metrics came to is a reason of its own; beside a result nobody would look for it.
  const isPartial = event.unmeasured.length > 0 && event.status === 'passed';
  const missing = isPartial ? `  not measured: ${cutLine(plain(event.unmeasured.join(', ')), reasonUnits)}` : '';
  return `${paint(terminal, isPartial ? 'yellow' : color, word)}  ${nameOf(event)}${time}${missing}\n${reasons.join('')}`;
}

function nameOf({ suiteName, cellKey, variant, caseName, repetition }: TestRunFinished): string {
  const side = variant === 'head' ? '' : ` (${variant})`;
  const cell = cellKey === '' ? '' : ` [${plain(cellKey)}]`;
  return `${plain(suiteName)}${cell}${side} › ${plain(caseName)}${repetition === 1 ? '' : ` #${repetition}`}`;
}
