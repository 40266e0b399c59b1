type Tone = 'good' | 'bad' | 'warn' | 'quiet';
interface Word {
  text: string;
  tone: Tone;
}

const states: Readonly<Record<string, Word>> = {
  PENDING: { text: '○ waiting', tone: 'quiet' },
  QUEUED: { text: '○ waiting', tone: 'quiet' },
  RUNNING: { text: '◐ running', tone: 'quiet' },
  COMPLETED: { text: '● completed', tone: 'quiet' },
  PASSED: { text: '✓ passed', tone: 'good' },
  FAILED: { text: '✗ failed', tone: 'bad' },
  ERROR: { text: '! error', tone: 'warn' },
  SKIPPED: { text: '– skipped', tone: 'quiet' },
  CANCELLED: { text: '– cancelled', tone: 'quiet' },
};

const verdicts: Readonly<Record<string, Word>> = {
  REGRESSED: { text: '✗ regressed', tone: 'bad' },
  SUSPECTED: { text: '! suspected', tone: 'warn' },
  INSUFFICIENT: { text: '! too few trials', tone: 'warn' },
  INCONCLUSIVE: { text: '! inconclusive', tone: 'warn' },
  UNCHANGED: { text: '✓ unchanged', tone: 'good' },
  IMPROVED: { text: '✓ improved', tone: 'good' },
  NO_BASELINE: { text: '○ no baseline', tone: 'quiet' },
  ERROR: { text: '! not judged', tone: 'warn' },
};

const conclusions: Readonly<Record<string, Tone>> = {
  SUCCESS: 'good',
  FAILURE: 'bad',
  TIMED_OUT: 'bad',
  ACTION_REQUIRED: 'warn',
};

/** Words of a later coordinator are shown as they are. */
const unknown = (word: string): Word => ({ text: word.toLowerCase().replaceAll('_', ' '), tone: 'quiet' });

export const stateWord = (status: string): Word => states[status] ?? unknown(status);
export const verdictWord = (word: string): Word => verdicts[word] ?? unknown(word);

type Judged = { status: string; verdictWord: string | null; conclusion: string | null };

/** What a run came to, or how far it is. The colour is that of its check, which the gate decides. */
export function runWord({ status, verdictWord: word, conclusion }: Judged): Word {
  if (word === null) return stateWord(status);
  return { text: verdictWord(word).text, tone: conclusions[conclusion ?? ''] ?? verdictWord(word).tone };
}

type Counts = Record<
  'totalCases' | 'openCases' | 'passedCases' | 'failedCases' | 'erroredCases' | 'skippedCases',
  number
>;

/** Errors count as failed in totals, so they are told as a part of them. */
export function countsText({
  totalCases,
  openCases,
  passedCases,
  failedCases,
  erroredCases,
  skippedCases,
}: Counts): string {
  const errors = erroredCases > 0 ? ` (${erroredCases} with an error)` : '';
  const parts = [`${passedCases} of ${totalCases} test runs passed`, `${failedCases} failed${errors}`];
  if (skippedCases > 0) parts.push(`${skippedCases} skipped`);
  if (openCases > 0) parts.push(`${openCases} open`);
  return parts.join(', ');
}
