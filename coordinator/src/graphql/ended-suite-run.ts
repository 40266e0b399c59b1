import type { GraphqlContext } from './context.ts';
import type { SuiteRunView } from './read/suite-run-view.ts';
import { visibleRun } from './visible-runs.ts';

/** The suite run, or null when the caller can see none with this id or it has not ended. */
export async function endedSuiteRun(id: string, context: GraphqlContext): Promise<SuiteRunView | null> {
  const suiteRun = await context.loaders.suiteRun.load(id);
  if (suiteRun === null || suiteRun.completedAt === null) return null;
  return (await visibleRun(context, suiteRun.runId)) === null ? null : suiteRun;
}
