import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { type ActionJob, actionEnvironment } from './github/action-environment.ts';
import { checkOut } from './github/repository.ts';
import { type ActionResult, runAction } from './github/run-action.ts';
import type { GithubServer } from './github-server.ts';
import { repositoryRoot } from './processes.ts';

const actionDirectory = join(repositoryRoot, 'action');

export type Job = Pick<ActionJob, 'repository' | 'event' | 'permissions' | 'attempt' | 'env'> & {
  /** The commit that actions/checkout leaves in the workspace. */
  sha: string;
  /** Address of the coordinator; without it the Action runs embedded. */
  coordinator?: string;
  inputs?: Record<string, string>;
  /** The job's own folder is made below it. */
  directory: string;
  /** What earlier steps leave in the workspace beside the checkout. */
  prepare?: (workspace: string) => Promise<void>;
};

/** One job of a workflow: a checkout, then the real bundle in the environment that GitHub would give it. */
export async function runJob(github: GithubServer, job: Job, onLine?: (line: string) => void): Promise<ActionResult> {
  const { sha, coordinator, inputs = {}, directory, prepare, ...rest } = job;
  const own = await mkdtemp(join(directory, 'job-'));
  const environment = await actionEnvironment(github, {
    ...rest,
    inputs: { ...(coordinator === undefined ? {} : { coordinator }), ...inputs },
    actionDirectory,
    directory: own,
  });
  const workspace = environment.GITHUB_WORKSPACE ?? own;
  await checkOut(github, { repository: job.repository, sha, directory: workspace });
  await prepare?.(workspace);
  return await runAction(join(actionDirectory, 'dist/index.js'), environment, onLine);
}
