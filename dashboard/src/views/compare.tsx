import { formatPoints, formatRate } from '@proofmark/domain/format-numbers';
import { useState } from 'preact/hooks';
import { useAnswer } from '../data/use-answer.ts';
import { CompareSidesDocument, type CompareSidesQuery, RunsDocument } from '../operations/documents.ts';
import { change, DifferenceChart } from '../parts/charts.tsx';
import { Empty, Folded, Loading, Mark, ProblemNote, useTitle } from '../parts/pieces.tsx';
import { Link, paths, place, setSearch } from '../parts/route.tsx';
import { cellValues, stateWord, titleOfRun, verdictRank, verdictWord, type Word } from '../parts/words.ts';
import { Answer } from './test-run/answer.tsx';

type Comparison = NonNullable<CompareSidesQuery['compare']>['comparisons'][number];
type ComparedCase = Comparison['cases'][number];

/** Any two runs, suite runs or cells side by side, question by question. */
export function Compare() {
  useTitle('Compare');
  const { search } = place.value;
  const [base, head] = [search.get('base'), search.get('head')];
  return (
    <>
      <h1>Compare</h1>
      <Choose key={`of ${base} ${head}`} base={base} head={head} />
      {base === null || head === null ? (
        <Empty title="Choose two runs.">
          Two results of a suite, also of two cells, are chosen in its <Link to="/suites">trend</Link>.
        </Empty>
      ) : (
        <Sides key={`${base} ${head}`} base={base} head={head} />
      )}
    </>
  );
}

const idIn = /[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}/;
const ids = ({ base, head }: { base: string; head: string }) => ({
  base: idIn.exec(base)?.[0] ?? null,
  head: idIn.exec(head)?.[0] ?? null,
});

/** The last runs to choose from; the id of an older one, of a suite run, or an address that holds it, may be typed. */
function Choose({ base, head }: { base: string | null; head: string | null }) {
  const { answer } = useAnswer(RunsDocument, { filter: {}, after: null });
  const [typed, setTyped] = useState({ base: base ?? '', head: head ?? '' });
  const runs = (answer?.runs.edges ?? []).map(({ node }) => node);
  const side = (name: 'base' | 'head', label: string) => (
    <label class="wide">
      {label}
      <input
        list="last-runs"
        value={typed[name]}
        spellcheck={false}
        required
        pattern={`.*${idIn.source}.*`}
        title="An id such as 7d444840-9dc0-41d1-b245-5ffdce74fad2, or an address that holds one"
        onInput={({ currentTarget }) => setTyped((before) => ({ ...before, [name]: currentTarget.value }))}
      />
    </label>
  );
  return (
    <form
      class="filters"
      aria-label="Choose what is compared"
      onSubmit={(event) => {
        event.preventDefault();
        setSearch(ids(typed));
      }}
    >
      {side('base', 'Base: id or address of a run or suite run')}
      {side('head', 'Head: id or address of a run or suite run')}
      <datalist id="last-runs">
        {runs.map((run) => (
          <option key={run.id} value={run.id}>
            {titleOfRun(run)}
          </option>
        ))}
      </datalist>
      <button type="submit" class="first">
        Compare
      </button>
      <button
        type="button"
        onClick={() => {
          const swapped = { base: typed.head, head: typed.base };
          setTyped(swapped);
          // What is compared already is compared the other way round at once.
          if (base !== null && head !== null) setSearch(ids(swapped));
        }}
      >
        Swap
      </button>
    </form>
  );
}

function Sides({ base, head }: { base: string; head: string }) {
  const { answer, problem, reload } = useAnswer(CompareSidesDocument, { base, head });
  if (problem !== null) return <ProblemNote message={problem} onRetry={reload} />;
  if (answer === null) return <Loading what="the comparison" />;
  const { compare: found } = answer;
  if (found === null)
    return (
      <Empty title="These cannot be compared.">
        One of them is not there, has not ended, or is nothing that you may see. <Link to="/runs">All runs</Link>
      </Empty>
    );
  const alone = [
    ...found.onlyBase.map((one) => ['base', one] as const),
    ...found.onlyHead.map((one) => ['head', one] as const),
  ];
  return (
    <>
      {found.comparisons.length === 0 && (
        <Empty title="They share no suite and cell.">There is nothing to hold side by side.</Empty>
      )}
      {found.comparisons.length > 0 && <Outcome comparisons={found.comparisons} />}
      {found.comparisons
        .filter(hasMoreToSay)
        .toSorted((a, b) => verdictRank(a.verdict.word) - verdictRank(b.verdict.word))
        .map((comparison) => (
          <ComparedSuite key={comparison.head.id} comparison={comparison} />
        ))}
      <Alike comparisons={found.comparisons.filter((one) => !hasMoreToSay(one))} />
      {alone.length > 0 && (
        <section aria-labelledby="alone">
          <h2 id="alone">What only one side has</h2>
          <ul class="card rows">
            {alone.map(([side, { id, suiteName, cellKey }]) => (
              <li key={id}>
                <div class="what">
                  <Link to={paths.suiteRun(id)}>
                    {[suiteName, cellValues(cellKey)].filter((part) => part !== '').join(' · ')}
                  </Link>
                </div>
                <span class="quiet">only the {side}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** Who is compared with whom, and what came of all suites and cells together, the worst first. */
function Outcome({ comparisons }: { comparisons: readonly Comparison[] }) {
  const [first] = comparisons;
  if (first === undefined) return null;
  const isOfOne = (side: 'base' | 'head') => comparisons.every((one) => one[side].run.id === first[side].run.id);
  const counts = [...Map.groupBy(comparisons, ({ verdict }) => verdict.word)].toSorted(
    ([a], [b]) => verdictRank(a) - verdictRank(b),
  );
  return (
    <section class="card hero" aria-label="Outcome">
      {isOfOne('base') && isOfOne('head') && (
        <p class="sentence">
          <Link to={paths.run(first.base.run.id)}>{runName(first.base)}</Link> →{' '}
          <Link to={paths.run(first.head.run.id)}>{runName(first.head)}</Link>
        </p>
      )}
      <p class="buttons">
        {counts.map(([word, alike]) => {
          const shown = verdictWord(word);
          return <Mark key={word} word={{ ...shown, text: `${alike.length} ${shown.text}` }} />;
        })}
      </p>
    </section>
  );
}

const runName = ({ run }: Comparison['base']): string =>
  [run.title, run.headSha?.slice(0, 7)].filter((part) => part != null).join(', ') || 'a run';

/** Cases that differ, or a verdict that is not that all is as it was. */
const hasMoreToSay = ({ base, head, verdict, cases }: Comparison): boolean =>
  cases.length > 0 || verdict.word !== 'UNCHANGED' || !isScored(base) || !isScored(head);

/** Suites and cells in which every case passed as often on both sides, a line each. */
function Alike({ comparisons }: { comparisons: readonly Comparison[] }) {
  if (comparisons.length === 0) return null;
  return (
    <section aria-labelledby="alike">
      <h2 id="alike">Every case passed as often on both sides</h2>
      <ul class="card rows">
        {comparisons.map(({ base, head, verdict }) => (
          <li key={head.id}>
            <Mark word={verdictWord(verdict.word)} />
            <div class="what">
              {head.suiteName} <span class="quiet">{cellValues(head.cellKey)}</span>
            </div>
            <span>
              <Link to={paths.suiteRun(base.id)}>{formatRate(verdict.basePassRate ?? base.passRate)}</Link> →{' '}
              <Link to={paths.suiteRun(head.id)}>{formatRate(verdict.headPassRate ?? head.passRate)}</Link>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** One more is read, so that it is known whether there are others. */
const mostShown = 40;

/** Errors alone say nothing of a side. */
const isScored = ({ passedCases, failedCases, erroredCases }: Comparison['head']): boolean =>
  passedCases + failedCases > erroredCases;

function ComparedSuite({ comparison: { base, head, verdict, cases } }: { comparison: Comparison }) {
  const [isBaseScored, isHeadScored] = [isScored(base), isScored(head)];
  return (
    <section class="card" aria-label={head.suiteName}>
      <div class="head">
        <h2>
          {head.suiteName}
          {head.cellKey !== '' && <span class="quiet"> {cellValues(head.cellKey)}</span>}
        </h2>
        <Mark word={verdictWord(verdict.word)} />
      </div>
      <p class="quiet small">
        <Link to={paths.suiteRun(base.id)}>{sideName(base)}</Link> →{' '}
        <Link to={paths.suiteRun(head.id)}>{sideName(head)}</Link>
      </p>
      <p class="sentence">{verdict.title}</p>
      <p class="difference-line">
        <strong class="big">
          {change(
            isBaseScored ? (verdict.basePassRate ?? base.passRate) : null,
            isHeadScored ? (verdict.headPassRate ?? head.passRate) : null,
          )}
        </strong>
        {verdict.diffPoints !== null && (
          <>
            <DifferenceChart difference={{ ...verdict, diffPoints: verdict.diffPoints }} />
            <span class="quiet">{formatPoints(verdict.diffPoints)}</span>
          </>
        )}
      </p>
      {!isBaseScored && <p class="quiet">Nothing was scored on the base.</p>}
      {!isHeadScored && <p class="quiet">Nothing was scored on the head.</p>}
      {cases.length > 0 && (
        <ul class="rows">
          {cases.slice(0, mostShown).map((one) => (
            <li key={one.caseName}>
              <ComparedCaseLine one={one} baseId={base.id} headId={head.id} />
            </li>
          ))}
        </ul>
      )}
      {cases.length > mostShown && (
        <p class="quiet">
          More than {mostShown} cases differ: these are the least likely to be chance. All cases of the{' '}
          <Link to={paths.suiteRun(base.id)}>base</Link> and of the <Link to={paths.suiteRun(head.id)}>head</Link>.
        </p>
      )}
    </section>
  );
}

const sideName = ({ run, cellKey, passRate }: Comparison['base']): string =>
  `${run.title ?? run.headSha?.slice(0, 7) ?? 'a run'}${cellKey === '' ? '' : ` (${cellValues(cellKey)})`}, ${formatRate(passRate)}`;

const share = (side: ComparedCase['head']): string => (side === null ? '–' : `${side.passed}/${side.scored}`);

/** What became of a case; a case that the head lacks has not failed there. */
function wordOf({ change: what, head }: ComparedCase): Word {
  if (what === 'ONLY_BASE') return { mark: '–', text: 'only the base', tone: 'skipped' };
  if (what === 'ONLY_HEAD') return { ...stateWord(head?.status ?? ''), text: 'only the head' };
  const state = stateWord(head?.status ?? '');
  if (what === 'BROKE') return { ...state, text: 'broke' };
  // That it passed says little where it fell from three to two.
  if (what === 'WORSE' && state.tone === 'passed') return { mark: '↓', text: 'passed less often', tone: 'error' };
  return what === 'BETTER' ? { mark: '↑', text: 'passed more often', tone: 'passed' } : state;
}

interface ComparedCaseLineProps {
  one: ComparedCase;
  baseId: string;
  headId: string;
}

/** A case that differs, with both answers one click away. */
function ComparedCaseLine({ one, baseId, headId }: ComparedCaseLineProps) {
  const { caseName, base, head, toolsChanged, notComparable, changedParts } = one;
  const [side, sideId] = head === null ? [base, baseId] : [head, headId];
  return (
    <div class="what">
      <Folded
        summary={
          <>
            <Mark word={wordOf(one)} /> {caseName}{' '}
            <span class="quiet">
              {share(base)} → {share(head)}
              {toolsChanged && ', other tools'}
              {notComparable && `, not comparable: ${changedParts.join(', ')}`}
            </span>
          </>
        }
      >
        {() => (
          <>
            <div class="sides">
              <div class="card side">
                <h3>Base</h3>
                <Answer text={base?.answer ?? null} other={head?.answer ?? null} side="base" />
                {base !== null && base.tools.length > 0 && <p class="quiet small">tools: {base.tools.join(', ')}</p>}
              </div>
              <div class="card side">
                <h3>Head</h3>
                <Answer text={head?.answer ?? null} other={base?.answer ?? null} side="head" />
                {head !== null && head.tools.length > 0 && <p class="quiet small">tools: {head.tools.join(', ')}</p>}
              </div>
            </div>
            <Link to={side?.testRunId == null ? paths.caseOf(sideId, caseName) : paths.testRun(side.testRunId)}>
              All about this case
            </Link>
          </>
        )}
      </Folded>
    </div>
  );
}
