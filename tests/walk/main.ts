// A stranger's walk: from an empty repository to a red check, by the very commands and the workflow of docs/first-pull-request.md.
// `--packages FOLDER`: a folder in which the packages are installed. Prints each step with the time that it took.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';
import { Narrator } from '../demo/narrate.ts';
import { inheritedEnvironment } from '../stack/environment.ts';
import { openPullRequest } from '../stack/github/pull-request.ts';
import { annotations, checkRuns, comments } from '../stack/github/read-back.ts';
import { createRepository, pushCommit } from '../stack/github/repository.ts';
import { type GithubServer, startGithub } from '../stack/github-server.ts';
import { repositoryRoot } from '../stack/processes.ts';
import { runJob } from '../stack/run-job.ts';

const { packages } = parseArgs({ options: { packages: { type: 'string' } } }).values;
if (packages === undefined) throw new Error('--packages FOLDER: where the packages are installed');

const narrator = new Narrator();
const directory = await mkdtemp(join(tmpdir(), 'proofmark-walk-'));
/** Inside of the folder, as npx finds the packages there. */
const folder = join(packages, 'walk');
const remote = join(directory, 'remote.git');

interface Ended {
  code: number;
  output: string;
}

async function walk(): Promise<void> {
  const commands = shellBlocks(await readFile(join(repositoryRoot, 'docs/first-pull-request.md'), 'utf8'));
  const [start = [], commit = [], compare = [], push = [], ...others] = commands;
  if (push.length === 0 || others.length > 0) throw new Error('The page has other blocks of commands than this walk');
  narrator.title('A repository of its own, with git and a place to push to');
  await mkdir(folder);
  for (const line of [
    `git init --quiet --bare ${remote}`,
    'git init --quiet -b main',
    `git remote add origin ${remote}`,
  ])
    await type(line, 0);

  narrator.title('On the machine of the stranger');
  for (const line of start) await type(line, 0);
  for (const line of commit) await type(line, 0);
  await narrator.step('17 becomes 18 in agents/support.agent.yaml', worsen);
  for (const line of compare) {
    const { output } = await type(line, 1);
    expectIn(output, await linesOfVerdict());
  }

  narrator.title('On GitHub');
  await using github = await startGithub({ isHeld: false });
  for (const line of push) await type(line, 0);
  await judgeOnGithub(github);
}

/** What is on the remote by now, on a GitHub: the jobs of its workflow run as they are written. */
async function judgeOnGithub(github: GithubServer): Promise<void> {
  const main = await filesAt('main');
  const { full_name: repository } = await createRepository(github, { name: 'stranger', withApp: false });
  const base = await pushCommit(github, { repository, branch: 'main', files: main, message: 'Test our agent' });
  const job = jobOf(main['.github/workflows/proofmark.yml'] ?? '');
  const run = (sha: string, event: Parameters<typeof runJob>[1]['event']) =>
    runJob(github, { ...job, directory, repository, sha, event, env: { OPENAI_API_KEY: '' } });
  const recorded = await narrator.step('the job of the push to main', () =>
    run(base, { name: 'push', branch: 'main' }),
  );
  if (recorded.exitCode !== 0) throw new Error(`The job on main is red:\n${recorded.log}`);

  const branch = 'worse';
  const sha = await pushCommit(github, {
    repository,
    branch,
    files: await filesAt(branch),
    message: 'Answer more freely',
  });
  const { number } = await openPullRequest(github, { repository, head: branch, title: 'Answer more freely' });
  const judged = await narrator.step('the job of the pull request', () => run(sha, { name: 'pull_request', number }));
  if (judged.exitCode !== 1)
    throw new Error(`The job of the pull request ended with ${judged.exitCode}:\n${judged.log}`);

  const checks = await checkRuns(github, repository, sha);
  const red = checks.filter(({ conclusion }) => conclusion === 'failure');
  const marks = (await Promise.all(checks.map(({ id }) => annotations(github, repository, id)))).flat();
  const written = await comments(github, repository, number);
  for (const { name, conclusion, output } of checks) narrator.say(`          ${name}: ${conclusion}, ${output.title}`);
  for (const { path, start_line, title } of marks) narrator.say(`          ${path}:${start_line} ${title}`);
  narrator.indent(written[0]?.body ?? '(no comment)');
  if (!red.some(({ name }) => name === 'proofmark')) throw new Error('The check proofmark is not red');
  if (!marks.some(({ path }) => path === 'evals/support.suite.yaml')) throw new Error('No line is marked');
  if (written.length !== 1) throw new Error(`${written.length} comments instead of one`);
  expectIn(written[0]?.body ?? '', ['Regressed', 'Business hours', '9 to 18', '9 to 17']);
}

/** What the page about verdicts shows of this very comparison; a line that it cuts ends with dots. */
async function linesOfVerdict(): Promise<string[]> {
  const page = await readFile(join(repositoryRoot, 'docs/read-a-verdict.md'), 'utf8');
  const [, shown = ''] = /^```\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const lines = shown.split('\n').map((line) => line.trim().replace(/ …$/, ''));
  if (!lines.some((line) => line.includes('REFUSED'))) throw new Error('The page about verdicts shows no refusal');
  return lines.filter((line) => line !== '');
}

/** The commands of each shell block of a page. */
const shellBlocks = (page: string): string[][] =>
  Array.from(page.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, block = '']) =>
    block.split('\n').filter((line) => line !== ''),
  );

/** Types a line as a person does, and ends where it ends otherwise than it should. */
async function type(line: string, expected: number): Promise<Ended> {
  const ended = await narrator.step(line.replace(remote, '…'), () => inShell(line));
  if (ended.code !== expected)
    throw new Error(`${line} ended with ${ended.code} instead of ${expected}:\n${ended.output}`);
  return ended;
}

/** Only the Node that runs this, a home and how a stranger is called. */
function inShell(line: string): Promise<Ended> {
  const who = { NAME: 'Stranger', EMAIL: 'stranger@example.com' };
  const git = Object.entries(who).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  const { CI: _ci, GITHUB_ACTIONS: _actions, ...inherited } = inheritedEnvironment();
  const env = {
    ...inherited,
    ...Object.fromEntries(git),
    HOME: directory,
    PATH: `${dirname(process.execPath)}:${inherited.PATH ?? ''}`,
  };
  return new Promise((resolve) => {
    execFile('sh', ['-c', line], { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr });
    });
  });
}

async function worsen(): Promise<void> {
  const path = join(folder, 'agents/support.agent.yaml');
  const text = await readFile(path, 'utf8');
  if (!text.includes('17')) throw new Error('The first agent does not say 17 any more');
  await writeFile(path, text.replaceAll('17', '18'));
}

/** The files of a branch as they were pushed. */
async function filesAt(branch: string): Promise<Record<string, string>> {
  const { output } = await inShell(`git --git-dir ${remote} ls-tree -r --name-only ${branch}`);
  const paths = output.split('\n').filter((path) => path !== '');
  const files = paths.map(async (path) => [
    path,
    (await inShell(`git --git-dir ${remote} show ${branch}:${path}`)).output,
  ]);
  return Object.fromEntries(await Promise.all(files));
}

const Workflow = z.looseObject({
  jobs: z.record(
    z.string(),
    z.looseObject({
      permissions: z.record(z.string(), z.string()),
      steps: z.array(z.looseObject({ uses: z.string(), with: z.record(z.string(), z.unknown()).optional() })),
    }),
  ),
});

/** What a workflow gives the Action: rights and inputs. */
function jobOf(workflow: string) {
  const [job] = Object.values(Workflow.parse(parse(workflow)).jobs);
  const step = job?.steps.find(({ uses }) => uses.includes('/proofmark/action@'));
  if (job === undefined || step === undefined) throw new Error('The workflow that init wrote does not use the Action');
  return { permissions: job.permissions, inputs: z.record(z.string(), z.string()).parse(step.with ?? {}) };
}

function expectIn(text: string, wanted: readonly string[]): void {
  const missing = wanted.filter((word) => !text.includes(word));
  if (missing.length > 0) throw new Error(`Missing: ${missing.join(', ')} in:\n${text}`);
}

try {
  await walk();
  narrator.say(`\nFrom nothing to a red check in ${narrator.elapsed} of machine time.`);
} finally {
  for (const path of [directory, folder]) await rm(path, { recursive: true, force: true });
}
