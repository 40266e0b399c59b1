import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { inheritedEnvironment } from '../environment.ts';
import type { GithubServer } from '../github-server.ts';
import { describeEvent, type EventContext, type GithubEvent } from './event.ts';
import { Repository, User } from './shapes.ts';

export type ActionJob = {
  repository: string;
  event: GithubEvent;
  /** What the workflow gives the Action under `with:`; the defaults of action.yml fill the rest. */
  inputs?: Record<string, string>;
  /** The directory of action.yml. */
  actionDirectory: string;
  /** Holds the checkout and everything that the runner makes for the job. */
  directory: string;
  /** The `permissions:` of the job. */
  permissions?: Record<string, string>;
  runId?: number;
  attempt?: number;
  /** The `env:` of the step. */
  env?: Record<string, string>;
};

const workflow = '.github/workflows/proofmark.yml';
let lastRunId = 8_800_000_000;

/** The whole environment of the step as a GitHub runner sets it, with the files that its variables name. */
export async function actionEnvironment(github: GithubServer, job: ActionJob): Promise<Record<string, string>> {
  const { repository, directory, permissions = { contents: 'read', 'id-token': 'write' }, attempt = 1 } = job;
  const runId = job.runId ?? ++lastRunId;
  const context = await describeEvent(github, repository, job.event);
  const repo = Repository.parse(context.payload.repository);
  const actor = User.parse(context.payload.sender);
  const run = { runId, attempt, context, repo, actor };
  const granted = Object.entries(permissions).map(([name, right]) => [name.replaceAll('-', '_'), right] as const);
  const token = github.world.tokens.addJob(repo.id, { metadata: 'read', ...Object.fromEntries(granted) });
  return {
    ...inheritedEnvironment(),
    ...(await runnerFiles(directory, context)),
    ...gitContext(github, run),
    GITHUB_ACTION_PATH: job.actionDirectory,
    ...(await inputVariables(job, token)),
    ...(permissions['id-token'] === 'write' ? github.world.oidc.allowJob(claimsOf(run)) : {}),
    ...job.env,
  };
}

type Run = { runId: number; attempt: number; context: EventContext; repo: Repository; actor: z.infer<typeof User> };

function gitContext(github: GithubServer, { runId, attempt, context, repo, actor }: Run): Record<string, string> {
  return {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_SERVER_URL: github.serverUrl,
    GITHUB_API_URL: github.apiUrl,
    GITHUB_GRAPHQL_URL: github.graphqlUrl,
    GITHUB_REPOSITORY: repo.full_name,
    GITHUB_REPOSITORY_ID: String(repo.id),
    GITHUB_REPOSITORY_OWNER: repo.owner.login,
    GITHUB_REPOSITORY_OWNER_ID: String(repo.owner.id),
    GITHUB_RUN_ID: String(runId),
    GITHUB_RUN_NUMBER: '1',
    GITHUB_RUN_ATTEMPT: String(attempt),
    GITHUB_RETENTION_DAYS: '90',
    GITHUB_WORKFLOW: 'Proofmark',
    GITHUB_WORKFLOW_REF: `${repo.full_name}/${workflow}@${context.ref}`,
    GITHUB_WORKFLOW_SHA: context.sha,
    GITHUB_JOB: 'proofmark',
    GITHUB_ACTION: 'proofmark',
    GITHUB_ACTOR: actor.login,
    GITHUB_ACTOR_ID: String(actor.id),
    GITHUB_TRIGGERING_ACTOR: actor.login,
    GITHUB_EVENT_NAME: context.name,
    GITHUB_SHA: context.sha,
    GITHUB_REF: context.ref,
    GITHUB_REF_NAME: context.refName,
    GITHUB_REF_TYPE: 'branch',
    GITHUB_REF_PROTECTED: 'false',
    GITHUB_HEAD_REF: context.headRef,
    GITHUB_BASE_REF: context.baseRef,
    RUNNER_OS: 'Linux',
    RUNNER_ARCH: 'X64',
    RUNNER_NAME: 'GitHub Actions 1',
    RUNNER_ENVIRONMENT: 'github-hosted',
  };
}

/** The files that a runner makes for a step, empty but for the event. */
async function runnerFiles(directory: string, { payload }: EventContext): Promise<Record<string, string>> {
  const workspace = join(directory, 'workspace');
  const temp = join(directory, 'temp');
  const commands = join(temp, '_runner_file_commands');
  for (const each of [workspace, commands, join(temp, '_github_workflow')]) await mkdir(each, { recursive: true });
  const files = {
    GITHUB_OUTPUT: join(commands, 'set_output'),
    GITHUB_STATE: join(commands, 'save_state'),
    GITHUB_STEP_SUMMARY: join(commands, 'step_summary'),
    GITHUB_ENV: join(commands, 'set_env'),
    GITHUB_PATH: join(commands, 'add_path'),
  };
  for (const path of Object.values(files)) await writeFile(path, '');
  const eventPath = join(temp, '_github_workflow', 'event.json');
  await writeFile(eventPath, JSON.stringify(payload, null, 2));
  return {
    ...files,
    GITHUB_EVENT_PATH: eventPath,
    GITHUB_WORKSPACE: workspace,
    RUNNER_TEMP: temp,
    RUNNER_TOOL_CACHE: join(directory, 'tools'),
  };
}

const ActionFile = z.looseObject({
  inputs: z.record(z.string(), z.looseObject({ default: z.coerce.string().default('') })).default({}),
});

/** INPUT_* for every input of action.yml, as the runner sets them: upper case, dashes kept. */
async function inputVariables(
  { actionDirectory, inputs = {} }: ActionJob,
  token: string,
): Promise<Record<string, string>> {
  const declared = ActionFile.parse(parse(await readFile(join(actionDirectory, 'action.yml'), 'utf8'))).inputs;
  const variables: Record<string, string> = {};
  for (const [name, { default: byDefault }] of Object.entries(declared)) {
    const value = inputs[name] ?? byDefault;
    variables[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`] = value.replaceAll(
      /\$\{\{\s*github\.token\s*\}\}/g,
      token,
    );
  }
  for (const name of Object.keys(inputs)) {
    if (declared[name] === undefined) throw new Error(`action.yml has no input "${name}"`);
  }
  return variables;
}

/** The claims of the job's OIDC token. */
function claimsOf({ runId, attempt, context, repo, actor }: Run): Record<string, unknown> {
  const subject = context.name === 'pull_request' ? 'pull_request' : `ref:${context.ref}`;
  return {
    sub: `repo:${repo.full_name}:${subject}`,
    repository: repo.full_name,
    repository_id: String(repo.id),
    repository_owner: repo.owner.login,
    repository_owner_id: String(repo.owner.id),
    repository_visibility: repo.private ? 'private' : 'public',
    run_id: String(runId),
    run_number: '1',
    run_attempt: String(attempt),
    event_name: context.name,
    ref: context.ref,
    ref_type: 'branch',
    ref_protected: 'false',
    sha: context.sha,
    head_ref: context.headRef,
    base_ref: context.baseRef,
    actor: actor.login,
    actor_id: String(actor.id),
    workflow: 'Proofmark',
    workflow_ref: `${repo.full_name}/${workflow}@${context.ref}`,
    workflow_sha: context.sha,
    job_workflow_ref: `${repo.full_name}/${workflow}@${context.ref}`,
    job_workflow_sha: context.sha,
    runner_environment: 'github-hosted',
  };
}
