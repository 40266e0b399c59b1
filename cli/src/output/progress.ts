import type { TestRunFinished } from '@proofmark/embedded/test-run-finished';
import { type Color, paint, plain, type Terminal } from './terminal.ts';

/** Shows how a run goes on: a line per test run, or for a person at a terminal one line that moves and what went wrong. */
export interface Progress {
  finished: (event: TestRunFinished) => void;
  /** Takes the moving line away. */
  end: () => void;
}

export function openProgress(terminal: Terminal): Progress {
  return terminal.isInteractive ? movingLine(terminal) : plainLines(terminal);
}

function plainLines(terminal: Terminal): Progress {
  return { finished: (event) => terminal.writeError(eventLines(event, terminal)), end: () => undefined };
}

function movingLine(terminal: Terminal): Progress {
  const erase = '\r\u001B[2K';
  let failed = 0;
  return {
    finished: (event) => {
      const isBad = event.status === 'failed' || event.status === 'error';
      if (isBad) failed += 1;
      const kept = isBad ? eventLines(event, terminal) : '';
      const line = `${event.done}/${event.total} done${failed === 0 ? '' : `, ${failed} not passed`}  ${nameOf(event)}`;
      terminal.writeError(`${erase}${kept}${event.done === event.total ? '' : cut(line, terminal.columns - 1)}`);
    },
    end: () => terminal.writeError(erase),
  };
}

const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;

const words: Record<TestRunFinished['status'], readonly [word: string, color: Color]> = {
  passed: ['passed ', 'green'],
  failed: ['FAILED ', 'red'],
  error: ['ERROR  ', 'red'],
  skipped: ['skipped', 'yellow'],
};

function eventLines(event: TestRunFinished, terminal: Terminal): string {
  const [word, color] = words[event.status];
  const time = event.status === 'skipped' ? '' : `  ${(event.executionTimeMs / 1000).toFixed(1)}s`;
  const reasons = event.reasons.slice(0, 3).map((reason) => `         ${cut(plain(reason), 200)}\n`);
  return `${paint(terminal, color, word)}  ${nameOf(event)}${time}\n${reasons.join('')}`;
}

function nameOf({ suiteName, cellKey, variant, caseName, repetition }: TestRunFinished): string {
  const side = variant === 'head' ? '' : ` (${variant})`;
  const cell = cellKey === '' ? '' : ` [${plain(cellKey)}]`;
  return `${plain(suiteName)}${cell}${side} › ${plain(caseName)}${repetition === 1 ? '' : ` #${repetition}`}`;
}
