import type { CaseComparison } from '@proofmark/contracts/verdict';
import { expect, it } from 'vitest';
import { isDifferent } from './case-differences.ts';

const counts = (passed: number, failed: number, errored = 0) => ({
  ...{ planned: 3, passed, failed, errored, invalid: 0 },
});

const comparison = (base: CaseComparison['base'], head: CaseComparison['head']): CaseComparison => ({
  ...{ caseName: 'Opening hours', base, head, notComparable: false, changedParts: [], quarantined: false },
  ...{ window: null, baseStatus: null, headStatus: null, p: null, adjustedP: null },
});

it.each([
  ['it passed as often', counts(3, 0), counts(3, 0), false],
  ['it passed as large a share', counts(1, 1), counts(2, 2), false],
  ['it passed less often', counts(3, 0), counts(2, 1), true],
  ['nothing was scored on the head', counts(3, 0), counts(0, 0, 3), true],
  ['nothing was scored on either side', counts(0, 0, 3), counts(0, 0, 3), false],
  ['the head lacks it', counts(3, 0), null, true],
])('a case differs or not where %s', (_, base, head, expected) => {
  expect(isDifferent(comparison(base, head))).toBe(expected);
});
