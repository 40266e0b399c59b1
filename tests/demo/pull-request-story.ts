import { join } from 'node:path';
import { actionEnvironment } from '../stack/github/action-environment.ts';
import type { GithubEvent } from '../stack/github/event.ts';
import { openPullRequest } from '../stack/github/pull-request.ts';
import { branchSha, checkOut, createRepository, pushCommit } from '../stack/github/repository.ts';
import { type ActionResult, runAction } from '../stack/github/run-action.ts';
import type { GithubServer } from '../stack/github-server.ts';
import { repositoryRoot } from '../stack/processes.ts';
import type { Product } from '../stack/product.ts';
import type { Narrator } from './narrate.ts';
import { promptChange, shopFiles, worsenedPrompt } from './shop.ts';

export interface Story {
  github: GithubServer;
  product: Product;
  narrator: Narrator;
  directory: string;
}

const actionDirectory = join(repositoryRoot, 'action');

/** The shop's repository gets its agent, and the push to main records how it behaves today. */
export async function recordBase({ narrator, ...story }: Story): Promise<{ repository: string }> {
  narrator.title('The base branch: how the agent behaves today');
  const repository = await narrator.step('a repository with an agent and a suite of 8 cases', async () => {
    const created = await createRepository(story.github, { name: 'plant-shop', files: await shopFiles() });
    return created.full_name;
  });
  const sha = (await branchSha(story.github, repository, 'main')) ?? '';
  const result = await narrator.step('push to main: the Action runs, 8 cases × 3 repetitions', () =>
    runJob({ ...story, repository, sha, event: { name: 'push', branch: 'main' } }),
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
  narrator,
  repository,
  ...story
}: Story & { repository: string }): Promise<JudgedPullRequest> {
  narrator.title('A pull request: "Make the agent friendlier"');
  narrator.indent((await promptChange()).join('\n'), '          ');
  const branch = 'friendlier';
  const headSha = await narrator.step('its commit is pushed and the pull request opened', async () =>
    pushCommit(story.github, {
      repository,
      branch,
      files: await worsenedPrompt(),
      message: 'Make the agent friendlier',
    }),
  );
  const { number } = await openPullRequest(story.github, {
    repository,
    head: branch,
    title: 'Make the agent friendlier',
  });
  const result = await narrator.step('the Action runs on the pull request', () =>
    runJob({ ...story, repository, sha: headSha, event: { name: 'pull_request', number } }),
  );
  tellLog(narrator, result);
  return { repository, pullRequest: number, headSha, runId: result.outputs['run-id'] ?? '' };
}

/** One job of a workflow: a checkout, then the real bundle in the environment that GitHub would give it. */
async function runJob({
  github,
  product,
  directory,
  repository,
  sha,
  event,
}: Omit<Story, 'narrator'> & { repository: string; sha: string; event: GithubEvent }): Promise<ActionResult> {
  const job = join(directory, sha);
  const environment = await actionEnvironment(github, {
    repository,
    event,
    inputs: { coordinator: product.url },
    actionDirectory,
    directory: job,
  });
  await checkOut(github, { repository, sha, directory: environment.GITHUB_WORKSPACE ?? job });
  return await runAction(join(actionDirectory, 'dist/index.js'), environment);
}

/** The lines of the job that a person would read; commands to the runner are left out. */
function tellLog(narrator: Narrator, { log, exitCode }: ActionResult): void {
  const lines = log.split('\n').filter((line) => line.trim() !== '' && !/^\S*\s*::/.test(line));
  narrator.indent(lines.slice(-8).join('\n'), '          │ ');
  narrator.say(`          job ended with exit code ${exitCode}`);
}
