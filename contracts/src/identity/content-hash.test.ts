import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { trialSeed } from './content-hash.ts';

test('the seed of a trial is the beginning of a hash of its run, case and repetition', () => {
  expect(trialSeed('5eed', '["Shop","Hours"]', 2)).toBe(hash('sha256', '5eed|["Shop","Hours"]|2').slice(0, 16));
});
