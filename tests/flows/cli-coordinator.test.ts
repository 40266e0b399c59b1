import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ABSession } from '@proofmark/contracts/ab-session';
import { TestReport } from '@proofmark/contracts/test-report';
import { withoutTimes as withoutReportTimes } from '@proofmark/domain/without-times';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { receiveWebhooks } from '../../coordinator/src/alerts/receivers.fixture.ts';
import { type CliResult, runCli, startCli } from '../stack/run-cli.ts';
import { makeScratchDirectory } from '../stack/scratch-directory.ts';
import { typeCli } from '../stack/type-cli.ts';
import { testNouns } from './cli-nouns.ts';
import { patient, type RunningProduct, startRunningProduct } from './running-product.ts';

let running: RunningProduct;
let hooks: Awaited<ReturnType<typeof receiveWebhooks>>;
beforeAll(async () => {
  hooks = await receiveWebhooks();
  running = await startRunningProduct({ coordinatorEnv: { PROOFMARK_ALERT_URL_ALLOW: hooks.origin } });
});
// A test that broke off holds nobody else up.
afterEach(() => running.model.release());
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  await hooks?.[Symbol.asyncDispose]();
});

const check = (phrase: string) => `expected_behavior: { checks: [{ type: contains_phrases, phrases: ["${phrase}"] }] }`;
const shop = {
  'proofmark.yaml': 'ai_configurations:\n  desk: { provider: openai, model: scripted, api_key_env: OPENAI_API_KEY }\n',
  'evals/hours.suite.yaml': `name: Hours
agent: { name: Desk, instructions: "Help {{Temperature}}.", ai_configuration: desk }
cases:
  - { name: Closing, input: When do you close?, tags: [daily], ${check('17')} }
  - { name: Holidays, input: And on holidays?, difficulty: hard, files: [{ path: docs/holidays.csv, type: csv }], ${check('9')} }
`,
  'evals/refunds.suite.yaml': `name: Refunds
agent: { name: Desk, instructions: Help., ai_configuration: desk }
cases:
  - { name: Time, input: How long?, ${check('30 days')} }
  - { name: Draft, input: How long?, status: draft, ${check('9')} }
`,
  'docs/holidays.csv': 'day,hours\nSunday,none\n',
};

async function project(files: Record<string, string> = shop): Promise<string> {
  const folder = await makeScratchDirectory('cli');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** The lines of results files without what differs from run to run: ids, clocks, and the numbers of shared parts. */
async function keptLines(folder: string): Promise<unknown[]> {
  const files = (await readdir(folder, { recursive: true }))
    .filter((name) => name.endsWith('results.jsonl'))
    .toSorted();
  const lines: unknown[] = [];
  for (const file of files) {
    const text = await readFile(join(folder, file), 'utf8');
    const results = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const parts = new Map(results.flatMap(({ part, value }) => (part === undefined ? [] : [[part, value]])));
    for (const { run_id: _run, work, outcome, ...line } of results.filter(({ part }) => part === undefined)) {
      const { shared, seed: _seed, ...own } = work;
      const {
        startedAt: _start,
        executionTimeMs: _time,
        latencyMs: _latency,
        transcript,
        progress: _steps,
        ...came
      } = outcome;
      const whole = Object.entries(shared).map(([key, part]) => [key, parts.get(part)]);
      lines.push({
        ...line,
        file,
        ...own,
        ...Object.fromEntries(whole),
        turns: transcript.length,
        status: came.status,
        response: came.response,
        checks: came.checks,
      });
    }
  }
  return lines.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}

const there = () => ({ PROOFMARK_TOKEN: running.product.token, PROOFMARK_COORDINATOR: running.product.url });
const here = () => ({ OPENAI_API_KEY: 'sk-test-key-of-the-scripted-model', OPENAI_BASE_URL: running.model.url });
const coordinator = () => ['--coordinator', running.product.url];

describe('proofmark run --coordinator', patient, () => {
  test.each([
    ['what passes', ['evals/hours.suite.yaml'], 0],
    ['what fails', [], 1],
    ['a chosen case with a matrix', ['--case', 'Closing', '--matrix', 'Temperature=0,1', '--repetitions', '2'], 0],
  ])('prints the same summary with the same exit code for %s', async (_what, args, code) => {
    const folder = await project();
    const local = await runCli(['run', ...args], { folder, env: here() });
    const remote = await runCli(['run', ...args, ...coordinator()], { folder, env: there() });
    expect(remote.stdout.replace(/^Results: .*$/m, ''), remote.stderr).toBe(local.stdout.replace(/^Results: .*$/m, ''));
    expect([local.code, remote.code]).toEqual([code, code]);
    expect(remote.stderr).toMatch(/^Run [0-9a-f-]{36} was accepted: http:.*\/runs\/[0-9a-f-]{36}$/m);
    expect(remote.stderr).toMatch(/^(\d+)\/\1 test runs/m);
    const failed = /FAILED {3}Refunds › Time.*\n {9}contains_phrases: "30 days" missing\n/;
    expect(failed.test(remote.stderr)).toBe(code === 1);
  });

  test.each(['markdown', 'junit', 'csv'])('prints the same %s report', async (format) => {
    const folder = await project();
    const local = await typeCli(['run', '--format', format], { folder, env: here() });
    const remote = await typeCli(['run', '--format', format, ...coordinator()], { folder, env: there() });
    expect(withoutTimes(remote.stdout)).toBe(withoutTimes(local.stdout));
    expect(remote.stdout).toContain('Closing');
  });

  test('prints the same JSON report', async () => {
    const folder = await project();
    const local = await typeCli(['run', '--format', 'json'], { folder, env: here() });
    const remote = await typeCli(['run', '--format', 'json', ...coordinator()], { folder, env: there() });
    const reports = ({ stdout }: CliResult) => z.array(TestReport).parse(JSON.parse(stdout)).map(withoutReportTimes);
    expect(reports(remote)).toEqual(reports(local));
    expect(reports(local)).toHaveLength(2);
  });

  test('answers --json like a run in this process, and keeps reports that other commands read', async () => {
    const folder = await project();
    const local = JSON.parse((await typeCli(['run', '--json'], { folder, env: here() })).stdout);
    const remote = JSON.parse((await typeCli(['run', '--json', ...coordinator()], { folder, env: there() })).stdout);
    expect(forgetPlaces(remote)).toEqual(forgetPlaces(local));
    expect(remote.suite_runs[1].failed_cases).toEqual([
      { case: 'Time', line: 4, reason: 'contains_phrases: "30 days" missing' },
    ]);
    const report = await typeCli(['report', remote.folder], { folder });
    expect(report.stdout).toContain('"30 days" missing');
  });

  test('keeps every result as a run in this process does, so that the same commands read both', async () => {
    const folder = await project();
    const args = ['run', 'evals', '--repetitions', '2', '--json'];
    const local = JSON.parse((await typeCli(args, { folder, env: here() })).stdout);
    const remote = JSON.parse((await typeCli([...args, ...coordinator()], { folder, env: there() })).stdout);
    expect(await keptLines(remote.folder)).toEqual(await keptLines(local.folder));
    const compared = await typeCli(['compare', local.folder, remote.folder, '--json'], { folder });
    expect(JSON.parse(compared.stdout), compared.stderr).toMatchObject({
      compared: [
        { suite: 'Hours', verdict: { base_pass_rate: 100, head_pass_rate: 100, not_compared: { changed_cases: [] } } },
        { suite: 'Refunds', verdict: { base_pass_rate: 0, head_pass_rate: 0, not_compared: { changed_cases: [] } } },
      ],
    });
    const page = await typeCli(['report', remote.folder, '--format', 'html'], { folder });
    expect(page.stdout).toContain('No baseline yet');
    const replayed = await typeCli(['replay', `${remote.folder}/02-refunds/Time#2`], { folder, env: here() });
    expect(replayed.stdout, replayed.stderr).toContain('Refunds › Time #2  SAME\n');
    const resumed = await typeCli(['run', '--resume', remote.folder], { folder, env: here() });
    expect(resumed.stderr).toContain('was run by a coordinator, where it goes on by itself');
  });

  test('refuses an agent that is a program, which runs here without it (M13)', async () => {
    const agent = `import { createInterface } from 'node:readline';
for await (const _ of createInterface({ input: process.stdin })) console.log(JSON.stringify({ output: 'At 17' }));
`;
    const folder = await project({
      'evals/own.suite.yaml': `name: Own\nagent: ../own.agent.yaml\ncases:\n  - { name: Closing, input: When?, ${check('17')} }\n`,
      'own.agent.yaml': 'name: Own\ninstructions: Help.\ndriver: { type: command, command: [node, agent.mjs] }\n',
      'agent.mjs': agent,
    });
    const refused = await typeCli(['run', ...coordinator()], { folder, env: there() });
    expect(refused.code, refused.stderr).toBe(2);
    expect(refused.stderr).toContain(
      "own.agent.yaml:1:1 error forbidden_field: The agent 'Own' is a command: it runs where its repository is, and no coordinator starts it (at driver.type)",
    );
    const alone = await runCli(['run'], { folder, env: here() }); // a program starts in the folder of the process
    expect(alone.code, alone.stderr).toBe(0);
  });

  test('cancels the run at the coordinator at Ctrl-C and exits 130', async () => {
    const folder = await project();
    running.model.hold();
    const cli = startCli(['run', ...coordinator()], { folder, env: there() });
    await running.model.whenInFlight(1);
    cli.interrupt();
    const { code, stderr } = await cli.ended;
    running.model.release();
    expect([code, stderr.includes('Waiting for')], stderr).toEqual([130, false]);
    const [, id] = /Run (\S+) is cancelled\./.exec(stderr) ?? [];
    const stored = await running.rows('select status from runs where id = $1', [id]);
    expect(stored, stderr).toEqual([{ status: 'cancelled' }]);
  });

  test.each([
    ['without a token', { PROOFMARK_TOKEN: '' }, 2, 'PROOFMARK_TOKEN is not set'],
    ['with a token that is none', { PROOFMARK_TOKEN: 'pmk_nobody' }, 2, 'does not know the token of PROOFMARK_TOKEN'],
  ])('says what is wrong %s', async (_what, env, code, words) => {
    const ended = await typeCli(['run', ...coordinator()], { folder: await project(), env });
    expect(ended.stderr).toContain(words);
    expect(ended.code).toBe(code);
  });

  test('exits 3 when nobody is there, and 2 for an address to which no token is sent', async () => {
    const folder = await project();
    const env = { PROOFMARK_TOKEN: 'pmk_x', PROOFMARK_RETRY_MS: '3000' };
    const nobody = await typeCli(['run', '--coordinator', 'http://127.0.0.1:9'], { folder, env });
    expect([nobody.code, nobody.stderr]).toEqual([3, expect.stringContaining('No answer from http://127.0.0.1:9')]);
    // However often it was tried, it is told once.
    expect(nobody.stderr.match(/Trying again/g)).toHaveLength(1);
    const open = await typeCli(['run', '--coordinator', 'http://example.com'], { folder, env });
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining('must be an https URL')]);
  });
});

describe('proofmark cancel', patient, () => {
  test('ends a run once, and says when there is nothing to end', async () => {
    const folder = await project();
    running.model.hold();
    const cli = startCli(['run', ...coordinator()], { folder, env: there() });
    await running.model.whenInFlight(1);
    // It is noted as running soon after the first question.
    const [run] = await running.rows<{ id: string }>(`select id from runs where status in ('pending', 'running')`);
    const first = await typeCli(['cancel', run?.id ?? ''], { folder, env: there() });
    expect([first.code, first.stdout]).toEqual([0, `Run ${run?.id} is cancelled.\n`]);
    running.model.release();
    // Somebody else ended it: nothing was judged.
    expect(await cli.ended).toMatchObject({ code: 3, stderr: expect.stringContaining('No verdict: Hours: cancelled') });
    const again = await typeCli(['cancel', run?.id ?? '', '--json'], { folder, env: there() });
    expect([again.code, JSON.parse(again.stdout)]).toEqual([0, { run_id: run?.id, changed: false }]);
    const unknown = await typeCli(['cancel', '00000000-0000-4000-8000-000000000000'], { folder, env: there() });
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('NOT_FOUND')]);
  });
});

describe('proofmark replay of a test run that a coordinator has', patient, () => {
  /** The test run that fails in every run of the shop. */
  async function failedTestRun(folder: string): Promise<string> {
    const { stderr } = await typeCli(['run', 'evals/refunds.suite.yaml', ...coordinator()], { folder, env: there() });
    return /proofmark replay (\S+)/.exec(stderr)?.[1] ?? stderr;
  }

  test('repeats it here with local keys, from what the coordinator has stored', async () => {
    const folder = await project();
    const id = await failedTestRun(folder);
    const replayed = await typeCli(['replay', id], { folder: await project({}), env: { ...there(), ...here() } });
    expect(replayed.stdout, replayed.stderr).toContain(`Refunds › Time  SAME\n  ${id}\n`);
    expect(replayed.stdout).toMatch(/status +failed += {2}failed\n {2}check 1 contains_phrases +fail += {2}fail\n/);
    expect(replayed.stdout).toContain('answer, the same: We open at 9 and close at 17.');
    expect(replayed.code).toBe(0);
    const rows = await running.rows('select status from test_case_results where id = $1', [id]);
    expect(rows).toEqual([{ status: 'failed' }]);
  });

  test('gets no key from the coordinator, and says which one is missing', async () => {
    const folder = await project();
    const id = await failedTestRun(folder);
    const { data } = await running.ask('query ($id: UUID!) { testRun(id: $id) { work outcome } }', { id });
    expect(JSON.stringify(data)).toContain('"api_key_env":"OPENAI_API_KEY"');
    expect(JSON.stringify(data)).not.toContain('sk-test-key');
    const { code, stderr } = await typeCli(['replay', id], { folder, env: there() });
    expect([code, stderr]).toEqual([2, expect.stringContaining('desk: OPENAI_API_KEY is not')]);
  });

  test('lets its runners repeat exactly that test run, as a run of its own', async () => {
    const folder = await project();
    const matrix = ['--matrix', 'Temperature=0,1', '--repetitions', '2'];
    const run = await typeCli(['run', 'evals/refunds.suite.yaml', ...matrix, ...coordinator()], {
      folder,
      env: there(),
    });
    const [, id = ''] = /Temperature=1\] › Time #2\n.*\n *proofmark replay (\S+)/.exec(run.stderr) ?? [];
    const replayed = await typeCli(['replay', id, '--remote'], { folder: await project({}), env: there() });
    expect(replayed.stdout, replayed.stderr).toContain(`Refunds [Temperature=1] › Time #2  SAME\n  ${id}\n`);
    expect([replayed.code, replayed.stderr]).toEqual([0, expect.stringContaining('1/1 test runs')]);
    const seeds = await running.rows(
      `select p.seed, w.content -> 'model' ->> 'temperature' as temperature, c.id = $1 as old
       from planned_test_runs p join test_case_results c on c.id = p.test_run_id
       join work_contents w on w.tenant_id = p.tenant_id and w.hash = p.setting_hash
       where p.seed = (select seed from planned_test_runs where test_run_id = $1) and c.repetition = 2
         and c.case_name = 'Time' and w.content -> 'model' ->> 'temperature' = '1' order by old desc`,
      [id],
    );
    expect(seeds.map(({ old }) => old)).toEqual([true, false]);
    const inFile = await typeCli(['run', 'evals/refunds.suite.yaml'], { folder, env: here() });
    const [, place = ''] = /Results: results\/(\S+)/.exec(inFile.stdout) ?? [];
    const refused = await typeCli(['replay', `${place}/01-refunds/Time`, '--remote'], { folder, env: there() });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('this one is in a file')]);
  });

  test('says what there is not', async () => {
    const folder = await project();
    const unknown = await typeCli(['replay', '00000000-0000-4000-8000-000000000000'], { folder, env: there() });
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('knows no test run')]);
    running.model.hold();
    const cli = startCli(['run', ...coordinator()], { folder, env: there() });
    await running.model.whenInFlight(1);
    cli.interrupt();
    await cli.ended;
    running.model.release();
    const [never] = await running.rows<{ id: string }>(
      `select id from test_case_results where status = 'skipped' limit 1`,
    );
    const skipped = await typeCli(['replay', never?.id ?? ''], { folder, env: there() });
    expect([skipped.code, skipped.stderr]).toEqual([2, expect.stringContaining('was never run (')]);
  });
});

describe('proofmark ab --coordinator', patient, () => {
  const candidate = 'name: Brief desk\ninstructions: One word.\nai_configuration: desk\n';
  const sides = ['--candidate', 'brief.agent.yaml', '--candidate-var', 'Temperature=1', '--session'];

  test('C53 S3-10 asks both sides by its runners and keeps the files of a comparison made here', async () => {
    const folder = await project({ ...shop, 'brief.agent.yaml': candidate });
    const local = await typeCli(['ab', ...sides, 'here', '--no-warm-up', '--cache-reset-ms', '0'], {
      folder,
      env: here(),
    });
    const asked = running.model.requests.length;
    const remote = await typeCli(['ab', ...sides, 'there', ...coordinator()], { folder, env: there() });
    expect([local.code, remote.code], remote.stderr).toEqual([0, 0]);
    const sent = running.model.requests.slice(asked).map(({ body }) => JSON.stringify(body));
    // The same question once to each side, and to the candidate with its own words and values.
    expect(sent.filter((body) => body.includes('One word.') && body.includes('"temperature":1'))).toHaveLength(3);
    expect(sent.filter((body) => body.includes('Help') && body.includes('"temperature":0.7'))).toHaveLength(3);
    const read = async (id: string) =>
      ABSession.parse(JSON.parse(await readFile(join(folder, `results/session__${id}.json`), 'utf8')));
    const [mine, theirs] = [await read('here'), await read('there')];
    expect(theirs.environment).toMatchObject({ strategy: 'runners', coordinator: running.product.url });
    expect(theirs.end_time).not.toBeNull();
    expect(answers(theirs)).toEqual(answers(mine));
    const names = async (id: string) => (await readdir(join(folder, 'results', id))).map((name) => name.slice(0, 4));
    expect((await names('there')).filter((name) => name === 'ther')).toHaveLength(3);
    const csv = await readFile(join(folder, 'results/session__there.csv'), 'utf8');
    expect(csv.split('\r\n')).toHaveLength(5);
    const stats = JSON.parse(await readFile(join(folder, 'results/there/statistics.json'), 'utf8'));
    expect(stats).toMatchObject({ total_invocations: 6, successful_invocations: 6 });
  });

  test('C53 S3-10 GraphQL tells of it as a run whose suite runs have variants', async () => {
    const folder = await project({ ...shop, 'brief.agent.yaml': candidate.replace('Brief desk', 'Desk') });
    await typeCli(['run', 'evals/hours.suite.yaml', ...coordinator()], { folder, env: there() });
    const { code, stderr } = await typeCli(['ab', 'evals/hours.suite.yaml', ...sides, 's', ...coordinator()], {
      folder,
      env: there(),
    });
    expect(code, stderr).toBe(0);
    const [, id] = /Run (\S{36}) was accepted/.exec(stderr) ?? [];
    const { data } = await running.ask(
      'query ($id: UUID!) { run(id: $id) { status suiteRuns { variant agentName purpose passedCases verdict { word } } } }',
      { id },
    );
    expect(data?.run).toEqual({
      status: 'COMPLETED',
      suiteRuns: [
        { variant: 'BASELINE', agentName: 'Desk', purpose: 'FIRST', passedCases: 2, verdict: null },
        { variant: 'CANDIDATE', agentName: 'Desk', purpose: 'FIRST', passedCases: 2, verdict: expect.anything() },
      ],
    });
    // What was tried out is not what the agent of this name is from now on.
    const rows = await running.rows(`select definition ->> 'instructions' as said from agents where name = 'Desk'`);
    expect(rows).toEqual([{ said: 'Help {{Temperature}}.' }]);
  });

  test('refuses what only a process that asks by itself can do, a program as baseline, and a commit', async () => {
    const own = 'name: Own\ninstructions: Help.\ndriver: { type: command, command: [node, agent.mjs] }\n';
    const folder = await project({ ...shop, 'own.agent.yaml': own });
    const refused = async (...args: string[]) =>
      await typeCli(['ab', ...args, ...coordinator()], { folder, env: there() });
    expect(await refused('--candidate-var', 'Temperature=1', '--cache-reset-ms', '1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('to its runners: leave out --cache-reset-ms'),
    });
    expect(await refused('--baseline', 'own.agent.yaml')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("The agent 'Own' is a command"),
    });
    const input = {
      ...{ idempotencyKey: 'x', files: [{ path: 'a.suite.yaml', text: 'name: x' }], suitePaths: ['a.suite.yaml'] },
      ...{ trigger: { triggeredBy: 'CI', repositoryExternalId: '7' }, comparison: {} },
    };
    const { data } = await running.ask(
      'mutation ($input: StartRunInput!) { startRun(input: $input) { ... on InvalidInput { problems { path message } } } }',
      { input },
    );
    expect(data?.startRun).toEqual({
      problems: [{ path: 'comparison', message: expect.stringContaining('belongs to no commit') }],
    });
  });
});

/** What was asked and answered, whoever asked: without clocks, names of sessions and the order of calls. */
const answers = ({ baseline_model, candidate_model, results }: ABSession) => ({
  ...{ baseline_model, candidate_model },
  results: results
    .map(({ question, baseline, candidate, metadata: { order: _order, ...metadata } }) => ({
      question,
      metadata,
      sides: [baseline, candidate].map(({ latency_ms: _ms, timestamp: _at, ...said }) => said),
    }))
    .toSorted((a, b) => a.question.localeCompare(b.question)),
});

/** Times, durations and the machine differ from run to run. */
function withoutTimes(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\dZ]*/g, 'TIME')
    .replaceAll(/(time(stamp)?="|_ms": |: )[\d.]+( ?m?s)?/g, '$1N')
    .replaceAll(/\b[\d.]+ ?m?s\b/g, 'N')
    .replaceAll(/,(true|false),,\d+,/g, ',$1,,N,');
}

function forgetPlaces({ run_id: _run, folder: _folder, suite_runs, ...rest }: Record<string, unknown>) {
  const suiteRuns = Array.isArray(suite_runs) ? suite_runs : [];
  return { ...rest, suite_runs: suiteRuns.map(({ report, ...one }) => ({ ...one, hasReport: report !== null })) };
}

describe('what a coordinator has', patient, () => testNouns(() => ({ running, hooks })));
