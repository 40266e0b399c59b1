import type { Database } from '../database/transactions.ts';
import { stopEarly } from '../judging/stop-early.ts';
import { enforceBudgets } from '../ledger/enforce-budgets.ts';
import type { Loop } from './run-loops.ts';

/** Ends runs before they are through: those whose outcome is certain, and those whose budget is spent. */
export function earlyEnds(database: Database, wake: (loop: string) => void): Loop[] {
  return [
    {
      name: 'early-stop',
      every: 1000,
      run: async () => {
        const { looked, finishedSuiteRuns } = await stopEarly(database);
        if (looked > 0) wake('publisher');
        if (finishedSuiteRuns.length > 0) wake('verdicts');
        return { looked, stopped: finishedSuiteRuns.length };
      },
    },
    {
      name: 'budgets',
      every: 2000,
      run: async () => {
        const finished = await enforceBudgets(database);
        if (finished.length > 0) wake('verdicts');
        return { cut: finished.length };
      },
    },
  ];
}
