import { openPullRequest } from '../stack/github/pull-request.ts';
import { branchSha, createRepository, pushCommit } from '../stack/github/repository.ts';
import type { ActionResult } from '../stack/github/run-action.ts';
import type { GithubServer } from '../stack/github-server.ts';
import type { Product } from '../stack/product.ts';
import { runJob } from '../stack/run-job.ts';
import type { Narrator } from './narrate.ts';
import { promptChange, shopFiles, worsenedPrompt } from './shop.ts';

export interface Story {
  github: GithubServer;
  product: Product;
  narrator: Narrator;
  directory: string;
}

/** The shop's repository gets its agent, and the push to main records how it behaves today. */
export async function recordBase({ github, product, narrator, directory }: Story): Promise<{ repository: string }> {
  const coordinator = product.url;
  narrator.title('The base branch: how the agent behaves today');
  const repository = await narrator.step('a repository with an agent and a suite of 8 cases', async () => {
    const created = await createRepository(github, { name: 'plant-shop', files: await shopFiles() });
    return created.full_name;
  });
  const sha = (await branchSha(github, repository, 'main')) ?? '';
  const result = await narrator.step('push to main: the Action runs, 8 cases × 3 repetitions', () =>
    runJob(github, { coordinator, directory, repository, sha, event: { name: 'push', branch: 'main' } }),
  );
  tellLog(narrator, result);
  return { repository };
}

export interface JudgedPullRequest {
  repository: string;
  pullRequest: number;
  headSha: string;
  runId: string;
}

/** A pull request changes the prompt for the worse, and the Action judges it. */
export async function openWorseningPullRequest({
  github,
  product,
  narrator,
  directory,
  repository,
}: Story & { repository: string }): Promise<JudgedPullRequest> {
  const coordinator = product.url;
  narrator.title('A pull request: "Make the agent friendlier"');
  narrator.indent((await promptChange()).join('\n'), '          ');
  const branch = 'friendlier';
  const headSha = await narrator.step('its commit is pushed and the pull request opened', async () =>
    pushCommit(github, {
      repository,
      branch,
      files: await worsenedPrompt(),
      message: 'Make the agent friendlier',
    }),
  );
  const { number } = await openPullRequest(github, {
    repository,
    head: branch,
    title: 'Make the agent friendlier',
  });
  const result = await narrator.step('the Action runs on the pull request', () =>
    runJob(github, { coordinator, directory, repository, sha: headSha, event: { name: 'pull_request', number } }),
  );
  tellLog(narrator, result);
  return { repository, pullRequest: number, headSha, runId: result.outputs['run-id'] ?? '' };
}

/** The lines of the job that a person would read; commands to the runner are left out. */
function tellLog(narrator: Narrator, { log, exitCode }: ActionResult): void {
  const lines = log.split('\n').filter((line) => line.trim() !== '' && !/^\S*\s*::/.test(line));
  narrator.indent(lines.slice(-8).join('\n'), '          │ ');
  narrator.say(`          job ended with exit code ${exitCode}`);
  // With the App the check is the gate: a job that is red has failed to do its work.
  if (exitCode !== 0) throw new Error(`The job ended with exit code ${exitCode}:\n${log}`);
}
