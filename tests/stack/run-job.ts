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

/** A step that is ready to run: the checkout, and the bundle in the environment that GitHub would give it. */
export interface Step {
  script: string;
  environment: Record<string, string>;
}

/** Everything of a job that comes before the Action. */
export async function prepareJob(github: GithubServer, job: Job): Promise<Step> {
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
  return { script: join(actionDirectory, 'dist/index.js'), environment };
}

/** One job of a workflow: a checkout, then the real bundle in the environment that GitHub would give it. */
export async function runJob(github: GithubServer, job: Job, onLine?: (line: string) => void): Promise<ActionResult> {
  const { script, environment } = await prepareJob(github, job);
  return await runAction(script, environment, onLine);
}
