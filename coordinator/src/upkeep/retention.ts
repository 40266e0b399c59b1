import type { Database } from '../database/transactions.ts';
import { removeSuiteRuns } from '../retention/remove-suite-runs.ts';
import { removeUnused } from '../retention/remove-unused.ts';
import { finishPass, takePasses } from '../retention/take-passes.ts';
import type { SettingVariables } from '../settings/known-settings.ts';
import type { Loop } from './run-loops.ts';

type Tell = (facts: object, text: string) => void;

type RetentionOptions = {
  database: Database;
  variables: SettingVariables;
  log: { info: Tell; warn: Tell };
};

/** How soon after the configured time, and after a change of it, the removal begins. */
const everyMs = 20_000;

/** Removes old suite runs once a day per tenant, at the time and by the numbers that its settings say at that moment. */
export function retention({ database, variables, log }: RetentionOptions): Loop {
  return {
    name: 'retention',
    every: everyMs,
    run: async (signal) => {
      const passes = await takePasses(database, variables);
      let suiteRuns = 0;
      for (const pass of passes) {
        const { tenantId, settings } = pass;
        const { warnings, ...kept } = settings;
        for (const warning of warnings) log.warn({ tenantId }, warning);
        const removed = { ...(await removeSuiteRuns(database, pass, signal)), ...(await removeUnused(database, pass)) };
        await finishPass(database, pass, removed);
        log.info({ tenantId, ...kept, removed }, 'Old suite runs were removed');
        suiteRuns += removed.suiteRuns;
      }
      return { passes: passes.length, suiteRuns };
    },
  };
}
