import { expect, test } from 'vitest';
import { formatPrice, formatUsd } from './format-numbers.ts';

test('a sum of money says more than nothing when it is more than nothing', () => {
  const sums = [0, 4e-10, 0.00009, 0.0001, 0.0004, 0.00214, 0.01, 0.054, 0.42, 1.25, 1234.5];
  expect(sums.map(formatUsd)).toEqual([
    '$0.00',
    'less than $0.0001',
    'less than $0.0001',
    '$0.0001',
    '$0.0004',
    '$0.0021',
    '$0.01',
    '$0.05',
    '$0.42',
    '$1.25',
    '$1234.50',
  ]);
});

test('a single price keeps two digits that tell something', () => {
  expect([0, 4e-10, 0.000043, 0.0021, 0.05, 0.42, 1.25].map(formatPrice)).toEqual([
    '$0.00',
    '$0.00',
    '$0.000043',
    '$0.0021',
    '$0.050',
    '$0.42',
    '$1.25',
  ]);
});
