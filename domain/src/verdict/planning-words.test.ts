import { expect, it } from 'vitest';
import { plainPhrase } from '../text/phrase.ts';
import { planningLine } from './planning-words.ts';

const planning = { repetitions: 1, baseTrials: null, dropPoints: 10, neededRepetitions: null };

it('a suite too small to see any drop is told so, not that it sees a drop of more than everything', () => {
  const line = plainPhrase(planningLine({ ...planning, cases: 2, detectablePoints: 107.7 }, false));
  expect(line).toBe('2 cases, 1 repetition and as many base trials are too few to show any drop.');
  expect(plainPhrase(planningLine({ ...planning, cases: 20, detectablePoints: 34 }, false))).toContain(
    '34 points or more',
  );
});
