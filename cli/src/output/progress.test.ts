import type { TestRunFinished } from '@proofmark/embedded/test-run-finished';
import { expect, test } from 'vitest';
import { openProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { plain } from './terminal.ts';

function record(parts: Partial<Terminal>): { terminal: Terminal; text: () => string } {
  const written: string[] = [];
  const terminal: Terminal = {
    write: (text) => void written.push(text),
    writeError: (text) => void written.push(text),
    isInteractive: false,
    hasColor: false,
    columns: 40,
    ...parts,
  };
  return { terminal, text: () => written.join('') };
}

const finished = (parts: Partial<TestRunFinished>): TestRunFinished => ({
  suiteName: 'Support',
  cellKey: '',
  variant: 'head',
  caseName: 'Hours',
  repetition: 1,
  status: 'passed',
  reasons: [],
  executionTimeMs: 1234,
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

test('without a terminal there is a line per test run', () => {
  const { terminal, text } = record({});
  const progress = openProgress(terminal);
  progress.finished(finished({}));
  progress.finished(failed);
  progress.end();
  expect(text()).toBe(
    'passed   Support › Hours  1.2s\nFAILED   Support [Temperature=0] › Hours  1.2s\n         contains_phrases: "17" missing\n',
  );
});

test('at a terminal one line moves and only what went wrong stays', () => {
  const { terminal, text } = record({ isInteractive: true });
  const progress = openProgress(terminal);
  progress.finished(finished({}));
  progress.finished(failed);
  progress.end();
  const shown = text().replaceAll('\u001B[2K', '<erase>').replaceAll('\r', '');
  expect(shown).toBe(
    '<erase>1/2 done  Support › Hours<erase>FAILED   Support [Temperature=0] › Hours  1.2s\n         contains_phrases: "17" missing\n<erase>',
  );
});

test('colours come on top of words, never instead of them', () => {
  const { terminal, text } = record({ hasColor: true });
  openProgress(terminal).finished(failed);
  expect(text().startsWith('\u001B[31mFAILED \u001B[39m')).toBe(true);
});

test('O9 text of others cannot move the cursor', () => {
  expect(plain('a\rb\u001B[2Jc\u0008\nd')).toBe('a\\u{000D}b\\u{001B}[2Jc\\u{0008} d');
});
