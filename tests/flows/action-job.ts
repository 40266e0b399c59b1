import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { inheritedEnvironment } from '../stack/environment.ts';
import { type ActionResult, runAction } from '../stack/github/run-action.ts';
import { repositoryRoot } from '../stack/processes.ts';
import { makeScratchDirectory } from '../stack/scratch-directory.ts';

export const headSha = 'a'.repeat(40);
export const baseSha = 'b'.repeat(40);
const mergeSha = 'c'.repeat(40);

export const suite = `name: Support agent
agent:
  name: Support
  driver: { type: scripted, replies: [{ reply: From 9 to 17 }] }
  instructions: Be nice.
cases:
  - name: Business hours
    input: When do you open?
    expected_behavior:
      mode: all
      checks:
        - { type: contains_phrases, phrases: ["9"] }
`;

const repository = { id: 4711, full_name: 'acme/shop', default_branch: 'main', owner: { id: 42, login: 'acme' } };

/** The payload of a pull request as GitHub sends it, in the parts that anybody reads. */
export function pullRequestEvent({ action = 'opened', headRepositoryId = 4711 as number | null, user = 'alice' } = {}) {
  return {
    action,
    number: 12,
    repository,
    sender: { login: user },
    pull_request: {
      number: 12,
      user: { login: user },
      title: '"; $(touch /tmp/owned) `id` ::set-output name=x::y',
      head: { sha: headSha, ref: 'worse', repo: headRepositoryId === null ? null : { id: headRepositoryId } },
      base: { sha: baseSha, ref: 'main', repo: { id: 4711 } },
    },
  };
}

export function pushEvent(branch: string) {
  return { ref: `refs/heads/${branch}`, before: null, after: headSha, commits: null, repository, installation: null };
}

type StepOptions = {
  eventName: string;
  payload: unknown;
  ref?: string;
  inputs?: Record<string, string>;
  /** Files of the checkout. */
  files?: Record<string, string>;
  env?: Record<string, string>;
};

export type Step = { environment: Record<string, string>; workspace: string; temp: string };

const ActionFile = z.looseObject({ inputs: z.record(z.string(), z.looseObject({ default: z.string() })) });

/** The environment and the files of a step that uses the Action, as a runner makes them, without any GitHub behind. */
export async function makeStep({ eventName, payload, ref, inputs = {}, files, env = {} }: StepOptions): Promise<Step> {
  const directory = await makeScratchDirectory('action');
  const workspace = join(directory, 'workspace');
  const temp = join(directory, 'temp');
  const all = { 'evals/support.suite.yaml': suite, ...files };
  for (const [path, text] of Object.entries(all)) await write(join(workspace, path), text);
  await mkdir(temp, { recursive: true });
  const commandFiles = {
    GITHUB_OUTPUT: join(temp, 'set_output'),
    GITHUB_STATE: join(temp, 'save_state'),
    GITHUB_STEP_SUMMARY: join(temp, 'step_summary'),
    GITHUB_ENV: join(temp, 'set_env'),
    GITHUB_PATH: join(temp, 'add_path'),
  };
  for (const path of Object.values(commandFiles)) await write(path, '');
  await write(join(temp, 'event.json'), JSON.stringify(payload));
  return {
    workspace,
    temp,
    environment: {
      ...inheritedEnvironment(),
      ...commandFiles,
      ...(await inputVariables(inputs)),
      GITHUB_EVENT_NAME: eventName,
      GITHUB_EVENT_PATH: join(temp, 'event.json'),
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'acme/shop',
      GITHUB_REPOSITORY_ID: '4711',
      GITHUB_RUN_ID: '8800000001',
      GITHUB_RUN_ATTEMPT: '2',
      GITHUB_SHA: eventName === 'pull_request' ? mergeSha : headSha,
      GITHUB_REF: ref ?? 'refs/pull/12/merge',
      GITHUB_ACTOR: 'alice',
      GITHUB_WORKSPACE: workspace,
      RUNNER_TEMP: temp,
      PROOFMARK_POLL_MS: '5',
      // Nobody is there: what is read of GitHub has to be missing without doing harm.
      GITHUB_API_URL: 'http://127.0.0.1:1',
      PROOFMARK_GITHUB_REREAD_MS: '1',
      PROOFMARK_GITHUB_WRITE_INTERVAL_MS: '1',
      ...env,
    },
  };
}

/** Runs the step: what the real bundle did with it. */
export async function runStep(options: StepOptions): Promise<ActionResult & Step> {
  const step = await makeStep(options);
  return { ...(await runAction(bundle('index'), step.environment)), ...step };
}

/** Where the bundles are, as a workflow would use them. */
export const bundle = (name: 'index' | 'post'): string => join(repositoryRoot, 'action/dist', `${name}.js`);

async function inputVariables(given: Record<string, string>): Promise<Record<string, string>> {
  const declared = ActionFile.parse(parse(await readFile(join(repositoryRoot, 'action/action.yml'), 'utf8'))).inputs;
  const unknown = Object.keys(given).find((name) => declared[name] === undefined);
  if (unknown !== undefined) throw new Error(`action.yml has no input ${unknown}`);
  return Object.fromEntries(
    Object.entries(declared).map(([name, { default: byDefault }]) => {
      const value = given[name] ?? byDefault.replace(/\$\{\{.*\}\}/, 'ghs_job-token-0123456789');
      return [`INPUT_${name.toUpperCase()}`, value];
    }),
  );
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
