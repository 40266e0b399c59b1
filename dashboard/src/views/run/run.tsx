import { formatMs, formatRate, formatUsd } from '@proofmark/domain/format-numbers';
import { useFollow, useHeardSince } from '../../data/follow.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { PageRunProgressDocument, RunPageDocument, type RunSummaryFragment } from '../../operations/documents.ts';
import { checksUrl, commitUrl, pullRequestUrl } from '../../parts/forge-links.ts';
import { Facts, Gone, Loading, Mark, ProblemNote, useTitle, When } from '../../parts/pieces.tsx';
import { Link, OutLink, paths } from '../../parts/route.tsx';
import { branchOf, isFinal, runWord, starterOf, titleOfRun } from '../../parts/words.ts';
import { Progress } from '../runs.tsx';
import { BrokenCases } from './broken-cases.tsx';
import { HeatMaps } from './matrix.tsx';
import { RunActions } from './run-actions.tsx';
import { Notes, Reporting } from './run-notes.tsx';
import { NotCompared, SuiteTable } from './suite-table.tsx';
import { WhatChanged } from './what-changed.tsx';
import type { SuiteRunOfRun, WholeRun } from './whole-run.ts';

/** One run: what it came to and why. While it is open the page follows it. */
export function RunPage({ id }: { id: string }) {
  const { answer, problem, reload } = useAnswer(RunPageDocument, { id });
  const loaded = answer?.run ?? null;
  const [live, setLive] = useHeardSince<RunSummaryFragment>(loaded);
  const isOpen = loaded !== null && !isFinal(loaded.status);
  useFollow(PageRunProgressDocument, isOpen ? { id } : null, ({ runProgress: now }) => {
    // Each suite that ends has a verdict to show.
    const hasMore = now.finishedSuiteRuns !== (live?.finishedSuiteRuns ?? loaded?.finishedSuiteRuns);
    setLive(() => now);
    if (hasMore || isFinal(now.status)) void reload();
  });
  useTitle(loaded === null ? 'Run' : titleOfRun(loaded));

  if (problem !== null && loaded === null) return <ProblemNote message={problem} onRetry={reload} />;
  if (answer === null) return <Loading what="the run" />;
  if (loaded === null)
    return (
      <Gone what="run">
        <Link to="/runs">All runs</Link>
      </Gone>
    );
  // Until what ended is loaded, the newer of the two says how far it is.
  const run: WholeRun = isOpen && live !== null ? { ...loaded, ...live } : loaded;
  const judged = run.suiteRuns.filter(isJudged);
  return (
    <>
      <p class="trail">
        <Link to="/runs">Runs</Link>
        {run.repository !== null && (
          <>
            {' / '}
            <Link to={`/runs?repository=${encodeURIComponent(run.repository)}`}>{run.repository}</Link>
          </>
        )}
      </p>
      <RunHeading run={run} />
      <BrokenCases suiteRuns={judged} />
      <SuiteTable suiteRuns={judged} />
      <HeatMaps suiteRuns={judged} />
      {isFinal(run.status) && <WhatChanged id={id} />}
      <NotCompared suiteRuns={judged} />
      <OtherSuiteRuns suiteRuns={run.suiteRuns.filter((one) => !isJudged(one))} />
      <RunActions run={run} onDone={reload} />
      <Reporting run={run} />
      <Notes run={run} />
    </>
  );
}

/** What a run is about: not the base that ran beside it, and not what was asked again to settle a suspicion. */
const isJudged = ({ variant, purpose }: SuiteRunOfRun): boolean =>
  variant !== 'BASELINE' && (purpose === 'FIRST' || purpose === 'REJUDGE' || purpose === 'DRIFT');

function RunHeading({ run }: { run: WholeRun }) {
  const { head } = run;
  const isOpen = !isFinal(run.status);
  const branch = branchOf(run.ref);
  return (
    <section class="card hero" aria-labelledby="run-name">
      <div class="head">
        <h1 id="run-name">{titleOfRun(run)}</h1>
        <Mark word={runWord(run)} />
      </div>
      <p class="sentence">{run.feedback.headline}</p>
      {isOpen && (
        <p role="status">
          <Progress done={head.totalCases - head.openCases} total={head.totalCases} /> test runs have ended.
        </p>
      )}
      {run.poolsWithoutRunners.length > 0 && <p class="warn">{noRunnersText(run.poolsWithoutRunners)}</p>}
      <Facts
        facts={[
          [
            'Passed',
            head.passRate === null ? null : (
              <>
                <strong>{formatRate(head.passRate)}</strong> {head.passedCases} of {head.passedCases + head.failedCases}{' '}
                test runs
              </>
            ),
          ],
          ['Without an answer', head.erroredCases === 0 ? null : String(head.erroredCases)],
          ['Not executed', head.skippedCases === 0 ? null : String(head.skippedCases)],
          [
            'Pull request',
            run.pullRequest === null ? null : (
              <OutLink to={pullRequestUrl(run, run.pullRequest)}>#{run.pullRequest}</OutLink>
            ),
          ],
          [
            'Commit',
            run.headSha === null ? null : (
              <>
                <OutLink to={commitUrl(run, run.headSha)}>{run.headSha.slice(0, 7)}</OutLink>{' '}
                <OutLink to={checksUrl(run, run.headSha)}>checks</OutLink>
              </>
            ),
          ],
          [
            'Base',
            run.baseSha === null ? null : <OutLink to={commitUrl(run, run.baseSha)}>{run.baseSha.slice(0, 7)}</OutLink>,
          ],
          ['Branch', branch === null || run.pullRequest !== null ? null : branch],
          ['By', starterOf(run)],
          ['Started', <When time={run.createdAt} />],
          ['Took', run.durationMs === null ? null : formatMs(run.durationMs)],
          ['Cost', run.costUsd === null ? null : formatUsd(run.costUsd)],
          ['Repeats', run.rerunOf === null ? null : <Link to={paths.run(run.rerunOf)}>an earlier run</Link>],
          ['Judges again', run.rescores === null ? null : <Link to={paths.run(run.rescores)}>an earlier run</Link>],
        ]}
      />
    </section>
  );
}

/** Nobody has to know of pools where there is only the usual one. */
function noRunnersText(pools: readonly string[]): string {
  const isUsual = pools.length === 1 && pools[0] === 'default';
  return `No runners connected${isUsual ? '' : ` to ${pools.join(', ')}`}: its test runs wait until one is.`;
}

function OtherSuiteRuns({ suiteRuns }: { suiteRuns: readonly SuiteRunOfRun[] }) {
  if (suiteRuns.length === 0) return null;
  return (
    <section>
      <h2>Beside them</h2>
      <ul class="card rows">
        {suiteRuns.map(({ id, suiteName, cellKey, variant, purpose, passRate }) => (
          <li key={id}>
            <div class="what">
              <Link to={paths.suiteRun(id)}>{[suiteName, cellKey].filter((part) => part !== '').join(' · ')}</Link>{' '}
              <span class="quiet">
                {purposes[purpose] ?? (variant === 'BASELINE' ? 'the base, run beside the head' : '')}
              </span>
            </div>
            <span>{formatRate(passRate)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const purposes: Readonly<Record<string, string>> = {
  CONFIRM: 'all cases once more, to settle a suspicion',
  CALIBRATE: 'labelled answers, to measure the judge',
};
