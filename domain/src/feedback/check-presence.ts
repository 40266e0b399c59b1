import { runConclusion, sortWorstFirst, suiteConclusion, worstCell } from './outcome.ts';
import type { RunReport } from './run-report.ts';

/**
 * Whether a suite has a check of its own. `after-red`: only where the last one of this name on the commit was not green,
 * which would else stand there for good. What exists is always kept up to date.
 */
export type CheckPresence = 'shown' | 'after-red' | 'hidden';

/** Up to so many suites each has its check from the start. */
const mostNamedSuites = 10;
const mostLateChecks = 20;

/** By suite, in their order (docs/lifecycle.md#what-appears-on-github): many suites have checks at the end only, the worst of those that are not green. */
export function checkPresences(run: RunReport): CheckPresence[] {
  const { suites } = run;
  if (suites.length <= mostNamedSuites) return suites.map(() => 'shown');
  if (runConclusion(run) === null) return suites.map(() => 'hidden');
  const bad = suites.filter((suite) => !isGreen(suiteConclusion(suite)));
  const worst = new Set(sortWorstFirst(bad, (suite) => worstCell(suite).outcome).slice(0, mostLateChecks));
  return suites.map((suite) => {
    if (worst.has(suite)) return 'shown';
    return suiteConclusion(suite) === 'success' ? 'after-red' : 'hidden';
  });
}

/** Whether a check that ended so needs another one beside it before a commit looks good. */
export function isGreen(conclusion: string | null): boolean {
  return conclusion === 'success' || conclusion === 'skipped';
}
