import type { Database } from '../database/transactions.ts';
import { removeSuiteRuns } from '../retention/remove-suite-runs.ts';
import { unusedSteps } from '../retention/remove-unused.ts';
import { finishPass, type RemovalPass, takePass } from '../retention/take-passes.ts';
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
export function retention(options: RetentionOptions): Loop {
  const { database, variables, log } = options;
  return {
    name: 'retention',
    every: everyMs,
    run: async (signal) => {
      const counts = { passes: 0, suiteRuns: 0, failed: 0 };
      while (!signal.aborted) {
        const pass = await takePass(database, variables);
        if (pass === null) break;
        for (const warning of pass.settings.warnings) log.warn({ tenantId: pass.tenantId }, warning);
        const { removed, failed } = await remove(pass, options, signal);
        counts.passes += 1;
        counts.suiteRuns += removed.suiteRuns ?? 0;
        counts.failed += failed;
      }
      return counts;
    },
  };
}

/** What fails is left to the next take of the pass, and keeps neither other steps nor other tenants from theirs. */
async function remove(
  pass: RemovalPass,
  { database, log }: RetentionOptions,
  signal: AbortSignal,
): Promise<{ removed: Record<string, number>; failed: number }> {
  const { tenantId, settings } = pass;
  const removed: Record<string, number> = {};
  let failed = 0;
  const attempt = async (step: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      failed += 1;
      log.warn({ error, tenantId, step }, 'A step of the removal failed and will be repeated');
    }
  };
  await attempt('suiteRuns', async () => void Object.assign(removed, await removeSuiteRuns(database, pass, signal)));
  for (const [step, work] of Object.entries(unusedSteps(database, pass)))
    await attempt(step, async () => {
      removed[step] = await work();
    });
  if (failed === 0 && !signal.aborted) {
    await attempt('finish', () => finishPass(database, pass, removed));
    const { warnings: _told, ...kept } = settings;
    log.info({ tenantId, ...kept, removed }, 'Old suite runs were removed');
  }
  return { removed, failed };
}
