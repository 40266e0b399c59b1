import type { Credentials } from '../job/credentials.ts';
import type { Inputs } from '../job/inputs.ts';
import type { Job } from '../job/job.ts';
import type { JobTrigger } from '../job/read-event.ts';

type Dispatched = { ok: true; trigger: JobTrigger } | { ok: false; message: string };

interface DispatchOptions {
  inputs: Pick<Inputs, 'pull-request' | 'head-sha' | 'github-token'>;
  trigger: JobTrigger;
  /** Null: the cases run inside this job. */
  credentials: Credentials['kind'] | null;
}

/**
 * The pull request that somebody named when starting the workflow by hand; without one the trigger as it is. Refused
 * when its head has moved since: what was looked at is what is run.
 */
export async function dispatchedCommit(
  { inputs, trigger, credentials }: DispatchOptions,
  { environment }: Pick<Job, 'environment'>,
): Promise<Dispatched> {
  const { 'pull-request': number, 'head-sha': headSha, 'github-token': token } = inputs;
  if (number === null || headSha === null) return { ok: true, trigger };
  if (trigger.event !== 'workflow_dispatch') return refuse('pull-request and head-sha are for workflow_dispatch only.');
  // The OIDC token of such a job speaks for the commit of the branch, and the coordinator believes only the token.
  if (credentials === 'job') return refuse('pull-request and head-sha need the input api-token.');
  if (token === null) return refuse('pull-request and head-sha need the input github-token.');
  const [owner = '', repo = ''] = environment.repository.split('/');
  try {
    // Loaded only here: it reads the event file on its own when it is loaded.
    const { getOctokit } = await import('@actions/github');
    const { data } = await getOctokit(token, { baseUrl: environment.apiUrl }).rest.pulls.get({
      owner,
      repo,
      pull_number: number,
    });
    if (data.head.sha !== headSha) return refuse(`The head of pull request ${number} is ${data.head.sha} by now.`);
    const author = data.user?.login ?? trigger.author;
    return { ok: true, trigger: { ...trigger, pullRequest: number, headSha, baseSha: data.base.sha, author } };
  } catch (error) {
    return refuse(`Pull request ${number} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const refuse = (message: string): Dispatched => ({ ok: false, message });
