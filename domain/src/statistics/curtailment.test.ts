import { expect, test } from 'vitest';
import { bestEndForHead } from './curtailment.ts';

test('outstanding head trials pass and outstanding base trials fail', () => {
  const unfinished = { counts: [3, 4, 0, 1], outstandingBase: 1, outstandingHead: 2 } as const;
  expect(bestEndForHead(unfinished)).toEqual([3, 5, 2, 3]);
});
