import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseReports } from '@proofmark/domain/parse-report';
import { withoutTimes } from '@proofmark/domain/without-times';
import { describe, expect, test } from 'vitest';
import { waitUntil } from '../../../tests/stack/wait-until.ts';
import { commandIn, copyProject, startProofmark } from '../try-proofmark.fixture.ts';

const paced = ['run', '--repetitions', '2', '--concurrency', '1'];

async function onlyRun(folder: string): Promise<string> {
  const [runId = ''] = (await readdir(join(folder, 'results'))).filter((name) => /^\d{8}-/.test(name));
  return runId;
}

/** Starts the command and sends the signal as soon as something is so. */
async function signalled(
  folder: string,
  signal: 'SIGKILL' | 'SIGINT',
  isTime: (stderr: string) => boolean | Promise<boolean>,
) {
  const { child, ended } = startProofmark(folder, paced);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  await waitUntil(() => isTime(stderr), { what: 'it is time for the signal', everyMs: 5, detail: () => stderr });
  child.kill(signal);
  return await ended;
}

const reportIn = async (folder: string, runId: string) => {
  const parsed = parseReports(await readFile(join(folder, 'results', runId, '01-paced/report.json'), 'utf8'));
  return parsed.ok ? parsed.reports.map(withoutTimes) : parsed;
};

describe('a killed run', () => {
  test('S3-57 goes on wherever it was killed, and gives the report of one that was not', async () => {
    await using whole = await copyProject('paced');
    await commandIn(whole.folder, paced);
    const undisturbed = await reportIn(whole.folder, await onlyRun(whole.folder));
    await using project = await copyProject('paced');
    const { folder } = project;
    const planned = async () =>
      existsSync(join(folder, 'results')) && existsSync(join(folder, 'results', await onlyRun(folder), 'plan.json'));
    expect((await signalled(folder, 'SIGKILL', planned)).code).toBeNull();
    const runId = await onlyRun(folder);
    const told: string[] = [];
    for (const sign of ['Paced › One  ', 'Paced › Three  ', 'Paced › Two #2']) {
      const { child, ended } = startProofmark(folder, ['run', '--resume', runId]);
      child.stderr.on('data', (chunk: Buffer) => {
        if (chunk.includes(sign)) child.kill('SIGKILL');
      });
      const { code, stderr } = await ended;
      expect(code).toBeNull();
      told.push(...(stderr.match(/Paced › .*? {2}/g) ?? []));
    }
    const { code, stdout, stderr } = await commandIn(folder, ['run', '--resume', 'last']);
    told.push(...(stderr.match(/Paced › .*? {2}/g) ?? []));
    expect(told.toSorted()).toEqual([...new Set(told)].toSorted());
    expect(stdout).toContain('Paced: 6 of 6 passed (100%)  accepted\n');
    expect(code).toBe(0);
    expect(await reportIn(folder, runId)).toEqual(undisturbed);
    expect(await readdir(join(folder, 'results'))).toEqual([runId]);
    expect((await readdir(join(folder, 'results', runId))).filter((name) => name.startsWith('lock'))).toEqual([]);
  });

  test('goes on once: a second process that wants to is told who does', async () => {
    await using project = await copyProject('paced');
    await signalled(project.folder, 'SIGKILL', (stderr) => stderr.includes('Paced › One'));
    const runId = await onlyRun(project.folder);
    const { child, ended } = startProofmark(project.folder, ['run', '--resume', runId]);
    await new Promise((resolve) => child.stderr.once('data', resolve));
    // It stands still, so that it has not ended before the second one asks.
    child.kill('SIGSTOP');
    const second = await commandIn(project.folder, ['run', '--resume', runId]);
    child.kill('SIGCONT');
    expect(second.stderr).toBe(
      `proofmark run: ${runId} is being run by process ${child.pid}: wait for its end, or end it\n`,
    );
    expect(second.code).toBe(2);
    expect((await ended).code).toBe(0);
  });

  test('after Ctrl-C the last line is what to type, and that is enough', async () => {
    await using project = await copyProject('paced');
    const { code, stdout } = await signalled(project.folder, 'SIGINT', (stderr) => stderr.includes('Paced › One'));
    expect(code).toBe(130);
    const runId = await onlyRun(project.folder);
    expect(stdout.endsWith(`Results: results/${runId}\nGo on with it: proofmark run --resume ${runId}\n`)).toBe(true);
    const resumed = await commandIn(project.folder, ['run', '--resume', runId, '--json']);
    expect(resumed.stderr).toMatch(/^Going on: \d of 6 test runs (is|are) kept \(\d passed\), \d to go\n/);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ run_id: runId, suite_runs: [{ passed: 6, skipped: 0 }] });
  });
});

describe('runs that are kept', () => {
  test('are listed beside sessions, and one that was killed says how it goes on and why it has no report', async () => {
    await using project = await copyProject('paced');
    const { folder } = project;
    await signalled(folder, 'SIGKILL', (stderr) => stderr.includes('Paced › One'));
    const killed = await onlyRun(folder);
    const report = await commandIn(folder, ['report', `results/${killed}`]);
    expect(report.stderr).toMatch(
      /has no report, because it was killed, or it still goes on: \d of 6 test runs ha(s|ve) a result\./,
    );
    expect(report.stderr).toContain(
      `Its report is written at its end: proofmark run --resume ${join(folder, 'results', killed)}\n`,
    );
    const listed = await commandIn(folder, ['sessions']);
    expect(listed.stdout).toMatch(/^No sessions\. .*\n\nRUN +STARTED +STATE +TEST RUNS +PASSED +SUITES\n/);
    expect(listed.stdout).toMatch(new RegExp(`^${killed}  \\S+Z  open +\\d of 6 +100% +Paced$`, 'm'));
    expect(listed.stdout).toContain(`Go on with what was cut short:\n  proofmark run --resume ${killed}\n`);
    await commandIn(folder, ['run', '--resume', killed]);
    const shown = await commandIn(folder, ['sessions', 'show', killed]);
    expect(shown.stdout).toBe(
      `${killed}: 6 of 6 test runs, 100% passed  ended\n  Paced: 6 of 6 passed\n    No baseline yet: 3/3 passed\n  Reports: proofmark report results/${killed}\n`,
    );
    const { runs, sessions } = JSON.parse((await commandIn(folder, ['sessions', 'list', '--json'])).stdout);
    expect(sessions).toEqual([]);
    expect(runs).toMatchObject([{ run_id: killed, state: 'ended', can_go_on: false, executed: 6, suites: ['Paced'] }]);
    const csv = await commandIn(folder, ['sessions', 'show', killed, '--format', 'csv']);
    expect([csv.code, csv.stderr]).toEqual([2, expect.stringContaining('is a run. Type: proofmark report results/')]);
  });

  test('one that was interrupted says in its report what is missing', async () => {
    await using project = await copyProject('paced');
    const { folder } = project;
    await signalled(folder, 'SIGINT', (stderr) => stderr.includes('Paced › One'));
    const runId = await onlyRun(folder);
    const report = await commandIn(folder, ['report', `results/${runId}`]);
    expect(report.stdout).toMatch(
      /\*\*Not complete\*\*: \d of 6 tests were not run, because the run was interrupted {2}\n/,
    );
    expect(report.stdout).toContain('- Three: the run was interrupted\n');
    expect((await commandIn(folder, ['sessions', 'show', runId])).stdout).toContain('interrupted\n');
  });
});

describe('--resume', () => {
  test('takes the path of a folder as well, and what was typed at the start', async () => {
    await using project = await copyProject('shop');
    const { folder } = project;
    const typed = [
      'run',
      'evals/hours.suite.yaml',
      '--var',
      'Temperature=1',
      '--results',
      'kept of it',
      '--format',
      'csv',
    ];
    const first = await commandIn(folder, typed);
    const [runId = ''] = await readdir(join(folder, 'kept of it'));
    const again = await commandIn(folder, ['run', '--resume', `kept of it/${runId}`]);
    expect(again.stdout.split('\n')[0]).toBe(first.stdout.split('\n')[0]);
    expect(again.stderr).toContain('Going on: 2 of 2 test runs are kept (2 passed), nothing is left to ask\n');
    const otherForm = await commandIn(folder, [
      'run',
      '--resume',
      runId,
      '--results',
      'kept of it',
      '--format',
      'junit',
    ]);
    expect(otherForm.stdout).toContain('<testsuite ');
  });

  test('says what has changed since the start, and runs nothing', async () => {
    await using project = await copyProject('shop');
    const { folder } = project;
    await commandIn(folder, ['run', 'evals']);
    const runId = await onlyRun(folder);
    const agent = join(folder, 'agents/shop.agent.yaml');
    await writeFile(agent, (await readFile(agent, 'utf8')).replace('14 days', '3 years'));
    const { code, stdout, stderr } = await commandIn(folder, ['run', '--resume', runId]);
    expect(stderr).toBe(
      `proofmark run: ${runId} cannot go on, because this has changed since it was started:\n` +
        "  agents/shop.agent.yaml: the agent 'Shop agent' has changed\n" +
        'Undo that and type the same again, or start a new run: proofmark run\n',
    );
    expect([code, stdout]).toEqual([2, '']);
    const asJson = await commandIn(folder, ['run', '--resume', runId, '--json']);
    expect(JSON.parse(asJson.stdout).problems).toHaveLength(2);
  });

  test('compares with the same results as before, or not at all', async () => {
    await using project = await copyProject('shop');
    const { folder } = project;
    await commandIn(folder, ['run', 'evals/hours.suite.yaml', '--results', 'base']);
    const [base = ''] = await readdir(join(folder, 'base'));
    await commandIn(folder, ['run', 'evals/hours.suite.yaml', '--compare', `base/${base}`]);
    const runId = await onlyRun(folder);
    const again = await commandIn(folder, ['run', '--resume', runId]);
    expect(again.stdout).toContain('Hours: 6 of 6 passed (100%)');
    const results = join(folder, 'base', base, '01-hours/results.jsonl');
    await writeFile(results, (await readFile(results, 'utf8')).replaceAll('"status":"passed"', '"status":"failed"'));
    const { code, stderr } = await commandIn(folder, ['run', '--resume', runId]);
    expect(stderr).toContain('are no longer those that the run started with');
    expect(code).toBe(2);
  });

  test('means by `last` the run that was the newest at the start, and never itself', async () => {
    await using project = await copyProject('shop');
    const { folder } = project;
    const started = async (...args: string[]) => {
      const before = existsSync(join(folder, 'results')) ? await readdir(join(folder, 'results')) : [];
      await commandIn(folder, ['run', 'evals', ...args]);
      const [runId = ''] = (await readdir(join(folder, 'results'))).filter(
        (name) => /^\d{8}-/.test(name) && !before.includes(name),
      );
      return runId;
    };
    await started();
    const again = await started('--only-failed', 'last');
    // The newest run is another one by now, and everything passes in it.
    await commandIn(folder, ['run', 'evals/hours.suite.yaml']);
    const failed = await commandIn(folder, ['run', '--resume', again]);
    expect(failed.stdout).toMatch(/^\nRefunds: 0 of 1 passed/);
    expect(failed.code).toBe(1);
    const compared = await started('--compare', 'last/01#1', '--case', 'Business hours');
    const resumed = await commandIn(folder, ['run', '--resume', compared]);
    expect(resumed.stderr).not.toContain('no longer those');
    expect(resumed.stdout).toContain('Hours: ');
  });

  test('is typed where the run was started', async () => {
    await using project = await copyProject('shop');
    const { folder } = project;
    await commandIn(folder, ['run', 'evals/hours.suite.yaml']);
    const runId = await onlyRun(folder);
    const elsewhere = await commandIn(join(folder, 'evals'), ['run', '--resume', `../results/${runId}`]);
    expect(elsewhere.stderr).toContain(`${runId} was started in ${folder}: go there.`);
    await rename(join(folder, 'results', runId), join(folder, 'results/other'));
    const renamed = await commandIn(folder, ['run', '--resume', 'other']);
    expect(renamed.stderr).toContain(`holds the run ${runId}: name it so again.`);
    expect([elsewhere.code, renamed.code]).toEqual([2, 2]);
  });

  test.each([
    [['--resume', 'none'], 'There is no folder '],
    [['--resume', 'none', '--case', 'x'], 'leave out --case.'],
    [['--resume', 'none', '--coordinator', 'https://x.example'], 'leave out --coordinator.'],
    [['--resume', 'none', 'evals'], 'leave out the paths.'],
    [['--resume', 'a-session'], 'is a session of `ab`, not a run'],
    [['--resume', 'empty'], 'does not say what the run was to do'],
    [['--resume', 'broken'], 'plan.json is no plan of a run'],
    [['--resume'], '--resume needs a value'],
  ])('%j is refused with the reason', async (args, message) => {
    await using project = await copyProject('shop');
    const results = join(project.folder, 'results');
    for (const name of ['a-session', 'empty', 'broken']) await mkdir(join(results, name), { recursive: true });
    await writeFile(join(results, 'a-session/settings.json'), '{}');
    await writeFile(join(results, 'broken/plan.json'), '{');
    const { code, stderr } = await commandIn(project.folder, ['run', ...args]);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});
