import type { TestRunFinished } from '@proofmark/embedded/test-run-finished';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openProgress } from './progress.ts';
import { stepOf } from './run-progress.ts';
import { plain, type Terminal } from './terminal.ts';

function record(parts: Partial<Terminal>): { terminal: Terminal; text: () => string } {
  const written: string[] = [];
  const terminal: Terminal = {
    write: (text) => void written.push(text),
    writeError: (text) => void written.push(text),
    writeCommands: (text) => void written.push(text),
    isInteractive: false,
    hasColor: false,
    columns: 80,
    isScreen: false,
    ...parts,
  };
  const text = () => written.join('').replaceAll('\u001B[2K', '<erase>').replaceAll('\r', '');
  return { terminal, text };
}

const finished = (parts: Partial<TestRunFinished>): TestRunFinished => ({
  suiteName: 'Support',
  cellKey: '',
  variant: 'head',
  caseName: 'Hours',
  repetition: 1,
  status: 'passed',
  reasons: [],
  unmeasured: [],
  isRecalled: false,
  executionTimeMs: 1234,
  costUsd: 0,
  done: 1,
  total: 2,
  ...parts,
});
const failed = finished({
  status: 'failed',
  done: 2,
  cellKey: 'Temperature=0',
  reasons: ['contains_phrases: "17" missing'],
});

/** A progress with a clock of its own. */
function open(parts: Partial<Terminal> = {}) {
  const { terminal, text } = record(parts);
  const interruption = new AbortController();
  let now = 0;
  const progress = openProgress(terminal, { nowMs: () => now, signal: interruption.signal });
  return {
    text,
    interrupt: () => interruption.abort(),
    wait: (ms: number) => {
      now += ms;
    },
    ended: (event: TestRunFinished) => progress.step(stepOf(event, terminal)),
    end: progress.end,
  };
}

describe('without a terminal', () => {
  test('a short run has a line per test run', () => {
    const { ended, end, text } = open();
    ended(finished({}));
    ended(failed);
    end();
    expect(text()).toBe(
      'passed   Support › Hours  1.2s\nFAILED   Support [Temperature=0] › Hours  1.2s\n         contains_phrases: "17" missing\n',
    );
  });

  test('S0-37 a test run that passed says which of its metrics gave no measure', () => {
    const { ended, end, text } = open({ isInteractive: false });
    ended(finished({ unmeasured: ['coherence', 'fluency\u{1b}[31m'] }));
    end();
    expect(text()).toBe('passed   Support › Hours  1.2s  not measured: coherence, fluency\\u{001B}[31m\n');
  });

  test('a long run has what went wrong, and a line about all of it every tenth or every ten seconds', () => {
    const { ended, wait, text } = open();
    for (let done = 1; done <= 500; done += 1) {
      wait(done < 51 ? 1_000 : 10);
      ended(finished({ done, total: 5_000, ...(done === 3 ? { status: 'failed', reasons: ['no'] } : {}) }));
    }
    expect(text().split('\n')).toEqual([
      'FAILED   Support › Hours  1.2s',
      '         no',
      '10/5000 done  90% passed  about 83 m 10 s left',
      '20/5000 done  95% passed  about 83 m 00 s left',
      '30/5000 done  96.7% passed  about 82 m 50 s left',
      '40/5000 done  97.5% passed  about 82 m 40 s left',
      '50/5000 done  98% passed  about 82 m 30 s left',
      '500/5000 done  99.8% passed  about 8 m 11 s left',
      '',
    ]);
  });

  test('the same error in a row is told three times and then counted', () => {
    const { ended, end, text } = open();
    const refused = (done: number) => finished({ done, total: 9, status: 'error', reasons: ['no such key'] });
    for (const done of [1, 2, 3, 4, 5]) ended(refused(done));
    ended(finished({ done: 6, total: 9, status: 'error', reasons: ['a timeout'] }));
    ended(refused(7));
    end();
    const [line, why] = ['ERROR    Support › Hours  1.2s', '         no such key'];
    expect(text().split('\n')).toEqual([
      ...[line, why, line, why, line, why, '         and 2 more test runs with this error'],
      ...[line, '         a timeout', line, why, ''],
    ]);
  });

  test('a run that ends with them says how many there were', () => {
    const { ended, end, text } = open({ isInteractive: true });
    for (const done of [1, 2, 3, 4, 5]) ended(finished({ done, total: 5, status: 'error', reasons: ['no such key'] }));
    end();
    expect(text()).toContain(
      '<erase>         and 2 more test runs with this error\n5/5 done  0% passed  5 errors<erase>',
    );
  });

  test('what went wrong ends when nobody reads it any more', () => {
    const { ended, text } = open();
    for (let done = 1; done <= 450; done += 1) ended(finished({ done, total: 9_000, status: 'error', reasons: [] }));
    expect(text().match(/ERROR/g)).toHaveLength(200);
    expect(text().match(/More of these are in the report/g)).toHaveLength(1);
  });
});

describe('at a terminal', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('one line moves and only what went wrong stays', () => {
    const { ended, end, text } = open({ isInteractive: true });
    ended(finished({ costUsd: 0.0021 }));
    ended(failed);
    end();
    expect(text()).toBe(
      '<erase>1/2 done  100% passed  $0.0021<erase>FAILED   Support [Temperature=0] › Hours  1.2s\n         contains_phrases: "17" missing\n2/2 done  50% passed  $0.0021<erase>',
    );
  });

  test('the time that is left goes down while nothing ends', () => {
    const { ended, end, wait, text } = open({ isInteractive: true });
    for (const done of [1, 2]) {
      wait(2_000);
      ended(finished({ done, total: 10 }));
    }
    wait(1_000);
    vi.advanceTimersByTime(1_000);
    end();
    expect(text()).toBe(
      '<erase>1/10 done  100% passed<erase>2/10 done  100% passed  about 16 s left<erase>2/10 done  100% passed  about 20 s left<erase>',
    );
  });

  test.each([
    [200, '7/900 done  100% passed  $0.35  about 2 m 08 s left'],
    [40, '7/900 done  100% passed  $0.35'],
    [23, '7/900 done  $0.35'],
    [13, '7/900 done'],
    [5, '7/90'],
  ])('a terminal of %i columns never breaks the line', (columns, line) => {
    const { ended, wait, text } = open({ isInteractive: true, columns });
    for (let done = 1; done <= 7; done += 1) ended(finished({ done, total: 900, costUsd: 0.05 }));
    wait(1_000);
    ended(finished({ done: 7, total: 900, status: 'skipped' }));
    expect(text().split('<erase>').at(-1)).toBe(line);
  });

  test('Ctrl-C leaves one line, and what is not started is not listed', () => {
    const { ended, end, interrupt, text } = open({ isInteractive: true });
    ended(finished({}));
    interrupt();
    ended(finished({ done: 2, status: 'skipped', reasons: ['interrupted'] }));
    end();
    expect(text()).toBe(
      '<erase>1/2 done  100% passed<erase>Interrupted: ending what is running. Ctrl-C again stops at once.\n1/2 done  100% passed<erase>',
    );
  });
});

test('colours come on top of words, never instead of them', () => {
  const { terminal } = record({ hasColor: true });
  expect(stepOf(failed, terminal).lines.startsWith('\u001B[31mFAILED \u001B[39m')).toBe(true);
});

test('O9 text of others cannot move the cursor', () => {
  expect(plain('a\rb\u001B[2Jc\u0008\nd')).toBe('a\\u{000D}b\\u{001B}[2Jc\\u{0008} d');
});
