import type { AlertFacts, AlertKind } from '@proofmark/contracts/alert-message';
import type { Verdict } from '@proofmark/contracts/verdict';

/** What goes on until it is over: told once when it begins, and once when it has ended. */
export type OpenIncident = {
  readonly id: string;
  readonly kind: 'regression' | 'nothing_executed';
  readonly facts: AlertFacts;
  readonly createdAt: string;
};

export type RaisedAlert = {
  readonly kind: Exclude<AlertKind, 'test' | 'newly_flaky'>;
  readonly facts: AlertFacts;
  /** The incident that it ends. */
  readonly resolves: OpenIncident | null;
};

/** So many names of cases are kept. */
export const mostNamedCases = 20;

export const namedCases = (cases: readonly string[]): Pick<AlertFacts, 'cases' | 'caseCount'> => ({
  cases: cases.slice(0, mostNamedCases),
  caseCount: cases.length,
});

/**
 * What a verdict on a cell gives people to be told, where these incidents of the cell are open. A regression is one until the
 * pass rate is back within the threshold of what it was before, and the cases that began to fail have stopped: the run after a
 * fall is compared with the fall, and would look fine.
 */
export function decideAlerts(verdict: Verdict, open: readonly OpenIncident[]): RaisedAlert[] {
  const raised: RaisedAlert[] = [];
  // An agent that fails to answer was executed; what the infrastructure lost was not.
  const nothing = !verdict.cases.some(({ head }) => head !== null && head.passed + head.failed + head.errored > 0);
  const isOpen = (kind: OpenIncident['kind']) => open.some((one) => one.kind === kind);
  if (nothing && !isOpen('nothing_executed'))
    raised.push({ kind: 'nothing_executed', facts: { reason: verdict.title }, resolves: null });
  if (isWorse(verdict) && !nothing && !isOpen('regression')) raised.push(regressionOf(verdict));
  if (verdict.cutTestRuns > 0)
    raised.push({ kind: 'budget', facts: { testRuns: verdict.cutTestRuns }, resolves: null });
  if (nothing) return raised;
  for (const incident of open) {
    const isOver = incident.kind === 'nothing_executed' || hasRecovered(verdict, incident.facts);
    const facts = { passRate: rateOf(verdict), since: incident.createdAt };
    if (isOver) raised.push({ kind: 'recovered', facts, resolves: incident });
  }
  return raised;
}

const isWorse = ({ settings, alert, word }: Verdict): boolean =>
  settings.alertOnRegression && (alert.fired || word === 'regressed');

function regressionOf(verdict: Verdict): RaisedAlert {
  const { dropPoints, newlyFailing } = verdict.alert;
  const passRate = rateOf(verdict);
  const passRateBefore = passRate === null || dropPoints === null ? null : passRate + dropPoints;
  const facts = { passRate, passRateBefore, dropPoints, ...namedCases(newlyFailing) };
  return { kind: 'regression', facts, resolves: null };
}

function hasRecovered(verdict: Verdict, { passRateBefore, cases = [] }: AlertFacts): boolean {
  const rate = rateOf(verdict);
  if (rate === null || isWorse(verdict)) return false;
  const failing = new Set(verdict.cases.filter(({ headStatus }) => isFailing(headStatus)).map((one) => one.caseName));
  if (cases.some((name) => failing.has(name))) return false;
  return passRateBefore == null || rate > passRateBefore - verdict.settings.alertThresholdPercent;
}

const isFailing = (status: Verdict['cases'][number]['headStatus']): boolean =>
  status === 'failed' || status === 'error';

/** Of the cases of the head, those that passed. */
function rateOf({ cases }: Verdict): number | null {
  const executed = cases.filter(({ headStatus }) => headStatus !== null && headStatus !== 'skipped');
  if (executed.length === 0) return null;
  return (100 * executed.filter(({ headStatus }) => headStatus === 'passed').length) / executed.length;
}
