/** What the test runs and cases of a report may have come to; what has to be looked at first comes first. */
export const states = ['failed', 'error', 'passed', 'skipped'] as const;
export type State = (typeof states)[number];

export const stateWords: Readonly<Record<State, string>> = {
  failed: 'Failed',
  error: 'Error',
  passed: 'Passed',
  skipped: 'Skipped',
};

/** A sign beside every colour, for those who do not see it. */
export const stateMarks: Readonly<Record<State, string>> = { failed: '✗', error: '!', passed: '✓', skipped: '–' };

/** A verdict, or what stands in its place, as comment, check and page call it: `no-baseline` is `no baseline`. */
export const outcomeName = (outcome: string): string => outcome.replaceAll(/[-_]/g, ' ').toLowerCase();
