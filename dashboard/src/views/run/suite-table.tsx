import { formatMs, formatPoints, formatPrice } from '@proofmark/domain/format-numbers';
import { useState } from 'preact/hooks';
import type { SidesMeasuredFragment } from '../../operations/documents.ts';
import { change, DifferenceChart } from '../../parts/charts.tsx';
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
      <div class="scroll card" tabIndex={0} role="group" aria-labelledby="suites">
        <table class="suite-table">
          <thead>
            <tr>
              <th scope="col">Suite</th>
              <th scope="col">Verdict</th>
              <th scope="col" class="number">
                Base → head
              </th>
              <th scope="col">Difference, 95%</th>
              <th scope="col" class="number">
                Cost of a test run
              </th>
              <th scope="col" class="number">
                Latency
              </th>
              <th scope="col" class="number">
                Tokens
              </th>
            </tr>
          </thead>
          <tbody>
            {drawn.map((suiteRun) => (
              <SuiteRow key={suiteRun.id} suiteRun={suiteRun} />
            ))}
          </tbody>
        </table>
      </div>
      {drawn.length < sorted.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show {sorted.length - drawn.length} more
        </button>
      )}
    </section>
  );
}

function SuiteRow({ suiteRun }: { suiteRun: SuiteRunOfRun }) {
  const { id, suiteName, suitePath, cellKey, verdict, status, takenFrom } = suiteRun;
  const isOpen = !isFinal(status);
  const measures = verdict?.measures ?? null;
  return (
    <tr>
      <th scope="row">
        <Link to={paths.suiteRun(id)} title={suitePath ?? undefined}>
          {suiteName}
        </Link>
        {cellKey !== '' && (
          <div class="quiet small" title={cellKey}>
            {cellValues(cellKey)}
          </div>
        )}
      </th>
      <td>
        <Mark word={verdict === null ? stateWord(status) : verdictWord(verdict.word)} />
        {verdict !== null && <div class="small title">{verdict.title}</div>}
        {takenFrom !== null && (
          <div class="small">
            <Link to={paths.run(takenFrom.runId)}>
              taken from {takenFrom.pullRequest === null ? 'an equal run' : `#${takenFrom.pullRequest}`}
            </Link>
          </div>
        )}
      </td>
      <td class="number">
        {isOpen ? (
          <Progress done={suiteRun.totalCases - suiteRun.openCases} total={suiteRun.totalCases} />
        ) : (
          <strong>{change(verdict?.basePassRate ?? null, verdict?.headPassRate ?? suiteRun.passRate)}</strong>
        )}
        <div class="quiet small">
          {suiteRun.passedCases} of {suiteRun.passedCases + suiteRun.failedCases}
          {suiteRun.erroredCases > 0 && `, ${suiteRun.erroredCases} without an answer`}
        </div>
      </td>
      <td>
        {verdict?.diffPoints != null && (
          <>
            <DifferenceChart difference={{ ...verdict, diffPoints: verdict.diffPoints }} />
            <div class="quiet small">{formatPoints(verdict.diffPoints)}</div>
          </>
        )}
      </td>
      <Measure measure={measures?.costUsd} show={formatPrice} />
      <Measure measure={measures?.latencyMs} show={formatMs} />
      <Measure measure={measures?.tokens} show={(value) => String(Math.round(value))} />
    </tr>
  );
}

/** A mean on both sides. A difference that cannot be chance is marked, dearer with an arrow upwards. */
function Measure({ measure, show }: { measure: SidesMeasuredFragment | undefined; show: (value: number) => string }) {
  const { base = null, head = null, diffLo = null, diffHi = null } = measure ?? {};
  if (head === null) return <td class="number quiet">–</td>;
  const sign = diffLo !== null && diffLo > 0 ? '↑' : diffHi !== null && diffHi < 0 ? '↓' : '';
  return (
    <td class="number">
      {sign !== '' && <span class={sign === '↑' ? 'warn' : 'good'}>{sign} </span>}
      {show(head.mean)}
      <div class="quiet small">{base !== null && `was ${show(base.mean)}`}</div>
    </td>
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
