import { expect, test } from 'vitest';
import { bleu } from './bleu.ts';
import { tokenize13a } from './tokenize-13a.ts';

test('a comma or point stays in a number and leaves a word, entities are characters, a hyphen after a digit stands alone', () => {
  expect(tokenize13a('It cost $1,200.50, &quot;net&quot;, on 2024-01-05.')).toEqual([
    'It',
    'cost',
    '$',
    '1,200.50',
    ',',
    '"',
    'net',
    '"',
    ',',
    'on',
    '2024',
    '-',
    '01',
    '-',
    '05',
    '.',
  ]);
});

test('a word that is broken over two lines is one token', () => {
  expect(tokenize13a('semi-\nfinal <skipped>round')).toEqual(['semifinal', 'round']);
});

test('equal texts score 1, also when they are too short for 4-grams', () => {
  expect(bleu('We open at nine', 'We open at nine')?.score).toBeCloseTo(1, 12);
  expect(bleu('yes', 'yes')?.score).toBe(1);
});

test('case counts', () => {
  expect(bleu('YES', 'yes')?.score).toBe(0);
});

test('an order without a match is smoothed, a text without any match is 0', () => {
  expect(bleu('the cat', 'cat the')?.precisions).toEqual([1, 0.5, 0, 0]);
  expect(bleu('completely different', 'nothing in common')?.score).toBe(0);
});

test('a response without a token scores 0, a reference without one cannot be compared with', () => {
  expect(bleu(' \n', 'yes')).toEqual({ score: 0, precisions: [0, 0, 0, 0], brevityPenalty: 0 });
  expect(bleu('yes', ' \n')).toBeNull();
});
