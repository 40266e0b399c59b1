import type { StoredRunAnswer } from '../definitions/start-stored-run.ts';
import { callerOf, type GraphqlContext } from './context.ts';
import { failedStart } from './failed-start.ts';
import { readRun } from './read/read-runs.ts';
import { asMember } from './result-union.ts';
import { notFound } from './user-errors.ts';

/** The member of a result for a run that was started, joined or refused; its first tasks leave from here. */
export async function answerStart(context: GraphqlContext, started: StoredRunAnswer) {
  if (!started.ok)
    return started.error.code === 'NOT_FOUND' ? notFound(started.error.what) : failedStart(started.error);
  const { tenantId } = callerOf(context);
  const dispatch = context.ports.runStarted(tenantId, started.runId);
  const run = await readRun(context.ports.database, tenantId, started.runId);
  return run === null ? notFound('run') : asMember('StartRunSuccess', { run, ...started, dispatch });
}
