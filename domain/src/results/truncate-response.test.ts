import { expect, test } from 'vitest';
import { truncateResponse } from './truncate-response.ts';

test('S2-93 an answer above 20,000 characters is cut and says so', () => {
  const { text, isTruncated } = truncateResponse('x'.repeat(25_000));
  expect([text.length, isTruncated]).toEqual([20_000, true]);
});

test('S2-93 an answer of exactly 20,000 characters is kept', () => {
  const answer = 'x'.repeat(20_000);
  expect(truncateResponse(answer)).toEqual({ text: answer, isTruncated: false });
});

test('S2-93 the cut never leaves half a character', () => {
  expect(truncateResponse('ab😀cd', 3)).toEqual({ text: 'ab', isTruncated: true });
  expect(truncateResponse('ab😀cd', 4)).toEqual({ text: 'ab😀', isTruncated: true });
});
