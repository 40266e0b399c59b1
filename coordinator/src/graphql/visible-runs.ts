import type { Caller } from '../access/caller.ts';
import { callerOf, type GraphqlContext } from './context.ts';
import { type RunFilter, readRun } from './read/read-runs.ts';
import type { RunView } from './read/run-view.ts';

/** The filter that a bound token puts on every list: its repository, and for a job its own workflow run. */
export function boundsOf({ repositoryId, claims }: Caller): RunFilter {
  return { repositoryId, workflowRunId: claims?.workflowRunId ?? null };
}

/** The run, or null when there is none that this caller may see; nobody can tell the two apart. */
export async function visibleRun(context: GraphqlContext, runId: string): Promise<RunView | null> {
  const caller = callerOf(context);
  const run = await readRun(context.ports.database, caller.tenantId, runId);
  if (run === null) return null;
  const { repositoryId, workflowRunId } = boundsOf(caller);
  const isOutside =
    (repositoryId && run.repositoryId !== repositoryId) || (workflowRunId && run.workflowRunId !== workflowRunId);
  return isOutside ? null : run;
}
