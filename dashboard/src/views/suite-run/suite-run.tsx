import { formatRate, formatUsd, plural } from '@proofmark/domain/format-numbers';
import { useState } from 'preact/hooks';
import { ask } from '../../data/ask.ts';
import { useFollow, useWholeEnd } from '../../data/follow.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { PageRunProgressDocument, SuiteRunDownloadDocument, SuiteRunPageDocument } from '../../operations/documents.ts';
import { change, DifferenceChart } from '../../parts/charts.tsx';
import { commitUrl, fileUrl } from '../../parts/forge-links.ts';
import { Facts, Gone, Loading, Mark, ProblemNote, useTitle, When } from '../../parts/pieces.tsx';
import { Link, OutLink, paths } from '../../parts/route.tsx';
import { cellValues, isFinal, stateWord, titleOfRun, verdictWord } from '../../parts/words.ts';
import { Downloads } from '../run/run-actions.tsx';
import { SuiteRunChanged } from '../run/what-changed.tsx';
import { Progress } from '../runs.tsx';
import { Cases } from './cases.tsx';
import { judgeText } from './judge-text.ts';
import type { WholeSuiteRun } from './whole-suite-run.ts';

/** One suite in one cell: its verdict, and its cases, those that got worse first. */
export function SuiteRunPage({ id }: { id: string }) {
  const { answer, problem, reload } = useAnswer(SuiteRunPageDocument, { id });
  const [ended, setEnded] = useState(0);
  const suiteRun = answer?.suiteRun ?? null;
  // What is asked again to settle a suspicion, or still to be judged, has ended without a verdict.
  const isOpen =
    suiteRun !== null &&
    (!isFinal(suiteRun.status) || (suiteRun.verdictWord === null && !isFinal(suiteRun.run.status)));
  useFollow(
    PageRunProgressDocument,
    isOpen && suiteRun !== null ? { id: suiteRun.run.id } : null,
    ({ runProgress: now }) => {
      setEnded(now.totalCases - now.openCases);
      void reload();
    },
  );
  useWholeEnd(suiteRun !== null && suiteRun.verdictWord === null && isFinal(suiteRun.run.status), reload);
  useTitle(suiteRun?.suiteName ?? 'Suite run');
  if (problem !== null && suiteRun === null) return <ProblemNote message={problem} onRetry={reload} />;
  if (answer === null) return <Loading what="the suite run" />;
  if (suiteRun === null)
    return (
      <Gone what="suite run">
        <Link to="/runs">All runs</Link>
      </Gone>
    );
  return (
    <>
      <p class="trail">
        <Link to="/runs">Runs</Link> / <Link to={paths.run(suiteRun.run.id)}>{titleOfRun(suiteRun.run)}</Link>
      </p>
      <Heading suiteRun={suiteRun} />
      <Cases key={id} suiteRun={suiteRun} version={isOpen ? `${ended}` : 'ended'} />
      {suiteRun.baselineSuiteRunId !== null && !isOpen && <SuiteRunChanged id={id} />}
      <FilesOf id={id} />
    </>
  );
}

function Heading({ suiteRun }: { suiteRun: WholeSuiteRun }) {
  const { suiteName, cellKey, verdict, status, run, baseline, suiteId, suitePath, purpose } = suiteRun;
  return (
    <section class="card hero" aria-labelledby="suite-name">
      <div class="head">
        <h1 id="suite-name">
          {suiteName}
          {cellKey !== '' && <span class="quiet"> {cellValues(cellKey)}</span>}
        </h1>
        <Mark word={verdict === null ? stateWord(status) : verdictWord(verdict.word)} />
      </div>
      {verdict !== null && (
        <>
          <p class="sentence">{verdict.title}</p>
          <p>{verdict.paragraph}</p>
          {verdict.lines.map((line) => (
            <p key={line} class="quiet">
              {line}
            </p>
          ))}
          {verdict.diffPoints !== null && (
            <p class="difference-line">
              <strong class="big">{change(verdict.basePassRate, verdict.headPassRate)}</strong>
              <DifferenceChart difference={{ ...verdict, diffPoints: verdict.diffPoints }} />
            </p>
          )}
        </>
      )}
      {!isFinal(status) && (
        <p role="status">
          <Progress done={suiteRun.totalCases - suiteRun.openCases} total={suiteRun.totalCases} /> test runs have ended.
        </p>
      )}
      {suiteRun.failureReason !== null && (
        <p class="warn">
          Ended early: {suiteRun.failureReason.replaceAll('_', ' ')}. {suiteRun.errorMessage}
        </p>
      )}
      <Facts
        facts={[
          ['Passed', `${suiteRun.passedCases} of ${plural(suiteRun.totalCases - suiteRun.skippedCases, 'test run')}`],
          ['Without an answer', suiteRun.erroredCases === 0 ? null : String(suiteRun.erroredCases)],
          ['Agent', suiteRun.agentName],
          ['Values', cellKey === '' ? null : cellKey.replaceAll(',', ', ')],
          [
            'Compared with',
            baseline === null ? null : (
              <>
                <Link to={paths.suiteRun(baseline.id)}>
                  {verdict?.baselineLabel ?? baseline.run.headSha?.slice(0, 7) ?? 'an earlier run'}
                </Link>{' '}
                {formatRate(baseline.passRate)}
              </>
            ),
          ],
          [
            'File',
            suitePath === null || run.headSha === null ? (
              suitePath
            ) : (
              <OutLink to={fileUrl(run, { sha: run.headSha, path: suitePath, line: null })}>{suitePath}</OutLink>
            ),
          ],
          [
            'Commit',
            run.headSha === null ? null : <OutLink to={commitUrl(run, run.headSha)}>{run.headSha.slice(0, 7)}</OutLink>,
          ],
          ['Cost', suiteRun.costUsd === null ? null : formatUsd(suiteRun.costUsd)],
          ['Ended', suiteRun.completedAt === null ? null : <When time={suiteRun.completedAt} />],
          ['Purpose', purpose === 'FIRST' ? null : purpose.toLowerCase()],
          [
            'Side by side',
            baseline === null ? null : <Link to={paths.compare(baseline.id, suiteRun.id)}>Question by question</Link>,
          ],
          ['Over time', <Link to={paths.suite(suiteId, cellKey)}>Trend</Link>],
          ['Judge', judgeText(verdict?.judge ?? null)],
        ]}
      />
    </section>
  );
}

function FilesOf({ id }: { id: string }) {
  const [problem, setProblem] = useState('');
  return (
    <section class="actions" aria-label="Files">
      <Downloads
        onProblem={setProblem}
        urlOf={async (format) => {
          const asked = await ask(SuiteRunDownloadDocument, { id, format });
          return asked.ok ? { ok: true, answer: asked.answer.suiteRun?.download?.url ?? null } : asked;
        }}
      />
      <p role="status" class="bad">
        {problem}
      </p>
    </section>
  );
}
