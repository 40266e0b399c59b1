import { formatProbability, plural } from '@proofmark/domain/format-numbers';
import type { State } from '@proofmark/domain/state-words';
import { useMemo, useRef, useState } from 'preact/hooks';
import { useAllRows } from '../../data/use-pages.ts';
import {
  CaseFactsDocument,
  type CaseFactsQuery,
  type CaseLineFragment,
  CaseLinesDocument,
  type CaseLinesQueryVariables,
  OpenCaseLinesDocument,
} from '../../operations/documents.ts';
import { HistoryStrip } from '../../parts/charts.tsx';
import { useNarrow } from '../../parts/narrow.ts';
import { Empty, Mark, MoreFilters, ProblemNote } from '../../parts/pieces.tsx';
import { Link, paths, place, setSearch } from '../../parts/route.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { stateWord } from '../../parts/words.ts';
import type { WholeSuiteRun } from './whole-suite-run.ts';

type FactsOfCase = NonNullable<CaseFactsQuery['suite']>['testCases']['edges'][number]['node'];

/** A case as the list shows it. */
interface CaseRow {
  name: string;
  state: State | 'open';
  head: { passed: number; scored: number } | null;
  base: { passed: number; scored: number } | null;
  p: number | null;
  isBroken: boolean;
  isFlaky: boolean;
  isLeftOut: boolean;
  leftOut: readonly string[];
}

const stateOfSide = (side: CaseLineFragment['head']): State => {
  if (side === null) return 'skipped';
  const { status, passed, scored } = side;
  if (status !== null) return status.toLowerCase() as State;
  return scored === 0 ? 'error' : passed === scored ? 'passed' : 'failed';
};

function judgedRow(line: CaseLineFragment): CaseRow {
  const { caseName, head, base, p, change, isQuarantined, notComparable, changedParts } = line;
  return {
    name: caseName,
    state: stateOfSide(head),
    head,
    base,
    p,
    isBroken: change === 'BROKE',
    isFlaky: isQuarantined,
    isLeftOut: notComparable,
    leftOut: changedParts,
  };
}

const openRank = ['FAILED', 'ERROR', 'RUNNING', 'QUEUED', 'SKIPPED', 'PASSED'];

/** While nothing is judged: what the test runs of a case came to so far. */
function openRow(name: string, statuses: readonly string[]): CaseRow {
  const worst = statuses.toSorted((a, b) => openRank.indexOf(a) - openRank.indexOf(b))[0] ?? 'QUEUED';
  const passed = statuses.filter((status) => status === 'PASSED').length;
  const scored = passed + statuses.filter((status) => status === 'FAILED').length;
  const state = worst === 'RUNNING' || worst === 'QUEUED' ? 'open' : (worst.toLowerCase() as State);
  return {
    name,
    state,
    head: { passed, scored },
    base: null,
    p: null,
    isBroken: false,
    isFlaky: false,
    isLeftOut: false,
    leftOut: [],
  };
}

/** So many cases are read at once; more come when the reader scrolls to them. */
const firstRows = 500;

export function Cases({ suiteRun, version }: { suiteRun: WholeSuiteRun; version: string }) {
  const { id, verdict } = suiteRun;
  const { search } = place.value;
  const asked = serverFilter(search);
  const [scrolledTo, setScrolledTo] = useState(firstRows);
  // What is looked for here may stand anywhere in the list.
  const wantedRows = search.has('search') || search.has('show') ? Number.POSITIVE_INFINITY : scrolledTo;
  const judged = useAllRows(
    CaseLinesDocument,
    verdict === null ? null : { id, ...asked },
    (answer) => answer.suiteRun?.cases,
    { version, wantedRows },
  );
  const isFiltered = Object.values(asked).some((value) => value !== null);
  // What was there while it was open stays until the first that are judged have come.
  const wasUnjudged = useRef(false);
  const hasNoneJudged = judged.rows.length === 0 && !isFiltered;
  const isUnjudged = verdict === null || (hasNoneJudged && (judged.isComplete || wasUnjudged.current));
  wasUnjudged.current = isUnjudged;
  const open = useAllRows(OpenCaseLinesDocument, isUnjudged ? { id } : null, (answer) => answer.suiteRun?.testRuns, {
    version,
  });
  const facts = useFactsOfCases(suiteRun.suiteId);
  const rows = useMemo(() => {
    if (!isUnjudged) return judged.rows.map(judgedRow);
    const byCase = Map.groupBy(open.rows, ({ caseName }) => caseName);
    return [...byCase].map(([name, members]) =>
      openRow(
        name,
        members.map(({ status }) => status),
      ),
    );
  }, [isUnjudged, judged.rows, open.rows]);
  const isNarrow = useNarrow();
  const list = isUnjudged ? open : judged;
  const found = useMemo(() => filtered(rows), [rows, place.value]);
  return (
    <section aria-labelledby="cases">
      <h2 id="cases">Cases</h2>
      {[judged, open].map(
        ({ problem, retry }) => problem !== null && <ProblemNote key={problem} message={problem} onRetry={retry} />,
      )}
      <CaseFilters rows={rows} facts={facts} />
      <p class="quiet" role="status">
        {found.length === rows.length
          ? plural(rows.length, 'case')
          : `${found.length} of ${plural(rows.length, 'case')}`}
        {list.isCut
          ? ' of those that were read: there are more, and a download has all of them'
          : !list.isComplete && ' so far, more come'}
      </p>
      {list.isComplete && rows.length === 0 && (
        <Empty title="No case ran.">
          Each case of the suite may be a draft, switched off or left out by a filter of the run.
        </Empty>
      )}
      {rows.length > 0 && found.length === 0 && (
        <Empty title="No case fits.">
          <Link to={paths.suiteRun(id)}>Show all cases</Link>
        </Empty>
      )}
      {found.length > 0 && (
        <p class="case-line case-head quiet small" aria-hidden="true">
          <span>State</span>
          <span>Case</span>
          <span class="number">{isUnjudged ? 'Passed' : 'Base → head'}</span>
          <span class="number p-value">{isUnjudged ? '' : 'Chance'}</span>
          <span class="history">Last results</span>
        </p>
      )}
      <VirtualList
        rows={found}
        rowHeight={isNarrow ? 56 : 44}
        keyOf={({ name }) => name}
        label="Cases"
        onNearEnd={() => setScrolledTo(rows.length + firstRows)}
      >
        {(row) => <CaseLine row={row} suiteRunId={id} facts={facts.get(row.name)} />}
      </VirtualList>
    </section>
  );
}

/** Tags, lines and recent history come after the list is there: nobody waits for them. */
function useFactsOfCases(suiteId: string): ReadonlyMap<string, FactsOfCase> {
  const { rows } = useAllRows(CaseFactsDocument, { suiteId }, ({ suite }) => suite?.testCases, { mostRows: 2_000 });
  return useMemo(() => new Map(rows.map((one) => [one.name, one])), [rows]);
}

const shows = {
  regressed: ({ isBroken }: CaseRow) => isBroken,
  failed: ({ state }: CaseRow) => state === 'failed',
  error: ({ state }: CaseRow) => state === 'error',
  passed: ({ state }: CaseRow) => state === 'passed',
  skipped: ({ state }: CaseRow) => state === 'skipped',
  differs: ({ head, base }: CaseRow) =>
    base !== null && head !== null && base.passed * head.scored !== head.passed * base.scored,
  flaky: ({ isFlaky }: CaseRow) => isFlaky,
  'not compared': ({ isLeftOut }: CaseRow) => isLeftOut,
} as const;

/** What only the coordinator knows of each case: it leaves out the others. */
function serverFilter(search: URLSearchParams): Pick<CaseLinesQueryVariables, 'tag' | 'failedCheck' | 'difficulty'> {
  const difficulty = search.get('difficulty');
  return {
    tag: search.get('tag'),
    failedCheck: search.get('check'),
    difficulty: difficulty === 'NORMAL' || difficulty === 'HARD' ? difficulty : null,
  };
}

function filtered(rows: readonly CaseRow[]): readonly CaseRow[] {
  const { search } = place.value;
  const text = search.get('search')?.toLowerCase() ?? '';
  const show = Object.entries(shows).find(([name]) => name === search.get('show'))?.[1];
  return rows.filter(
    (row) => (show === undefined || show(row)) && (text === '' || row.name.toLowerCase().includes(text)),
  );
}

const checkTypes = ['contains_phrases', 'semantic_similarity', 'llm_judge', 'tools', 'outcomes'];

function CaseFilters({ rows, facts }: { rows: readonly CaseRow[]; facts: ReadonlyMap<string, FactsOfCase> }) {
  const { search } = place.value;
  const tags = [...new Set([...facts.values()].flatMap((one) => one.tags))].toSorted();
  const counts = Object.entries(shows).map(([name, test]) => [name, rows.filter(test).length] as const);
  return (
    <form class="filters" role="search" aria-label="Filter the cases" onSubmit={(event) => event.preventDefault()}>
      <label class="wide">
        Name
        <input
          type="search"
          value={search.get('search') ?? ''}
          onInput={({ currentTarget }) => setSearch({ search: currentTarget.value })}
        />
      </label>
      <label>
        Show
        <select
          value={search.get('show') ?? ''}
          onChange={({ currentTarget }) => setSearch({ show: currentTarget.value })}
        >
          <option value="">all {rows.length}</option>
          {counts.map(
            ([name, count]) =>
              (count > 0 || search.get('show') === name) && (
                <option key={name} value={name}>
                  {name} {count}
                </option>
              ),
          )}
        </select>
      </label>
      <MoreFilters isUsed={['tag', 'difficulty', 'check'].some((name) => search.has(name))}>
        {tags.length > 0 && (
          <label>
            Tag
            <select
              value={search.get('tag') ?? ''}
              onChange={({ currentTarget }) => setSearch({ tag: currentTarget.value })}
            >
              <option value="">any</option>
              {tags.map((tag) => (
                <option key={tag} value={tag}>
                  {tag}
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          Difficulty
          <select
            value={search.get('difficulty') ?? ''}
            onChange={({ currentTarget }) => setSearch({ difficulty: currentTarget.value })}
          >
            <option value="">any</option>
            <option value="NORMAL">normal</option>
            <option value="HARD">hard</option>
          </select>
        </label>
        <label>
          Failed check
          <input
            list="checks"
            value={search.get('check') ?? ''}
            onChange={({ currentTarget }) => setSearch({ check: currentTarget.value })}
          />
          <datalist id="checks">
            {checkTypes.map((type) => (
              <option key={type} value={type} />
            ))}
          </datalist>
        </label>
      </MoreFilters>
    </form>
  );
}

const counted = (side: CaseRow['head']): string =>
  side === null || side.scored === 0 ? '–' : `${side.passed}/${side.scored}`;

function CaseLine({ row, suiteRunId, facts }: { row: CaseRow; suiteRunId: string; facts: FactsOfCase | undefined }) {
  const history = facts?.history.edges.map(({ node }) => node).toReversed() ?? [];
  const word = row.state === 'open' ? stateWord('RUNNING') : stateWord(row.state.toUpperCase());
  return (
    <div class={`case-line ${row.isBroken ? 'broken' : ''}`}>
      <Mark word={row.isBroken ? { ...word, mark: '✗', text: 'broke' } : word} />
      <span class="name">
        <Link to={paths.caseOf(suiteRunId, row.name)}>{row.name}</Link>
        {row.isFlaky && <span class="tag">flaky</span>}
        {row.isLeftOut && (
          <span class="tag" title={`Not compared: ${row.leftOut.join(', ')}`}>
            not compared
          </span>
        )}
        {facts?.tags.slice(0, 2).map((tag) => (
          <span class="tag plain" key={tag}>
            {tag}
          </span>
        ))}
      </span>
      <span class="number" title="Passed test runs, base and head">
        {row.base !== null && <span class="quiet">{counted(row.base)} → </span>}
        <strong>{counted(row.head)}</strong>
      </span>
      <span class="number quiet p-value">{row.p === null || row.p === 1 ? '' : `p ${formatProbability(row.p)}`}</span>
      <span class="history">
        {history.length > 0 && (
          <HistoryStrip
            label={`Last ${plural(history.length, 'result')}: ${history.filter(({ failed, errored }) => failed + errored === 0).length} passed`}
            states={history.map(({ failed, errored, passed }) =>
              failed > 0 ? 'failed' : errored > 0 ? 'error' : passed > 0 ? 'passed' : 'skipped',
            )}
          />
        )}
      </span>
    </div>
  );
}
