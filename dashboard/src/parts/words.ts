import { outcomeName, type State, stateMarks, stateWords } from '@proofmark/domain/state-words';

/** A word with its sign and its colour: no state is told by colour alone. */
export interface Word {
  mark: string;
  text: string;
  tone: State | 'open';
}

const isState = (text: string): text is State => text in stateWords;

/** How far something is, or what it came to. */
export function stateWord(status: string): Word {
  const state = status.toLowerCase();
  if (isState(state)) return { mark: stateMarks[state], text: stateWords[state].toLowerCase(), tone: state };
  if (state === 'completed') return { mark: '●', text: 'completed', tone: 'skipped' };
  if (state === 'cancelled') return { mark: '–', text: 'cancelled', tone: 'skipped' };
  if (state === 'running') return { mark: '◐', text: 'running', tone: 'open' };
  return { mark: '○', text: 'waiting', tone: 'open' };
}

const verdictMarks: Readonly<Record<string, Pick<Word, 'mark' | 'tone'>>> = {
  REGRESSED: { mark: '✗', tone: 'failed' },
  SUSPECTED: { mark: '?', tone: 'error' },
  INSUFFICIENT: { mark: '?', tone: 'error' },
  INCONCLUSIVE: { mark: '?', tone: 'error' },
  UNCHANGED: { mark: '✓', tone: 'passed' },
  IMPROVED: { mark: '↑', tone: 'passed' },
  NO_BASELINE: { mark: '○', tone: 'skipped' },
  ERROR: { mark: '!', tone: 'error' },
};

/** What the gate said, as the comment calls it. */
export const verdictWord = (word: string): Word => ({
  ...(verdictMarks[word] ?? { mark: '○', tone: 'skipped' }),
  text: word === 'ERROR' ? 'not judged' : outcomeName(word),
});

const worstFirst = [
  ...['REGRESSED', 'ERROR', 'SUSPECTED', 'INSUFFICIENT', 'INCONCLUSIVE', 'NO_BASELINE', 'UNCHANGED', 'IMPROVED'],
];

/** Where a verdict stands from what a reader has to know first to what can wait; what has none comes last. */
export function verdictRank(word: string | null): number {
  const place = worstFirst.indexOf(word ?? '');
  return place === -1 ? worstFirst.length : place;
}

const conclusionTones: Readonly<Record<string, Word['tone']>> = {
  SUCCESS: 'passed',
  FAILURE: 'failed',
  TIMED_OUT: 'failed',
  ACTION_REQUIRED: 'error',
};

interface Judged {
  status: string;
  verdictWord: string | null;
  conclusion: string | null;
}

/** What a run came to, or how far it is. The colour is that of its check, which the gate decides. */
export function runWord({ status, verdictWord: word, conclusion }: Judged): Word {
  if (word === null) return stateWord(status);
  const said = verdictWord(word);
  const tone = conclusionTones[conclusion ?? ''];
  if (tone === 'failed' && said.tone !== 'failed') return { ...said, mark: '✗', tone };
  return { ...said, tone: tone ?? said.tone };
}

const finalStates: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);
export const isFinal = (status: string): boolean => finalStates.has(status);

interface Named {
  repository: string | null;
  pullRequest: number | null;
  headSha: string | null;
  triggeredBy: string;
  createdBy: string;
  ref: string | null;
}

/** What a person calls a run: its pull request, or its branch and commit; else who started it. */
export function nameOfRun({ repository, pullRequest, headSha, triggeredBy, createdBy, ref }: Named): string {
  const what = pullRequest === null ? branchOf(ref) : `#${pullRequest}`;
  const commit = headSha === null ? null : `at ${headSha.slice(0, 7)}`;
  const parts = [repository, what, commit].filter((part) => part !== null);
  return repository !== null && parts.length > 1
    ? parts.join(' ')
    : `${triggers[triggeredBy] ?? triggeredBy.toLowerCase()} by ${createdBy}`;
}

/** The same by the title of its pull request, where that is known. */
export const titleOfRun = (run: Named & { title: string | null }): string =>
  run.title === null || run.pullRequest === null ? nameOfRun(run) : `#${run.pullRequest} ${run.title}`;

/** Whose run it is: nobody's, where the clock started it. */
export const starterOf = (run: { triggeredBy: string; author: string | null; createdBy: string }): string =>
  run.triggeredBy === 'SCHEDULE' ? 'the clock' : (run.author ?? run.createdBy);

const triggers: Readonly<Record<string, string>> = {
  CI: 'CI job',
  API: 'Run over the API',
  MANUAL: 'Run',
  SCHEDULE: 'Scheduled run',
};

export const branchOf = (ref: string | null): string | null => ref?.replace(/^refs\/(heads|tags)\//, '') ?? null;

/** One axis a line is too much in a row: the values alone, and the names where they are asked for. */
export const cellValues = (cellKey: string): string =>
  cellKey
    .split(',')
    .map((axis) => axis.slice(axis.indexOf('=') + 1))
    .join(' · ');

/** The suites of a run in a few words: `Plant advice in 3 cells, Returns`. */
export function suitesText(suiteRuns: readonly { suiteName: string; cellKey: string }[]): string {
  const cells = Map.groupBy(suiteRuns, ({ suiteName }) => suiteName);
  return [...cells]
    .map(([name, members]) => {
      const keys = new Set(members.map(({ cellKey }) => cellKey));
      const [only = ''] = keys;
      if (keys.size > 1) return `${name} in ${keys.size} cells`;
      return only === '' ? name : `${name} · ${cellValues(only)}`;
    })
    .join(', ');
}
