import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ABSession } from '@proofmark/contracts/ab-session';
import { describe, expect, test } from 'vitest';
import { commandIn, copyProject, inProcess, proofmark, startProofmark } from '../try-proofmark.fixture.ts';

const candidate = ['--candidate', 'agents/brief.agent.yaml'];
const sessionFile = async (folder: string, id: string): Promise<ABSession> =>
  ABSession.parse(JSON.parse(await readFile(join(folder, `results/session__${id}.json`), 'utf8')));

describe('ab', () => {
  test('S3-01 S3-04 S3-08 S3-101 a suite is asked of both agents, and the session is a JSON and a CSV file', async () => {
    await using project = await copyProject('shop');
    const { code, stdout, stderr } = await proofmark(project.folder, 'ab', ...candidate, '--session', 'first');
    expect(stderr).toMatch(/1\/3 {2}answered {2}Hours › Business hours {2}[\d.]+% (faster|slower) {2}\(passed\)\n/);
    expect(stderr).toContain(
      'ERROR     Refunds › Refund time  (failed → error)\n         candidate: the model is overloaded\n',
    );
    expect(stdout).toContain('first: 3 questions in');
    expect(stdout).toContain('2 answered by both sides  ended\n');
    expect(code).toBe(3);
    const session = await sessionFile(project.folder, 'first');
    expect(session).toMatchObject({
      baseline_model: 'Shop agent',
      candidate_model: 'Brief agent',
      llms_source_path: 'agents/brief.agent.yaml',
      environment: { node: process.version, os: expect.any(String), strategy: 'alternating' },
    });
    const csv = await readFile(join(project.folder, 'results/session__first.csv'), 'utf8');
    expect(csv.split('\r\n').map((line) => line.split(',')[0])).toEqual([
      ...['question', 'When are you open?', 'Can I bring my dog?', 'How long does a refund take?', ''],
    ]);
    expect(
      (await readdir(join(project.folder, 'results/first'))).filter((name) => name.startsWith('first__')),
    ).toHaveLength(3);
  });

  test('S3-05 S3-82 S3-83 S3-84 one case is enough, and a session that is not named has a name of its own', async () => {
    await using project = await copyProject('shop');
    const args = ['ab', ...candidate, '--case', 'Business hours', '--json'];
    const { code, stdout } = await commandIn(project.folder, args);
    expect(code).toBe(0);
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({
      test_count: 1,
      success_rate: 1,
      notes: '',
      execution_stats: { total_invocations: 2 },
    });
    expect(answer.duration_ms).toBe(Date.parse(answer.end_time) - Date.parse(answer.start_time));
    await commandIn(project.folder, args);
    const { sessions } = JSON.parse((await commandIn(project.folder, ['sessions', 'list', '--json'])).stdout);
    expect(sessions).toHaveLength(2);
  });

  test('S3-05 S3-32 a question of no suite is asked of both, noted as it was typed, and judged by nobody', async () => {
    await using project = await copyProject('shop');
    await rm(join(project.folder, 'evals'), { recursive: true });
    const questions = ['--ask', 'When are you open?', '--ask', 'Do you {{sell}} hats?', '--metadata', 'category=hours'];
    const sides = ['--baseline', 'agents/shop.agent.yaml', ...candidate];
    const { code, stdout, stderr } = await commandIn(project.folder, ['ab', ...questions, ...sides, '--json']);
    expect(stderr).toMatch(/1\/2 {2}answered {2}Asked › Question 1 {2}[\d.]+% (faster|slower)\n/);
    expect(code).toBe(0);
    const { results, test_count } = JSON.parse(stdout);
    expect(test_count).toBe(2);
    expect(results[0]).toMatchObject({
      question: 'When are you open?',
      baseline: { response: 'We are open from 9 to 17.' },
      candidate: { response: '9 to 17.' },
      metadata: { category: 'hours', suite: 'Asked', order: 'baseline_first' },
    });
    expect(results[0].metadata).not.toHaveProperty('candidate_status');
    expect(results[1].question).toBe('Do you {{sell}} hats?');
  });

  test('S3-05 without an agent file the one suite says whom to ask, and with none or two it is not guessed', async () => {
    await using project = await copyProject('shop');
    const args = ['--ask', 'When?', '--candidate-var', 'Temperature=1'];
    const one = await commandIn(project.folder, ['ab', 'evals/hours.suite.yaml', ...args, '--json']);
    expect([one.code, JSON.parse(one.stdout).results.length]).toEqual([0, 1]);
    const two = await commandIn(project.folder, ['ab', ...args]);
    expect(two).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Say whom to ask: there are 2 suites here.'),
    });
    await rm(join(project.folder, 'evals'), { recursive: true });
    const none = await commandIn(project.folder, ['ab', ...args]);
    expect(none).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Say whom to ask: there is no suite here.'),
    });
  });

  test('S3-21 S3-32 S3-35 S3-38 S3-40 S3-72 S3-110 what seed 003 computes, how it was tried and what a case notes reach JSON, CSV, terminal and page', async () => {
    await using project = await copyProject('shop');
    const suite = join(project.folder, 'evals/hours.suite.yaml');
    const text = await readFile(suite, 'utf8');
    await writeFile(
      suite,
      text.replace(/( *)(- name: Business hours\n)/, '$1$2$1  metadata: { category: opening, case: mine }\n'),
    );
    const tries = ['--backoff-factor', '3', '--max-attempts', '2'];
    const args = ['ab', ...candidate, '--case', 'Business hours', ...tries, '--session', 's', '--json'];
    const session = JSON.parse((await commandIn(project.folder, args)).stdout);
    expect(session.environment).toMatchObject({ max_attempts: '2', initial_delay_ms: '100', backoff_factor: '3' });
    const [result] = session.results;
    const { baseline, candidate: other } = result;
    const change = ((other.latency_ms - baseline.latency_ms) / baseline.latency_ms) * 100;
    expect(result).toMatchObject({
      token_overhead_pct: 0,
      latency_improvement_pct: change,
      latency_change_pct: change,
      response_length_ratio: '9 to 17.'.length / 'We are open from 9 to 17.'.length,
      both_successful: true,
      baseline: { tokens_per_ms: 0, success: true },
      metadata: { category: 'opening', case: 'Business hours' },
    });
    const csv = (await commandIn(project.folder, ['sessions', 'show', 's', '--format', 'csv'])).stdout.split('\r\n');
    const row = Object.fromEntries(csv[0]?.split(',').map((name, at) => [name, csv[1]?.split(',')[at]]) ?? []);
    expect(row).toMatchObject({
      ...{ latency_improvement_pct: change.toFixed(2), both_successful: 'true', metadata_category: 'opening' },
      ...{ metadata_case: 'Business hours', backoff_factor: '3' },
    });
    const shown = (await commandIn(project.folder, ['sessions', 'show', 's'])).stdout.replaceAll(/\s+/g, ' ');
    expect(shown).toContain(`latency_improvement_pct: ${change.toFixed(2)},`);
    expect(shown).toContain('metadata.category: opening');
    expect(shown).toContain('tries 2, pause 100 ms, backoff_factor 3');
    const page = (await commandIn(project.folder, ['report', 'results/session__s.json', '--format', 'html'])).stdout;
    expect(page).toContain(`<dt>latency_improvement_pct</dt><dd><bdi>${change.toFixed(2)}</bdi></dd>`);
    expect(page).toContain('<dt>category</dt><dd><bdi>opening</bdi></dd>');
    expect(page).toMatch(/backoff_factor<[^0-9]*3</);
  });

  test('S3-57 S3-84 a killed process loses nothing that was answered, and --resume asks the rest', async () => {
    await using project = await copyProject('paced');
    const args = ['ab', '--candidate-var', 'Temperature=1', '--session', 'killed'];
    const { child, ended } = startProofmark(project.folder, args);
    child.stderr.on('data', (chunk: Buffer) => {
      if (chunk.includes('1/3')) child.kill('SIGKILL');
    });
    expect((await ended).code).toBeNull();
    const shown = JSON.parse((await commandIn(project.folder, ['sessions', 'show', 'killed', '--json'])).stdout);
    expect(shown).toMatchObject({ end_time: null, test_count: 1, results: [{ question: 'First question' }] });
    const resumed = await commandIn(project.folder, ['ab', '--resume', 'killed']);
    expect(resumed.stderr).not.toContain('Paced › One');
    expect(resumed.code).toBe(0);
    const session = await sessionFile(project.folder, 'killed');
    expect(session.results.map(({ question }) => question)).toEqual([
      ...['First question', 'Second question', 'Third question'],
    ]);
    expect(session.results[0]?.timestamp).toBe(shown.results[0].timestamp);
  });

  test('after Ctrl-C it says how to go on', async () => {
    await using project = await copyProject('paced');
    const { child, ended } = startProofmark(project.folder, [
      'ab',
      '--candidate-var',
      'Temperature=1',
      '--session',
      's',
    ]);
    child.stderr.on('data', (chunk: Buffer) => {
      if (chunk.includes('1/3')) child.kill('SIGINT');
    });
    const { code, stdout } = await ended;
    expect(stdout).toContain('Go on with it: proofmark ab --resume s\n');
    expect(code).toBe(130);
  });

  test('a session that goes on is refused to a second process, and a folder of its own is named in the line to type', async () => {
    await using project = await copyProject('paced');
    const args = ['ab', '--candidate-var', 'Temperature=1', '--session', 's', '--results', 'my results'];
    const first = startProofmark(project.folder, args);
    first.child.stderr.on('data', (chunk: Buffer) => {
      if (chunk.includes('1/3')) first.child.kill('SIGINT');
    });
    expect((await first.ended).stdout).toContain("Go on with it: proofmark ab --resume s --results 'my results'\n");
    const resume = ['ab', '--resume', 's', '--results', 'my results'];
    const { child, ended } = startProofmark(project.folder, resume);
    await new Promise((resolve) => child.stderr.once('data', resolve));
    // It stands still, so that it has not ended before the second one asks.
    child.kill('SIGSTOP');
    const second = await commandIn(project.folder, resume);
    child.kill('SIGCONT');
    expect(second.stderr).toContain(
      `proofmark ab: s is being run by process ${child.pid}: wait for its end, or end it.\n`,
    );
    expect([second.code, (await ended).code]).toEqual([2, 0]);
  });

  test('a document that was changed since the start is named, and what is left is not asked with another one', async () => {
    // A project below the folder in which it is typed: going on, nobody names it again.
    await using project = await copyProject();
    await cp(fileURLToPath(new URL('../../fixtures/paced', import.meta.url)), join(project.folder, 'below'), {
      recursive: true,
    });
    await writeFile(join(project.folder, 'below/proofmark.yaml'), 'suites: ["evals/*.suite.yaml"]\n');
    const suite = join(project.folder, 'below/evals/paced.suite.yaml');
    const text = await readFile(suite, 'utf8');
    await writeFile(suite, text.replaceAll('question, exp', 'question, files: [{ path: a.txt, type: text }], exp'));
    await writeFile(join(project.folder, 'below/a.txt'), 'first');
    const args = ['ab', 'below', '--candidate-var', 'Temperature=1', '--session', 's', '--json'];
    const { child, ended } = startProofmark(project.folder, args);
    child.stderr.on('data', (chunk: Buffer) => {
      if (chunk.includes('1/3')) child.kill('SIGINT');
    });
    expect((await ended).stderr).toContain('Go on with it: proofmark ab --resume s\n');
    await writeFile(join(project.folder, 'below/a.txt'), 'second');
    const changed = await commandIn(project.folder, ['ab', '--resume', 's']);
    expect(changed.stderr).toContain(
      's cannot go on, because this has changed since it was started: a.txt holds something else.\n',
    );
    expect(changed.code).toBe(2);
    await writeFile(join(project.folder, 'below/a.txt'), 'first');
    expect((await commandIn(project.folder, ['ab', '--resume', 's'])).code).toBe(0);
  });

  test('S3-73 a folder that cannot be written is told in one line', async () => {
    await using project = await copyProject('shop');
    await writeFile(join(project.folder, 'results'), 'a file');
    const { code, stderr } = await commandIn(project.folder, ['ab', ...candidate]);
    expect(stderr).toMatch(/^proofmark ab: The session cannot be started: .*\n$/);
    expect(code).toBe(3);
  });

  test.each([
    [['ab'], 'Say what the candidate is'],
    [['ab', '--resume', 'x'], 'There is no session x.'],
    [['ab', '--resume', 'x', '--case', 'y'], 'leave out --case'],
    [['ab', '--resume', 'x', 'evals'], 'leave out the paths'],
    [
      ['ab', ...candidate, '--concurrent', '--randomize-order'],
      'asks both at once, so there is no order: leave out --randomize-order.',
    ],
    [['ab', ...candidate, '--session', '../x'], '--session: must be letters'],
    [['ab', '--candidate', 'agents/none.yaml'], 'there is no file `agents/none.yaml`'],
    [['ab', '--candidate', '../none.yaml'], 'lies outside of'],
    [['ab', '--candidate-var', 'Temperature'], '--candidate-var NAME=VALUE'],
    [['ab', ...candidate, '--baseline-first', '--order-seed', 'x'], 'fixes the order: leave out --order-seed'],
    [['ab', ...candidate, '--ask', 'x', '--case', 'y'], 'asks no case of a suite: leave out --case'],
    [['ab', ...candidate, '--ask', 'x', '--metadata', 'y'], '--metadata NAME=VALUE'],
    [['ab', ...candidate, '--backoff-factor', '0.5'], '--backoff-factor: must be a number from 1 to 10'],
    [['ab', ...candidate, '--max-attempts', '0'], '--max-attempts: must be a whole number from 1'],
  ])('%j is refused with what to do', async (args, message) => {
    const { code, stderr } = await inProcess('shop', args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

describe('sessions', () => {
  const document = {
    session_id: 'old',
    start_time: '2026-01-01T00:00:00Z',
    end_time: '2026-01-01T00:00:02.500Z',
    baseline_model: 'a\u{1b}[31m',
    docstratum_model: 'b',
    results: [],
  };
  const withSession = async (...args: string[]) => {
    await using project = await copyProject();
    await mkdir(join(project.folder, 'results'));
    await writeFile(join(project.folder, 'results/session__old.json'), JSON.stringify(document));
    const ended = await commandIn(project.folder, ['sessions', ...args]);
    return { ...ended, session: await sessionFile(project.folder, 'old') };
  };

  test('S3-10 S3-91 S3-92 S3-93 a session of another tool is shown with what can be computed from it', async () => {
    const { stdout } = await withSession('show', 'old', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      candidate_model: 'b',
      duration_ms: 2500,
      test_count: 0,
      success_rate: 0,
    });
    expect((await withSession('show', 'old')).stdout).toContain(
      'old: 0 questions in 2.5s, 0 answered by both sides  ended\n',
    );
  });

  test('what a file says obeys no terminal', async () => {
    expect((await withSession('list')).stdout).toContain('a\\u{001B}[31m');
    expect((await withSession('show', 'old')).stdout).not.toContain('\u{1b}');
  });

  test('S3-90 notes can be changed', async () => {
    expect((await withSession('note', 'old', 'better', 'prompt')).session.notes).toBe('better prompt');
  });

  test('S3-106 an unknown session is told, and none at all is no error', async () => {
    expect(await withSession('show', '../old')).toMatchObject({ code: 2 });
    expect((await withSession('show', 'new')).stderr).toContain('There is no session new, and no run of that id.');
    expect((await withSession('list', '--results', 'elsewhere')).stdout).toBe(
      'No sessions. `proofmark ab` makes one.\n',
    );
  });
});
