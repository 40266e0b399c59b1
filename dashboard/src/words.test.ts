import { expect, test } from 'vitest';
import { countsText, runWord, stateWord } from './words.ts';

test('the colour of a run is that of its check, whatever the word', () => {
  expect(runWord({ status: 'COMPLETED', verdictWord: 'INSUFFICIENT', conclusion: 'FAILURE' })).toEqual({
    text: '! too few trials',
    tone: 'bad',
  });
  expect(runWord({ status: 'RUNNING', verdictWord: null, conclusion: null }).text).toBe('◐ running');
});

test('a word of a later coordinator is shown as it is', () => {
  expect(stateWord('HELD_BACK')).toEqual({ text: 'held back', tone: 'quiet' });
});

test('errors are told as a part of the failed ones, and nothing leaves the total', () => {
  const counts = { totalCases: 9, openCases: 2, passedCases: 3, failedCases: 3, erroredCases: 1, skippedCases: 1 };
  expect(countsText(counts)).toBe('3 of 9 test runs passed, 3 failed (1 with an error), 1 skipped, 2 open');
});
