import { formatMs, formatPrice, formatRate, formatUsd, plural } from '@proofmark/domain/format-numbers';
import { useState } from 'preact/hooks';
import { useSuiteNames } from '../data/choices.ts';
import { useAnswer } from '../data/use-answer.ts';
import { ChangesBetweenDocument, SuiteTrendDocument, type SuiteTrendQuery } from '../operations/documents.ts';
import { Hunks } from '../parts/difference-view.tsx';
import { Rows } from '../parts/listed.tsx';
import { Empty, Folded, Gone, Loading, Mark, Pages, ProblemNote, useTitle, When } from '../parts/pieces.tsx';
import { Link, paths, place, setSearch } from '../parts/route.tsx';
import { type Curve, TrendChart } from '../parts/trend-chart.tsx';
import { cellValues, starterOf, verdictWord } from '../parts/words.ts';

type TrendPoint = NonNullable<SuiteTrendQuery['suite']>['history']['edges'][number]['node'];

/** How suites developed. Without one in the address, all there are. */
export function Trends({ suiteId }: { suiteId: string | null }) {
  return suiteId === null ? <AllSuites /> : <SuiteTrend id={suiteId} />;
}

/** More than so many are found by their name. */
const mostAtAGlance = 20;

function AllSuites() {
  useTitle('Trends');
  const wanted = place.value.search.get('search')?.toLowerCase() ?? '';
  const { rows, isComplete, problem, retry } = useSuiteNames();
  const found = rows.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <>
      <h1>Trends</h1>
      {problem !== null && <ProblemNote message={problem} onRetry={retry} />}
      {!isComplete && problem === null && <Loading what="the suites" />}
      {isComplete && rows.length === 0 && (
        <Empty title="There are no suites yet.">They appear with the first run.</Empty>
      )}
      {(rows.length > mostAtAGlance || wanted !== '') && (
        <form class="filters" role="search" aria-label="Find a suite" onSubmit={(event) => event.preventDefault()}>
          <label class="wide">
            Name
            <input
              type="search"
              value={wanted}
              onInput={({ currentTarget }) => setSearch({ search: currentTarget.value })}
            />
          </label>
        </form>
      )}
      {rows.length > 0 && found.length === 0 && (
        <Empty title="No suite fits.">
          <Link to="/suites">Show all suites</Link>
        </Empty>
      )}
      {found.length > 0 && (
        <ul class="card rows">
          {found.map(({ id, name, agentName }) => (
            <li key={id}>
              <div class="what">
                <Link to={paths.suite(id)}>{name}</Link>{' '}
                <span class="quiet">{agentName === name ? '' : agentName}</span>
              </div>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** A page of results of the base branch; those of all branches where it has none, or when they are asked for. */
function useTrend(id: string) {
  const { search } = place.value;
  const [cellKey, isAll] = [search.get('cell'), search.get('all') !== null];
  // A cursor belongs to the question that it was given for.
  const question = JSON.stringify([cellKey, isAll]);
  const [turned, setTurned] = useState<{ question: string; onlyBase: boolean; after: string | null } | null>(null);
  const { onlyBase, after } = turned?.question === question ? turned : { onlyBase: !isAll, after: null };
  const asked = useAnswer(SuiteTrendDocument, { id, cellKey, onlyBase, after });
  const hasNone = onlyBase && after === null && asked.answer?.suite?.history.edges.length === 0;
  const ofAll = useAnswer(SuiteTrendDocument, hasNone ? { id, cellKey, onlyBase: false, after: null } : null);
  return {
    ...(hasNone ? ofAll : asked),
    isWithoutBase: !isAll && (hasNone || !onlyBase),
    first: after === null ? null : () => setTurned(null),
    turnTo: (cursor: string | null) => setTurned({ question, onlyBase: onlyBase && !hasNone, after: cursor }),
  };
}

function SuiteTrend({ id }: { id: string }) {
  const { answer, problem, reload, isWithoutBase, first, turnTo } = useTrend(id);
  const suite = answer?.suite ?? null;
  useTitle(suite?.name ?? 'Trends');
  if (problem !== null) return <ProblemNote message={problem} onRetry={reload} />;
  if (answer === null) return <Loading what="the trend" />;
  if (suite === null)
    return (
      <Gone what="suite">
        <Link to="/suites">All suites</Link>
      </Gone>
    );
  const points = suite.history.edges.map(({ node }) => node);
  const { hasNextPage, endCursor } = suite.history.pageInfo;
  return (
    <>
      <p class="trail">
        <Link to="/suites">Trends</Link>
      </p>
      <h1>{suite.name}</h1>
      <p class="quiet">
        {[suite.agentName === suite.name ? null : suite.agentName, plural(suite.caseCount, 'case'), suite.path]
          .filter((part) => part !== null)
          .join(' · ')}
      </p>
      <TrendFilters cells={[...suite.latest, ...points].map(({ cellKey }) => cellKey)} />
      {isWithoutBase && points.length > 0 && (
        <p class="quiet">The base branch has no result yet: these are of pull requests.</p>
      )}
      {points.length === 0 ? (
        <Empty title="There are no results yet.">They appear when a run of this suite has ended.</Empty>
      ) : (
        <Curves points={points.toReversed()} />
      )}
      <Pages
        first={first === null ? null : ['Newest results', first]}
        next={hasNextPage ? ['Older results', () => turnTo(endCursor)] : null}
      />
      <Flaky cases={answer.flakyCases} />
    </>
  );
}

function TrendFilters({ cells: known }: { cells: readonly string[] }) {
  const { search } = place.value;
  const cells = [...new Set([...known, search.get('cell') ?? ''])].filter((cell) => cell !== '');
  return (
    <form class="filters" aria-label="Choose what is shown" onSubmit={(event) => event.preventDefault()}>
      {cells.length > 0 && (
        <label>
          Cell
          <select
            value={search.get('cell') ?? ''}
            onChange={({ currentTarget }) => setSearch({ cell: currentTarget.value })}
          >
            <option value="">all cells</option>
            {cells.map((cell) => (
              <option key={cell} value={cell}>
                {cell}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Branches
        <select
          value={search.get('all') ?? ''}
          onChange={({ currentTarget }) => setSearch({ all: currentTarget.value })}
        >
          <option value="">the base branch</option>
          <option value="1">pull requests too</option>
        </select>
      </label>
    </form>
  );
}

/** The newest at the right. Two results that are chosen can be compared. */
function Curves({ points }: { points: readonly TrendPoint[] }) {
  // In the address, so that whoever comes back from the comparison finds them chosen.
  const chosen = (place.value.search.get('chosen') ?? '').split(' ').filter((id) => id !== '');
  const choose = (id: string): void => {
    const now = chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(-2);
    setSearch({ chosen: now.join(' ') });
  };
  const changes = changesIn(points);
  const curvesOf = (valuesOf: (point: TrendPoint) => ValuesOfPoint, isOfRates = false): Curve[] =>
    // By name, so that a cell has its colour whichever result came last.
    [...Map.groupBy(points, ({ cellKey }) => cellKey)].toSorted(byName).map(([cellKey, members]) => ({
      name: cellKey === '' ? 'all cases' : cellValues(cellKey),
      points: members.map((point) => ({
        ...{ id: point.id, time: point.completedAt ?? '', ...valuesOf(point) },
        isBad: isOfRates && point.verdictWord === 'REGRESSED',
        isChosen: chosen.includes(point.id),
        note: changes.find(({ to }) => to.id === point.id)?.what ?? null,
      })),
    }));
  const measured = (value: number | null): ValuesOfPoint => ({ value, lo: null, hi: null });
  const has = (of: (point: TrendPoint) => number | null): boolean => points.some((one) => of(one) !== null);
  const names = [...new Set(points.map(({ cellKey }) => cellValues(cellKey)))].filter((name) => name !== '').join(', ');
  const labelOf = (what: string): string => `${what} over time${names === '' ? '' : ` of ${names}`}`;
  const [one, other] = points.filter(({ id }) => chosen.includes(id));
  return (
    <>
      <h2>Pass rate</h2>
      <TrendChart
        label={labelOf('Pass rates')}
        curves={curvesOf(
          ({ passRate, passRateInterval }) => ({
            ...{ value: passRate, lo: passRateInterval?.lo ?? null, hi: passRateInterval?.hi ?? null },
          }),
          true,
        )}
        format={formatRate}
        range={(rates) => [Math.max(0, Math.floor((Math.min(60, ...rates) - 5) / 10) * 10), 100]}
        onChoose={choose}
      >
        <span class="quiet">band: 95% interval · ✗ regressed · ▲ something changed in what is tested</span>
      </TrendChart>
      <p class="buttons" role="status">
        {one === undefined || other === undefined ? (
          <span class="quiet">Choose two results, in a chart or below, to compare them.</span>
        ) : (
          <Link to={paths.compare(one.id, other.id)}>
            Compare {nameOf(one)} with {nameOf(other)}
          </Link>
        )}
      </p>
      <div class="sides">
        {has(({ costUsd }) => costUsd) && (
          <section aria-label="Cost">
            <h2>Cost of a run</h2>
            <TrendChart
              label={labelOf('Cost')}
              curves={curvesOf(({ costUsd }) => measured(costUsd))}
              format={formatPrice}
              range={fromZero}
              isHalf
              onChoose={choose}
            />
          </section>
        )}
        {has(({ latencyMs }) => latencyMs) && (
          <section aria-label="Latency">
            <h2>Latency of a case</h2>
            <TrendChart
              label={labelOf('Latency')}
              curves={curvesOf(({ latencyMs }) => measured(latencyMs))}
              format={formatMs}
              range={fromZero}
              isHalf
              onChoose={choose}
            />
          </section>
        )}
      </div>
      <Changes changes={changes} />
      <h2>Results</h2>
      <Rows
        label="Results"
        rows={points.toReversed()}
        keyOf={({ id }) => id}
        columns={[
          [
            'Result',
            (point) => (
              <span class="pick">
                <input
                  type="checkbox"
                  checked={chosen.includes(point.id)}
                  onChange={() => choose(point.id)}
                  aria-label={`Compare ${nameOf(point)}`}
                />
                <NameOfPoint point={point} />
              </span>
            ),
          ],
          ['Ended', ({ completedAt }) => completedAt !== null && <When time={completedAt} />],
          ['Pass rate', (point) => <RateOfPoint point={point} />, 'number'],
          ['Verdict', ({ verdictWord: word }) => word !== null && <Mark word={verdictWord(word)} />],
          ['Cost', ({ costUsd }) => (costUsd === null ? '–' : formatUsd(costUsd)), 'number'],
          ['Latency', ({ latencyMs }) => (latencyMs === null ? '–' : formatMs(latencyMs)), 'number'],
          [
            'Took',
            ({ completedAt, startedAt }) =>
              completedAt === null || startedAt === null
                ? '–'
                : formatMs(Date.parse(completedAt) - Date.parse(startedAt)),
            'number',
          ],
        ]}
      />
    </>
  );
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one.localeCompare(other);

interface ValuesOfPoint {
  value: number | null;
  lo: number | null;
  hi: number | null;
}

const fromZero = (values: readonly number[]): readonly [number, number] => [0, Math.max(0, ...values) * 1.1];

/** Two results of a cell, one after the other, that were measured of different things. */
interface ChangeBetween {
  from: TrendPoint;
  to: TrendPoint;
  what: string;
}

function changesIn(points: readonly TrendPoint[]): ChangeBetween[] {
  return [...Map.groupBy(points, ({ cellKey }) => cellKey).values()].flatMap((members) =>
    members.slice(1).flatMap((to, at) => {
      const from = members[at];
      const what = from === undefined ? null : whatChanged(from, to);
      return from === undefined || what === null ? [] : [{ from, to, what }];
    }),
  );
}

function whatChanged(from: TrendPoint, to: TrendPoint): string | null {
  const by = to.run.title === null ? '' : `: ${to.run.title}`;
  if (from.agentHash !== to.agentHash) return `the agent changed${by}`;
  const isKnown = from.contentHash !== null && to.contentHash !== null;
  return isKnown && from.contentHash !== to.contentHash ? `cases, judge or values changed${by}` : null;
}

const mostChanges = 12;

/** Between which results something changed, the newest first; what it was is read when somebody wants to know. */
function Changes({ changes }: { changes: readonly ChangeBetween[] }) {
  // One change of the agent shows in every cell: once is enough.
  const once = [...Map.groupBy(changes, ({ from, to }) => `${from.run.id} ${to.run.id}`).values()].flatMap(
    ([first]) => first ?? [],
  );
  if (once.length === 0) return null;
  const newest = once.toSorted((a, b) => (b.to.completedAt ?? '').localeCompare(a.to.completedAt ?? ''));
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">What changed</h2>
      <ul class="card rows">
        {newest.slice(0, mostChanges).map(({ from, to, what }) => (
          <li key={to.id}>
            <div class="what">
              <Folded
                summary={
                  <>
                    <span class="note">▲</span> {what}{' '}
                    <span class="quiet">{to.completedAt !== null && <When time={to.completedAt} />}</span>
                  </>
                }
              >
                {() => <ChangedFiles from={from.run.id} to={to.run.id} />}
              </Folded>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ChangedFiles({ from, to }: { from: string; to: string }) {
  const { answer, problem, reload } = useAnswer(ChangesBetweenDocument, { from, to });
  if (problem !== null) return <ProblemNote message={problem} onRetry={reload} />;
  if (answer === null) return <Loading what="what changed" />;
  const changes = answer.run?.changes ?? null;
  if (changes === null) return <p class="quiet">One of the two runs is gone: what differed cannot be shown.</p>;
  if (changes.length === 0) return <p class="quiet">No file differs: the values of the run do.</p>;
  return (
    <>
      {changes.map((change) => (
        <Hunks key={change.path} change={change} />
      ))}
    </>
  );
}

const nameOf = ({ run, cellKey }: TrendPoint): string =>
  [run.pullRequest === null ? (run.headSha?.slice(0, 7) ?? 'a run') : `#${run.pullRequest}`, cellValues(cellKey)]
    .filter((part) => part !== '')
    .join(' · ');

function NameOfPoint({ point }: { point: TrendPoint }) {
  const { id, run } = point;
  return (
    <span>
      <Link to={paths.suiteRun(id)}>{nameOf(point)}</Link>
      <div class="quiet small">{[run.title, starterOf(run)].filter((part) => part !== null).join(' · ')}</div>
    </span>
  );
}

function RateOfPoint({ point: { passRate, passRateInterval: interval } }: { point: TrendPoint }) {
  return (
    <>
      <strong>{formatRate(passRate)}</strong>
      {interval !== null && (
        <div class="quiet small">
          {formatRate(interval.lo)} to {formatRate(interval.hi)}
        </div>
      )}
    </>
  );
}

function Flaky({ cases }: { cases: SuiteTrendQuery['flakyCases'] }) {
  if (cases.length === 0) return null;
  return (
    <section aria-labelledby="flaky">
      <h2 id="flaky">Flaky cases</h2>
      <ul class="card rows">
        {cases.map(({ caseName, cellKey, passed, scored, flakiness }) => (
          <li key={`${caseName} ${cellKey}`}>
            <div class="what">
              {caseName} <span class="quiet">{cellValues(cellKey)}</span>
            </div>
            <span class="quiet">
              passed {passed} of {scored} on the base branch, flakiness {flakiness.toFixed(2)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
