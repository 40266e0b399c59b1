import { formatMs, formatRate, formatUsd } from '@proofmark/domain/format-numbers';
import { useRef } from 'preact/hooks';
import { useRepositoryNames, useSuiteNames } from '../data/choices.ts';
import { useFollow, useHeardSince } from '../data/follow.ts';
import { useAnswer } from '../data/use-answer.ts';
import {
  type RunFilter,
  type RunSummaryFragment,
  RunsChangedDocument,
  RunsDocument,
  type RunsQuery,
} from '../operations/documents.ts';
import { Empty, Loading, Mark, MoreFilters, Pages, ProblemNote, useTitle, When } from '../parts/pieces.tsx';
import { Link, paths, place, setSearch } from '../parts/route.tsx';
import { isFinal, nameOfRun, runWord, starterOf, suitesText, titleOfRun } from '../parts/words.ts';

type ListedRun = RunsQuery['runs']['edges'][number]['node'];

const verdicts = [
  'REGRESSED',
  'SUSPECTED',
  'INSUFFICIENT',
  'INCONCLUSIVE',
  'UNCHANGED',
  'IMPROVED',
  'NO_BASELINE',
  'ERROR',
] as const;
const statuses = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
const triggers = ['CI', 'API', 'MANUAL', 'SCHEDULE'] as const;

const oneOf = <Word extends string>(words: readonly Word[], value: string | null): Word | null =>
  words.find((word) => word === value) ?? null;

/** The filters as the address has them. */
function filterOf(search: URLSearchParams): RunFilter {
  const given: RunFilter = {
    repository: search.get('repository'),
    branch: search.get('branch'),
    person: search.get('person'),
    suite: search.get('suite'),
    pullRequest: Number.parseInt(search.get('pull') ?? '', 10) || null,
    verdict: oneOf(verdicts, search.get('verdict')),
    status: oneOf(statuses, search.get('status')),
    trigger: oneOf(triggers, search.get('trigger')),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

/** All runs, the newest first; what is filtered stands in the address, so that a list can be sent to somebody. */
export function Runs() {
  useTitle('Runs');
  const filter = filterOf(place.value.search);
  const text = place.value.search.get('search')?.toLowerCase() ?? '';
  // In the address too, so that whoever comes back is where they were.
  const after = place.value.search.get('after');
  const { answer, problem, reload } = useAnswer(RunsDocument, { filter, after });
  const listed = useListed(answer, reload);
  const found = listed.filter((run) => text === '' || textOf(run).includes(text));
  const { hasNextPage = false, endCursor = null } = answer?.runs.pageInfo ?? {};
  return (
    <>
      <h1>Runs</h1>
      <Filters />
      {problem !== null && <ProblemNote message={problem} onRetry={reload} />}
      {answer === null && problem === null && <Loading what="the runs" />}
      {answer !== null && found.length === 0 && <NoRuns isFiltered={text !== '' || Object.keys(filter).length > 0} />}
      {found.length > 0 && (
        <ul class="card rows" aria-label="Runs">
          {found.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
        </ul>
      )}
      <Pages
        first={after === null ? null : ['Newest runs', () => setSearch({ after: null })]}
        next={hasNextPage ? ['Older runs', () => setSearch({ after: endCursor })] : null}
      />
    </>
  );
}

/** Of so many runs is kept how far they were when they were heard of last. */
const mostHeard = 500;

/** The runs of a page as they are now. One that is new, or has ended, has more to say than its summary. */
function useListed(answer: RunsQuery | null, reload: () => Promise<void>): ListedRun[] {
  const [live, setLive] = useHeardSince<Map<string, RunSummaryFragment>>(answer);
  const statuses = useRef(new Map<string, string>());
  const read = (answer?.runs.edges ?? []).map(({ node }) => node);
  useFollow(RunsChangedDocument, {}, ({ runsChanged: changed }) => {
    const { id, status } = changed;
    const known = statuses.current.get(id) ?? read.find((run) => run.id === id)?.status;
    statuses.current.delete(id);
    statuses.current.set(id, status);
    const [oldest] = statuses.current.keys();
    if (statuses.current.size > mostHeard && oldest !== undefined) statuses.current.delete(oldest);
    setLive((before) => new Map(before).set(id, changed));
    if (known !== status) void reload();
  });
  return read.map((run) => ({ ...run, ...live?.get(run.id) }));
}

/** What a search looks into. */
const textOf = (run: ListedRun): string =>
  [
    nameOfRun(run),
    run.title,
    run.ref,
    run.headSha,
    run.author,
    run.createdBy,
    run.id,
    ...run.suiteRuns.map(({ suiteName }) => suiteName),
  ]
    .join(' ')
    .toLowerCase();

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No run fits.">
        <Link to="/runs">Show all runs</Link>
      </Empty>
    );
  return (
    <Empty title="There are no runs yet.">
      One appears here as soon as a pull request is checked, or when somebody types{' '}
      <code>proofmark run --coordinator {location.origin}</code>.
    </Empty>
  );
}

function Filters() {
  const { search } = place.value;
  const [repositories, suites] = [useRepositoryNames().rows, useSuiteNames().rows];
  const set =
    (name: string) =>
    ({ currentTarget }: { currentTarget: { value: string } }) => {
      // A cursor belongs to the question that it was given for; what is searched on the page leaves it.
      setSearch({ [name]: currentTarget.value, ...(name !== 'search' && { after: null }) });
    };
  const choice = (name: string, label: string, options: readonly (readonly [value: string, text: string])[]) => (
    <label>
      {label}
      <select value={search.get(name) ?? ''} onChange={set(name)}>
        <option value="">any</option>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
  const words = (all: readonly string[]) => all.map((one) => [one, one.toLowerCase().replaceAll('_', ' ')] as const);
  const named = (names: readonly string[]) => [...new Set(names)].map((name) => [name, name] as const);
  return (
    <form class="filters" role="search" aria-label="Filter the runs" onSubmit={(event) => event.preventDefault()}>
      <label class="wide">
        Search this page
        <input
          type="search"
          value={search.get('search') ?? ''}
          onInput={set('search')}
          placeholder="name, branch, commit, person"
        />
      </label>
      <MoreFilters isUsed={[...search.keys()].some((name) => name !== 'search' && name !== 'after')}>
        {choice('repository', 'Repository', named(repositories.map(({ fullName }) => fullName)))}
        {choice('suite', 'Suite', named(suites.map(({ name }) => name)))}
        {choice('verdict', 'Verdict', words(verdicts))}
        {choice('status', 'State', words(statuses))}
        {choice('trigger', 'Started by', words(triggers))}
        <label>
          Branch
          <input value={search.get('branch') ?? ''} onChange={set('branch')} placeholder="main" />
        </label>
        <label>
          Person
          <input value={search.get('person') ?? ''} onChange={set('person')} />
        </label>
        <label>
          Pull request
          <input value={search.get('pull') ?? ''} onChange={set('pull')} inputMode="numeric" size={6} />
        </label>
      </MoreFilters>
    </form>
  );
}

function RunRow({ run }: { run: ListedRun }) {
  const { head } = run;
  return (
    <li class="run-row">
      <Mark word={runWord(run)} />
      <div class="what">
        <Link to={paths.run(run.id)}>{titleOfRun(run)}</Link>
        <div class="quiet small">
          {run.title !== null && `${run.repository ?? ''} at ${run.headSha?.slice(0, 7) ?? ''} · `}
          {run.triggeredBy === 'SCHEDULE' && 'scheduled · '}
          {suitesText(run.suiteRuns)}
        </div>
      </div>
      <div class="numbers">
        {isFinal(run.status) ? (
          <>
            {head.passRate !== null && <strong>{formatRate(head.passRate)}</strong>}{' '}
            <span class="quiet">
              {head.totalCases === head.skippedCases
                ? 'nothing executed'
                : `${head.passedCases} of ${head.totalCases - head.skippedCases}`}
              {head.erroredCases > 0 && `, ${head.erroredCases} without an answer`}
            </span>
          </>
        ) : (
          <Progress done={head.totalCases - head.openCases} total={head.totalCases} />
        )}
        <div class="quiet small">
          {[
            run.costUsd === null ? null : formatUsd(run.costUsd),
            run.durationMs === null ? null : formatMs(run.durationMs),
          ]
            .filter((part) => part !== null)
            .join(' · ')}
        </div>
      </div>
      <div class="who quiet small">
        <When time={run.createdAt} /> <span>{starterOf(run)}</span>
      </div>
    </li>
  );
}

export function Progress({ done, total }: { done: number; total: number }) {
  return (
    <>
      <progress max={Math.max(1, total)} value={done} aria-label="Test runs that have ended" />{' '}
      <span class="count">
        {done} of {total}
      </span>
    </>
  );
}
