import type { Verdict } from '@proofmark/contracts/verdict';

/** What the gate says of a suite run, in the one word that the terminal, the page and the exit code share. */
export type GateWord = 'accepted' | 'neutral' | 'refused' | 'not judged';

/** The word follows from the conclusion of the check; what could not be measured as a whole is never accepted. */
export function gateWord({
  word,
  conclusion,
  cases,
  cutTestRuns,
  unmeasured,
}: Pick<Verdict, 'word' | 'conclusion' | 'cases' | 'cutTestRuns' | 'unmeasured'>): GateWord {
  if (word === 'error') return 'not judged';
  if (conclusion === 'failure') return 'refused';
  if (cutTestRuns > 0 || cases.some(({ head }) => head !== null && head.invalid > 0)) return 'not judged';
  if (unmeasured.some(({ isEnough }) => !isEnough)) return 'not judged';
  return conclusion === 'success' ? 'accepted' : 'neutral';
}
