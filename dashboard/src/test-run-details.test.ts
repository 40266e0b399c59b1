import { expect, test } from 'vitest';
import { checkReason } from './test-run-details.ts';

test.each([
  ['fail', null, { missingPhrases: ['9', '17'], matchedPhrases: ['Monday'] }, 'missing “9”, “17”; found “Monday”'],
  ['fail', null, { similarityScore: 0.5, threshold: 0.8 }, 'similarity 0.50 of at least 0.8'],
  ['pass', null, { matchedPhrases: ['9'] }, 'passed'],
  ['error', 'the judge did not answer', {}, 'the judge did not answer'],
  ['fail', null, 'something of a later version', 'failed'],
])('%s with %s and %j is told as "%s"', (status, error, details, text) => {
  expect(checkReason(status, error, details)).toBe(text);
});
