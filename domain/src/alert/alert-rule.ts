import { type CaseTotals, passRate } from '../results/totals.ts';

export type AlertSettings = {
  readonly alertOnRegression: boolean;
  /** Percentage points, inclusive. */
  readonly alertThresholdPercent: number;
  readonly alertOnNewlyFailing?: boolean | undefined;
};

/** A suite run as the alert rule sees it: totals and one status per case name. */
export type AlertRun = CaseTotals & {
  readonly status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
  readonly results?: ReadonlyMap<string, AlertStatus> | undefined;
};

export type AlertStatus = 'passed' | 'failed' | 'error' | 'skipped';

export type AlertResult = {
  readonly regression: boolean;
  /** Fall of the pass rate in percentage points, negative after a rise; null when a side is not judged. */
  readonly drop: number | null;
  readonly newlyFailing: readonly string[];
};

const slack = 1e-9;
const quiet: AlertResult = { regression: false, drop: null, newlyFailing: [] };

const judgedRate = (run: AlertRun) => (run.status === 'completed' ? passRate(run) : null);

function newlyFailingCases(current: AlertRun, previous: AlertRun): string[] {
  const results = current.results ?? new Map<string, AlertStatus>();
  return [...results]
    .filter(([name, status]) => {
      const isFailing = status === 'failed' || status === 'error';
      return isFailing && previous.results?.get(name) === 'passed';
    })
    .map(([name]) => name);
}

/**
 * Whether a run is worse than the one before by the suite's alert rule. Without two completed runs in which
 * something was executed there is nothing to judge. Newly failing cases keep the order of the current run.
 */
export function judgeAlert({
  settings,
  current,
  previous,
}: {
  settings: AlertSettings;
  current: AlertRun;
  previous: AlertRun | null;
}): AlertResult {
  const before = previous && judgedRate(previous);
  const now = judgedRate(current);
  if (previous === null || before === null || now === null) return quiet;
  const { alertOnRegression, alertThresholdPercent, alertOnNewlyFailing = true } = settings;
  const drop = before - now;
  const newlyFailing = newlyFailingCases(current, previous);
  const isTriggered = drop >= alertThresholdPercent - slack || (alertOnNewlyFailing && newlyFailing.length > 0);
  return { regression: alertOnRegression && isTriggered, drop, newlyFailing };
}
