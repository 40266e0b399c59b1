import { expect, test } from 'vitest';
import { cases } from '../verdict/sample-trials.fixture.ts';
import { decide } from '../verdict/sample-verdict.fixture.ts';
import { verdictSection } from './verdict-section.ts';

test.for([
  ['without an interval that would seem to say the opposite', 6, 4, false],
  ['with an interval that says the same', 10, 6, true],
] as const)('a regression is shown %s', ([, count, good, isShown]) => {
  const head = [...cases(good, 'pass', 3), ...cases(count, 'fail', 3).slice(good * 3)];
  const verdict = decide({ base: cases(count, 'pass', 3), head });
  expect([verdict.word, (verdict.ciHiPoints ?? 0) < 0]).toEqual(['regressed', isShown]);
  const { markup } = verdictSection(verdict);
  expect(markup.includes('class="interval"')).toBe(isShown);
  // One sentence where verdict and alert rule say the same, and one number.
  expect(markup).toContain('The alert rule fires, too; newly failing: ');
  expect(markup).not.toContain('limit 10');
});
