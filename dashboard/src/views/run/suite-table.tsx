import { formatMs, formatPoints, formatPrice } from '@proofmark/domain/format-numbers';
import { useState } from 'preact/hooks';
import type { SidesMeasuredFragment } from '../../operations/documents.ts';
import { change, DifferenceChart } from '../../parts/charts.tsx';
import { type Column, Rows } from '../../parts/listed.tsx';
import { Empty, Mark } from '../../parts/pieces.tsx';
import { Link, paths } from '../../parts/route.tsx';
import { cellValues, isFinal, stateWord, verdictRank, verdictWord } from '../../parts/words.ts';
import { Progress } from '../runs.tsx';
import type { SuiteRunOfRun } from './whole-run.ts';

const mostRows = 60;

/** Every suite and cell in a row: the verdict, the base beside the head, and what it takes. */
export function SuiteTable({ suiteRuns }: { suiteRuns: readonly SuiteRunOfRun[] }) {
  const [isWhole, setWhole] = useState(false);
  if (suiteRuns.length === 0)
    return (
      <Empty title="No suite ran.">
        The change touches no suite, or the definitions did not hold: the headline says which.
      </Empty>
    );
  const sorted = suiteRuns.toSorted((a, b) => verdictRank(a.verdictWord) - verdictRank(b.verdictWord));
  const drawn = isWhole ? sorted : sorted.slice(0, mostRows);
  return (
    <section aria-labelledby="suites">
      <h2 id="suites">Suites</h2>
      <Rows label="Suites" rows={drawn} keyOf={({ id }) => id} columns={columns} />
      {drawn.length < sorted.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show {sorted.length - drawn.length} more
        </button>
      )}
    </section>
  );
}

const columns: readonly Column<SuiteRunOfRun>[] = [
  [
    'Suite',
    ({ id, suiteName, suitePath, cellKey }) => (
      <>
        <Link to={paths.suiteRun(id)} title={suitePath ?? undefined}>
          {suiteName}
        </Link>
        {cellKey !== '' && (
          <div class="quiet small" title={cellKey}>
            {cellValues(cellKey)}
          </div>
        )}
      </>
    ),
  ],
  ['Verdict', (suiteRun) => <Judged suiteRun={suiteRun} />],
  ['Base → head', (suiteRun) => <PassRates suiteRun={suiteRun} />, 'number'],
  [
    'Difference, 95%',
    ({ verdict }) =>
      verdict?.diffPoints != null && (
        <>
          <DifferenceChart difference={{ ...verdict, diffPoints: verdict.diffPoints }} />
          <div class="quiet small">{formatPoints(verdict.diffPoints)}</div>
        </>
      ),
  ],
  [
    'Cost of a test run',
    ({ verdict }) => <Measure measure={verdict?.measures?.costUsd} show={formatPrice} />,
    'number',
  ],
  ['Latency', ({ verdict }) => <Measure measure={verdict?.measures?.latencyMs} show={formatMs} />, 'number'],
  [
    'Tokens',
    ({ verdict }) => <Measure measure={verdict?.measures?.tokens} show={(value) => String(Math.round(value))} />,
    'number',
  ],
];

function Judged({ suiteRun: { verdict, status, takenFrom } }: { suiteRun: SuiteRunOfRun }) {
  return (
    <>
      <Mark word={verdict === null ? stateWord(status) : verdictWord(verdict.word)} />
      {verdict !== null && <div class="small title">{verdict.title}</div>}
      {takenFrom !== null && (
        <div class="small">
          <Link to={paths.run(takenFrom.runId)}>
            taken from {takenFrom.pullRequest === null ? 'an equal run' : `#${takenFrom.pullRequest}`}
          </Link>
        </div>
      )}
    </>
  );
}

function PassRates({ suiteRun }: { suiteRun: SuiteRunOfRun }) {
  const { verdict, status, totalCases, openCases, passedCases, failedCases, erroredCases, passRate } = suiteRun;
  return (
    <>
      {isFinal(status) ? (
        <strong>{change(verdict?.basePassRate ?? null, verdict?.headPassRate ?? passRate)}</strong>
      ) : (
        <Progress done={totalCases - openCases} total={totalCases} />
      )}
      <div class="quiet small">
        {passedCases} of {passedCases + failedCases}
        {erroredCases > 0 && `, ${erroredCases} without an answer`}
      </div>
    </>
  );
}

/** A mean on both sides. A difference that cannot be chance is marked, dearer with an arrow upwards. */
function Measure({ measure, show }: { measure: SidesMeasuredFragment | undefined; show: (value: number) => string }) {
  const { base = null, head = null, diffLo = null, diffHi = null } = measure ?? {};
  if (head === null) return <span class="quiet">–</span>;
  const sign = diffLo !== null && diffLo > 0 ? '↑' : diffHi !== null && diffHi < 0 ? '↓' : '';
  return (
    <>
      {sign !== '' && <span class={sign === '↑' ? 'warn' : 'good'}>{sign} </span>}
      {show(head.mean)}
      <div class="quiet small">{base !== null && `was ${show(base.mean)}`}</div>
    </>
  );
}

/** What the verdicts leave out, and why. Nothing is left out silently. */
export function NotCompared({ suiteRuns }: { suiteRuns: readonly SuiteRunOfRun[] }) {
  const told = suiteRuns.flatMap((suiteRun) => {
    const reasons = reasonsOf(suiteRun);
    return reasons.length === 0 ? [] : [{ suiteRun, reasons }];
  });
  if (told.length === 0) return null;
  return (
    <section aria-labelledby="left-out">
      <h2 id="left-out">What was not compared</h2>
      <ul class="card rows">
        {told.slice(0, mostRows).map(({ suiteRun: { id, suiteName, cellKey }, reasons }) => (
          <li key={id}>
            <div class="what">
              <Link to={paths.suiteRun(id)}>
                {[suiteName, cellValues(cellKey)].filter((part) => part !== '').join(' · ')}
              </Link>
              {reasons.map((reason) => (
                <p class="small" key={reason}>
                  {reason}
                </p>
              ))}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function reasonsOf({ verdict, failureReason, errorMessage, skippedCases, verdictWord: word }: SuiteRunOfRun): string[] {
  return [
    word === 'NO_BASELINE'
      ? 'There is no result of the base to compare with: the next run on the base branch makes one.'
      : null,
    failureReason === null ? null : `It ended early: ${failureReason.replaceAll('_', ' ')}.`,
    errorMessage,
    skippedCases === 0 ? null : `${skippedCases} test runs were not executed.`,
    ...(verdict?.lines ?? []).filter((line) => /not compar|left out|no longer|removed|changed/i.test(line)),
    ...(verdict?.unmeasured ?? []).map(
      ({ metric, measured, wanted, reason }) =>
        `Metric ${metric}: measured in ${measured} of ${wanted} test runs. ${reason}`,
    ),
  ].filter((reason) => reason !== null);
}
