import { formatRate, formatUsd, plural } from '@proofmark/domain/format-numbers';
import { useMemo, useState } from 'preact/hooks';
import { useAnswer } from '../data/use-answer.ts';
import {
  BrokeSinceDocument,
  type BrokeSinceQuery,
  type CurvePointFragment,
  HomeDocument,
  type HomeQuery,
  SuiteOffBaseDocument,
} from '../operations/documents.ts';
import { Sparkline } from '../parts/charts.tsx';
import { Empty, Loading, Mark, Pages, ProblemNote, useTitle, When } from '../parts/pieces.tsx';
import { Link, paths } from '../parts/route.tsx';
import { branchOf, cellValues, starterOf, verdictWord } from '../parts/words.ts';

type ListedSuite = HomeQuery['suites']['edges'][number]['node'];
type Point = CurvePointFragment;
type Broken = BrokeSinceQuery['suiteRuns']['edges'][number]['node'];

const dayMs = 86_400_000;

/** How every suite stands, and what broke since yesterday. */
export function Home() {
  useTitle('Home');
  return (
    <>
      <h1>Home</h1>
      <section aria-labelledby="broke">
        <h2 id="broke">Broke in the last day</h2>
        <BrokeLately />
      </section>
      <section aria-labelledby="suites">
        <h2 id="suites">Suites</h2>
        <Suites />
      </section>
    </>
  );
}

function BrokeLately() {
  const since = useMemo(() => new Date(Date.now() - dayMs).toISOString(), []);
  const { answer, problem, reload } = useAnswer(BrokeSinceDocument, { since });
  if (problem !== null) return <ProblemNote message={problem} onRetry={reload} />;
  if (answer === null) return <Loading what="what broke" />;
  return <BrokenList broken={answer.suiteRuns.edges.map(({ node }) => node)} />;
}

function Suites() {
  const [after, setAfter] = useState<string | null>(null);
  const { answer, problem, reload } = useAnswer(HomeDocument, { after });
  if (problem !== null) return <ProblemNote message={problem} onRetry={reload} />;
  if (answer === null) return <Loading what="the suites" />;
  const { edges, pageInfo } = answer.suites;
  if (edges.length === 0) return <NoSuites />;
  return (
    <>
      <ul class="suite-cards">
        {edges.map(({ node: suite }) => (
          <SuiteCards key={suite.id} suite={suite} />
        ))}
      </ul>
      <Pages
        first={after === null ? null : ['First suites', () => setAfter(null)]}
        next={pageInfo.hasNextPage ? ['More suites', () => setAfter(pageInfo.endCursor)] : null}
      />
    </>
  );
}

function NoSuites() {
  return (
    <Empty title="There are no suites yet.">
      <p>
        They appear with the first pull request that is checked, or when somebody types{' '}
        <code>proofmark run --coordinator {location.origin}</code>.
      </p>
    </Empty>
  );
}

/** The newest comes first. */
function BrokenList({ broken }: { broken: readonly Broken[] }) {
  if (broken.length === 0)
    return (
      <Empty title="Nothing broke in the last day.">
        <Link to="/runs?verdict=REGRESSED">Earlier regressions</Link>
      </Empty>
    );
  const sorted = broken.toSorted((a, b) => (b.completedAt ?? '').localeCompare(a.completedAt ?? ''));
  return (
    <ul class="card rows">
      {sorted.map(({ id, suiteName, cellKey, completedAt, verdict, run }) => (
        <li key={id}>
          <Mark word={verdictWord('REGRESSED')} />
          <div class="what">
            <Link to={paths.suiteRun(id)}>
              {suiteName}
              {cellKey !== '' && ` · ${cellValues(cellKey)}`}
            </Link>{' '}
            {verdict?.title.replace(/^Regressed: /, '')}
            <div class="quiet">{causeOf(run, verdict?.flagged ?? [])}</div>
          </div>
          <span class="quiet">{completedAt !== null && <When time={completedAt} />}</span>
        </li>
      ))}
    </ul>
  );
}

function causeOf(run: Broken['run'], flagged: readonly string[]): string {
  const where =
    run.pullRequest === null
      ? `${branchOf(run.ref) ?? run.triggeredBy.toLowerCase()}${run.isBase ? ', the base branch' : ''}`
      : `#${run.pullRequest}${run.title === null ? '' : ` ${run.title}`}`;
  const who = starterOf(run);
  const cases = flagged.slice(0, 3).join(', ');
  return [run.repository, where, who, cases].filter((part) => part !== null && part !== '').join(' · ');
}

interface CellOfSuite {
  cellKey: string;
  /** The oldest first. */
  points: readonly Point[];
  costUsd: number | null;
}

/** A card for each cell. The base branch tells how a suite stands; where it has no result, pull requests do. */
function SuiteCards({ suite }: { suite: ListedSuite }) {
  const isOnBase = suite.curves.length > 0;
  const off = useAnswer(SuiteOffBaseDocument, isOnBase ? null : { id: suite.id });
  const told = (isOnBase ? suite : off.answer?.suite) ?? suite;
  const cells = cellsOf(told);
  const others = told.latest.length - cells.length;
  return (
    <>
      {off.problem !== null && (
        <li>
          <ProblemNote message={off.problem} onRetry={off.reload} />
        </li>
      )}
      {cells.map((cell) => (
        <SuiteCard key={cell.cellKey} suite={suite} isOnBase={isOnBase} {...cell} />
      ))}
      {others > 0 && (
        <li class="card suite-card">
          <h3>
            <Link to={paths.suite(suite.id)}>{suite.name}</Link>
          </h3>
          <p class="quiet">
            <Link to={paths.suite(suite.id)}>{plural(others, 'more cell')}</Link> of the newest run
          </p>
        </li>
      )}
    </>
  );
}

function cellsOf({ latest, curves }: Pick<ListedSuite, 'latest' | 'curves'>): CellOfSuite[] {
  if (curves.length === 0) return [{ cellKey: '', points: [], costUsd: null }];
  return curves.map(({ cellKey, suiteRuns }) => ({
    cellKey,
    points: suiteRuns.toReversed(),
    costUsd: latest.find((one) => one.cellKey === cellKey)?.costUsd ?? null,
  }));
}

type SuiteCardProps = { suite: ListedSuite; isOnBase: boolean } & CellOfSuite;

function SuiteCard({ suite, isOnBase, cellKey, points, costUsd }: SuiteCardProps) {
  const last = points.at(-1);
  const before = points.at(-2);
  return (
    <li class="card suite-card">
      <div class="head">
        <h3>
          <Link to={paths.suite(suite.id, cellKey)}>{suite.name}</Link>
        </h3>
        {last && (last.verdictWord === null ? null : <Mark word={verdictWord(last.verdictWord)} />)}
      </div>
      <p class="quiet">
        {[cellValues(cellKey), suite.agentName === suite.name ? '' : suite.agentName]
          .filter((part) => part !== '')
          .join(' · ')}
      </p>
      <div class="curve">
        <Sparkline
          label={`Pass rate of the last ${plural(points.length, 'result')}, now ${formatRate(last?.passRate ?? null)}`}
          points={points.map(({ passRate, passRateInterval, verdictWord: word }) => ({
            rate: passRate,
            lo: passRateInterval?.lo ?? null,
            hi: passRateInterval?.hi ?? null,
            isBad: word === 'REGRESSED',
          }))}
        />
        {last && (
          <span class="big">
            {formatRate(last.passRate)} <span class="quiet">{before && `was ${formatRate(before.passRate)}`}</span>
          </span>
        )}
      </div>
      <p class="quiet small head">
        <span>
          {[
            plural(suite.caseCount, 'case'),
            costUsd === null ? null : `${formatUsd(costUsd)} a run`,
            suite.flakyCases > 0 ? `${suite.flakyCases} flaky` : null,
            suite.scheduleType === 'manual' ? null : `runs ${suite.scheduleType}`,
            suite.isEnabled ? null : 'switched off',
            isOnBase || last === undefined ? null : 'of pull requests: the base branch has no result',
          ]
            .filter((part) => part !== null)
            .join(' · ')}
        </span>
        {last?.completedAt && (
          <Link to={paths.suiteRun(last.id)}>
            <When time={last.completedAt} />
          </Link>
        )}
      </p>
    </li>
  );
}
