import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandIn, copyProject } from '../try-proofmark.fixture.ts';

/** An agent behind a door, which counts what it is asked. */
async function openEcho() {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    request
      .resume()
      .on('end', () => response.end(JSON.stringify({ text: `You said: ${String(request.headers.question)}` })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const suite = (url: string, word: string) => `name: Echo
agent:
  name: Echo
  instructions: x
  driver: { type: http, url: "${url}", headers: { Question: { $from: input } }, mapping: { request: {}, response: text } }
cases_from:
  file: rows.csv
  name: "{{q}}"
  case: { input: "{{q}}", expected_behavior: { checks: [{ type: contains_phrases, phrases: ["${word}"] }] } }
`;

test('changing one check and rescoring 1,000 stored answers asks no agent, and tells which verdicts changed', async () => {
  await using project = await copyProject();
  const { folder } = project;
  await using echo = await openEcho();
  const rows = Array.from({ length: 1000 }, (_, row) => `question ${row}`);
  await writeFile(join(folder, 'rows.csv'), ['q', ...rows].join('\n'));
  await writeFile(join(folder, 'proofmark.yaml'), '{}');
  await writeFile(join(folder, 'echo.suite.yaml'), suite(echo.url, 'question'));
  const first = await commandIn(folder, ['run']);
  expect(first.stdout).toContain('Echo: 1000 of 1000 passed (100%)');
  const [runId = ''] = await readdir(join(folder, 'results'));
  expect(echo.asked()).toBe(1000);
  await writeFile(join(folder, 'echo.suite.yaml'), suite(echo.url, 'question 99'));

  const { code, stdout } = await commandIn(folder, ['rescore', runId]);
  expect(stdout).toContain(
    `\n1000 stored answers of ${runId} were judged anew; no agent was asked.\n989 verdicts changed:\n`,
  );
  expect(stdout).toContain('  Echo › question 0   passed → failed\n');
  expect(stdout).toContain('  and 969 more\n');
  expect(stdout).toContain('Echo: 11 of 1000 passed (1.1%), 989 failed');
  expect(echo.asked()).toBe(1000);
  expect(code).toBe(1);

  const runs = await readdir(join(folder, 'results'));
  const own = runs.find((name) => name !== runId) ?? '';
  expect(JSON.parse(await readFile(join(folder, 'results', own, 'run.json'), 'utf8'))).toMatchObject({
    rescored_from: runId,
  });
  const report = JSON.parse((await commandIn(folder, ['report', own, '--json'])).stdout);
  expect(report.environment).toMatchObject({ rescored_from: runId });
  // One that was rescored is a run like others: its answers are judged once more.
  const again = JSON.parse((await commandIn(folder, ['rescore', 'last', '--filter', '99', '--json'])).stdout);
  expect(again).toMatchObject({ rescored: { run_id: own, answers: 19, left: 0, changed: [] } });
});

describe('rescore', () => {
  test('leaves out what was asked otherwise, and says so', async () => {
    await using project = await copyProject('shop');
    const { folder } = project;
    await commandIn(folder, ['run', '--repetitions', '2']);
    const path = join(folder, 'evals/hours.suite.yaml');
    await writeFile(path, (await readFile(path, 'utf8')).replace('When are you open?', 'Are you open?'));
    const { stdout, stderr } = await commandIn(folder, ['rescore', 'last']);
    expect(stdout).toMatch(/^\n4 stored answers of \d{8}-/);
    expect(stdout).toContain('; 2 could not be, their questions are others now or their texts were cut.\n');
    expect(stdout).toContain('Every verdict is as it was.\n');
    expect(stderr).toContain('the question has changed since it was answered');
    const report = await commandIn(folder, ['report', 'last/01']);
    expect(report.stdout).toContain(
      '2 of 4 tests were not run, because the question has changed since it was answered',
    );
  });

  test.each([
    [['rescore'], 'Name a run, or `last`.'],
    [['rescore', 'none'], 'There is no run none in results.'],
    [['rescore', 'evals'], 'holds no run that has ended (run.json is missing)'],
  ])('%j is wrong usage', async (args, message) => {
    await using project = await copyProject('shop');
    const { code, stderr } = await commandIn(project.folder, args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('a run has many names', () => {
  test('its id, its folder, `last`, the number of a suite run and that of a repetition', async () => {
    await using project = await copyProject('shop');
    const { folder } = project;
    await commandIn(folder, ['run', '--repetitions', '2']);
    const [runId = ''] = await readdir(join(folder, 'results'));
    const total = async (name: string) => {
      const { stdout, stderr } = await commandIn(folder, ['report', name, '--json']);
      const reports = stdout === '' ? stderr : JSON.parse(stdout);
      return [reports].flat().map((one) => one.summary?.total_tests ?? one);
    };
    for (const name of [runId, `results/${runId}`, join(folder, 'results', runId), 'last']) {
      expect(await total(name)).toEqual([4, 2]);
    }
    expect(await total(`${runId}/01`)).toEqual([4]);
    expect(await total('last/01#2')).toEqual([2]);
    expect(await total('last/01#3')).toEqual([expect.stringContaining('no result of repetition 3 is in it')]);
    const compared = await commandIn(folder, ['compare', 'last/01#1', 'last/01#2', '--json']);
    expect(JSON.parse(compared.stdout).compared).toMatchObject([{ suite: 'Hours', verdict: { head_pass_rate: 100 } }]);
    const gated = await commandIn(folder, ['run', 'evals/hours.suite.yaml', '--compare', `${runId}/01`]);
    expect(gated.stdout).toContain('Hours: ');
    expect(gated.code).toBe(0);
    const replayed = await commandIn(folder, ['replay', `${runId}/02#2`]);
    expect(replayed.stdout).toContain(`${runId}/02-refunds/Refund time#2`);
    expect((await commandIn(folder, ['replay', `${runId}/02/Refund time#1`])).code).toBe(0);
    expect((await commandIn(folder, ['replay', `${runId}/01#2`])).stderr).toContain('has 2 test runs. Name one:');
  });

  test('--only-failed runs what did not pass, and nothing when all did; --filter searches names', async () => {
    await using project = await copyProject('shop');
    const { folder } = project;
    await commandIn(folder, ['run']);
    const [first = ''] = await readdir(join(folder, 'results'));
    const failed = await commandIn(folder, ['run', '--only-failed']);
    expect(failed.stderr).toContain('1 case is chosen.\n');
    expect(failed.stdout).toMatch(/^\nRefunds: 0 of 1 passed/);
    const path = join(folder, 'evals/refunds.suite.yaml');
    await writeFile(path, (await readFile(path, 'utf8')).replace('30 days', '14 days'));
    expect((await commandIn(folder, ['run', '--only-failed', first, 'evals'])).code).toBe(0);
    const nothing = await commandIn(folder, ['run', 'evals', '--only-failed']);
    expect([nothing.code, nothing.stderr]).toEqual([0, 'Everything passed in last: there is nothing to run again.\n']);
    const filtered = await commandIn(folder, ['run', '--filter', 'REF*ti', '--json']);
    expect(JSON.parse(filtered.stdout).suite_runs).toMatchObject([{ suite: 'Refunds', passed: 1 }]);
    const none = await commandIn(folder, ['run', '--filter', 'nothing like it']);
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining("No case has 'nothing like it' in its name."),
    ]);
    const unknown = await commandIn(folder, ['run', '--only-failed=other']);
    expect(unknown.stderr).toContain('--only-failed: there is no run other in results.');
  });

  test('--only-failed runs also what a run that was cut short has no result of', async () => {
    await using project = await copyProject('shop');
    const { folder } = project;
    await commandIn(folder, ['run', 'evals/hours.suite.yaml', '--filter', '*', '--repetitions', '2']);
    const [first = ''] = await readdir(join(folder, 'results'));
    const chosen = async (name: string) => {
      const { code, stderr } = await commandIn(folder, ['run', '--only-failed', name, 'evals', '--json']);
      return [code, stderr.split('\n')[0]];
    };
    // A draft that was named has no result, and misses none.
    expect(await chosen(first)).toEqual([0, `Everything passed in ${first}: there is nothing to run again.`]);
    const path = join(folder, 'results', first, '01-hours/results.jsonl');
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    const isOf = (line: string) =>
      /"case_name":"Anything else".*"repetition":2|"repetition":2.*"case_name":"Anything else"/.test(line);
    await writeFile(path, `${lines.filter((line) => !isOf(line)).join('\n')}\n`);
    expect(await chosen(first)).toEqual([0, '1 case is chosen.']);
    expect(await chosen(`${first}/01#2`)).toEqual([0, '1 case is chosen.']);
    expect((await chosen(`${first}/01#1`))[1]).toContain('Everything passed in ');
    await rm(path);
    expect(await chosen(first)).toEqual([0, '2 cases are chosen.']);
    expect(await chosen(`${first}/01#3`)).toEqual([2, expect.stringContaining('no results of repetition 3')]);
  });
});

test('results that somebody has changed are refused at their byte, by a sentence and without a trace', async () => {
  await using project = await copyProject('shop');
  const { folder } = project;
  await commandIn(folder, ['run', 'evals/hours.suite.yaml']);
  const [run = ''] = await readdir(join(folder, 'results'));
  const path = join(folder, 'results', run, '01-hours/results.jsonl');
  const whole = await readFile(path, 'utf8');
  const [first = ''] = whole.split('\n');
  const pit = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  for (const [text, at] of [
    [`{"a":\n${whole}`, 0],
    [`${whole}\0\n`, Buffer.byteLength(whole)],
    [`${first}\n${pit}\n${whole.slice(first.length + 1)}`, first.length + 1],
    [`{"part":0,"value":${pit}}\n${whole}`, 0],
    [whole.replace('"status":"passed"', '"status":"splendid"'), null],
    [`${'x'.repeat(10_000_000)}\n${whole}`, 0],
  ] as const) {
    await writeFile(path, text);
    const { code, stdout, stderr } = await commandIn(folder, ['rescore', run]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`holds something else than results at byte ${at ?? ''}`);
    expect(stderr.length).toBeLessThan(500);
  }
  await writeFile(path, whole);
  expect((await commandIn(folder, ['rescore', run])).code).toBe(0);
  expect((await commandIn(folder, ['rescore', '../../etc'])).code).toBe(2);
});
