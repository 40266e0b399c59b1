import type { Verdict } from '@proofmark/contracts/verdict';
import { decideCells } from './decide-cells.ts';
import type { VerdictInput } from './verdict-input.ts';

export type { Trial } from './count-trials.ts';
export type { VerdictInput } from './verdict-input.ts';

/** The verdict of a suite run that stands alone. The same for embedded and distributed runs. */
export function decideVerdict(input: VerdictInput): Verdict {
  const [verdict] = decideCells([input]);
  if (verdict === undefined) throw new Error('A cell has a verdict');
  return verdict;
}
