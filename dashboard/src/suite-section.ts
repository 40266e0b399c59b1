import { type Failure, Failures, type SuiteRunAnswer, type TestRun, TestRunPage } from './answers.ts';
import { ask } from './ask.ts';
import { element, folded } from './element.ts';
import { testRunDetails } from './test-run-details.ts';
import { visible } from './visible.ts';
import { countsText, stateWord, verdictWord } from './words.ts';

/** Above this many the cases wait for a click: nobody reads a thousand rows, and each suite would load its own. */
const mostUnasked = 300;

const mostReasonUnits = 300;

/** One suite in one cell: its verdict in a sentence, then its cases. */
export function suiteSection(suiteRun: SuiteRunAnswer): HTMLElement {
  const { verdict, status } = suiteRun;
  const word = verdict === null ? stateWord(status) : verdictWord(verdict.word);
  const cases = element('div');
  const section = element(
    'section',
    { className: 'card' },
    element(
      'div',
      { className: 'head' },
      element('h2', {}, titleOf(suiteRun)),
      element('span', { className: `mark ${word.tone}` }, word.text),
    ),
    suiteRun.suitePath === null ? null : element('div', { className: 'quiet' }, suiteRun.suitePath),
    verdict === null ? null : verdictBlock(verdict, word.tone),
    suiteRun.failureReason === null
      ? null
      : element('p', { className: 'warn' }, `Ended early: ${suiteRun.failureReason}`),
    element('p', { className: 'quiet' }, countsText(suiteRun)),
    cases,
  );
  const load = () => void fillCases(cases, suiteRun);
  if (suiteRun.totalCases <= mostUnasked && suiteRun.variant !== 'BASELINE') load();
  else cases.append(button('Show the cases', load));
  return section;
}

const purposes: Record<string, string> = { CONFIRM: 'confirmation', REJUDGE: 'stored answers, judged again' };

function titleOf({ suiteName, cellKey, variant, purpose }: SuiteRunAnswer): string {
  const parts = [suiteName, cellKey, variant === 'HEAD' ? '' : variant.toLowerCase()];
  if (purpose !== 'FIRST') parts.push(purposes[purpose] ?? purpose.toLowerCase());
  return parts.filter((part) => part !== '').join(' · ');
}

function verdictBlock(verdict: NonNullable<SuiteRunAnswer['verdict']>, tone: string): HTMLElement {
  return element(
    'div',
    { className: `verdict ${tone}` },
    element('p', {}, element('strong', {}, verdict.title)),
    verdict.paragraph === '' || verdict.paragraph === verdict.title ? null : element('p', {}, verdict.paragraph),
    ...verdict.lines.map((line) => element('p', { className: 'quiet' }, line)),
  );
}

async function fillCases(place: HTMLElement, suiteRun: SuiteRunAnswer): Promise<void> {
  place.replaceChildren(element('p', { className: 'quiet' }, 'Loading the cases…'));
  const testRuns: TestRun[] = [];
  for (let after: string | null = null, hasMore = true; hasMore; ) {
    const asked: Awaited<ReturnType<typeof askPage>> = await askPage(suiteRun.id, after);
    if (!asked.ok) {
      place.replaceChildren(
        element('p', { className: 'bad' }, asked.message),
        button('Try again', () => void fillCases(place, suiteRun)),
      );
      return;
    }
    const page = asked.answer.suiteRun?.testRuns;
    testRuns.push(...(page?.edges ?? []).map(({ node }) => node));
    hasMore = page?.pageInfo.hasNextPage ?? false;
    after = page?.pageInfo.endCursor ?? null;
  }
  const groups = groupCases(testRuns, suiteRun.verdict?.newlyFailing ?? []);
  const failures = suiteRun.failedCases > 0 ? await failuresOf(suiteRun.id) : [];
  const byCase = Map.groupBy(failures, ({ caseName }) => caseName);
  const rows = groups.map((group) => element('li', {}, caseRow(group, byCase.get(group.name) ?? [])));
  place.replaceChildren(element('ul', { className: 'rows' }, ...rows));
}

/** Why test runs did not pass, as the coordinator says it. What is not known leaves the names alone. */
async function failuresOf(id: string): Promise<Failure[]> {
  const asked = await ask(Failures, { query: 'failures', variables: { id } });
  return asked.ok ? (asked.answer.suiteRun?.failures ?? []) : [];
}

function askPage(id: string, after: string | null) {
  return ask(TestRunPage, { query: 'testRuns', variables: { id, after } });
}

function caseRow({ name, isNewlyFailing, status, testRuns }: CaseGroup, failures: readonly Failure[]): HTMLElement {
  const word = stateWord(status);
  const reason = failures[0]?.summary;
  const reasonsOf = (testRun: TestRun) => failures.find(({ repetition }) => repetition === testRun.repetition)?.reasons;
  const passed = testRuns.filter((testRun) => testRun.status === 'PASSED').length;
  const times = testRuns.length > 1 ? ` (${passed} of ${testRuns.length} passed)` : '';
  return folded(
    [
      element('span', { className: `mark ${word.tone}` }, word.text),
      ` ${name}${times}`,
      isNewlyFailing ? element('span', { className: 'label bad' }, 'newly failing') : null,
      reason === undefined ? null : element('span', { className: 'why' }, visible(reason).slice(0, mostReasonUnits)),
    ],
    () =>
      element(
        'div',
        {},
        ...testRuns.map((testRun) =>
          testRunDetails(testRun, { hasSiblings: testRuns.length > 1, reasons: reasonsOf(testRun) ?? [] }),
        ),
      ),
  );
}

function button(text: string, onClick: () => void): HTMLElement {
  const made = element('button', { type: 'button' }, text);
  made.addEventListener('click', onClick);
  return made;
}

/** A case with its repetitions, as the list shows it. */
interface CaseGroup {
  name: string;
  /** Passed on the baseline and fails now. */
  isNewlyFailing: boolean;
  /** The state of the case: the worst of its repetitions. */
  status: string;
  testRuns: TestRun[];
}

const worstFirst = ['FAILED', 'ERROR', 'RUNNING', 'QUEUED', 'SKIPPED', 'PASSED'];
const rank = (status: string): number => {
  const place = worstFirst.indexOf(status);
  return place === -1 ? worstFirst.length : place;
};

/** The cases, newly failing ones first, then by state, the worst first; equals stay in the order of the file. */
export function groupCases(testRuns: readonly TestRun[], newlyFailing: readonly string[]): CaseGroup[] {
  const fresh = new Set(newlyFailing);
  const groups = Map.groupBy(testRuns, ({ caseName }) => caseName);
  return [...groups]
    .map(([name, runs]): CaseGroup => {
      const testRunsOfCase = runs.toSorted((a, b) => a.repetition - b.repetition);
      const [worst] = runs.toSorted((a, b) => rank(a.status) - rank(b.status));
      return { name, isNewlyFailing: fresh.has(name), status: worst?.status ?? 'QUEUED', testRuns: testRunsOfCase };
    })
    .toSorted((a, b) => Number(b.isNewlyFailing) - Number(a.isNewlyFailing) || rank(a.status) - rank(b.status));
}
