import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseReports } from '@proofmark/domain/parse-report';
import { withoutTimes } from '@proofmark/domain/without-times';
import { describe, expect, test } from 'vitest';
import { commandIn, copyProject, inProcess, proofmark, startProofmark } from '../try-proofmark.fixture.ts';

const hours = 'evals/hours.suite.yaml';

describe('exit codes of run', () => {
  test('0 when every case passed', async () => {
    await using project = await copyProject('shop');
    const { code, stdout } = await commandIn(project.folder, ['run', hours]);
    expect(stdout).toContain('Hours: 2 of 2 passed (100%)  accepted\n  No baseline yet: 2/2 passed\n');
    expect(code).toBe(0);
  });

  test('1 when a case failed, with the reason', async () => {
    await using project = await copyProject('shop');
    const { code, stdout, stderr } = await proofmark(project.folder, 'run');
    expect(stderr).toMatch(/FAILED {3}Refunds › Refund time {2}\d\.\ds\n {9}contains_phrases: "30 days" missing\n/);
    expect(stdout).toContain('Refunds: 0 of 1 passed (0%), 1 failed  REFUSED\n');
    expect(code).toBe(1);
  });

  test('terminal, page and exit code say one word, and count cases as the title does: two of three repetitions pass a case', async () => {
    await using project = await copyProject('shop');
    const { folder } = project;
    const agent = `import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
for await (const _line of createInterface({ input: process.stdin })) {
  appendFileSync('asked', '.');
  console.log(JSON.stringify({ output: readFileSync('asked').length % 3 === 0 ? 'no' : 'yes' }));
}
`;
    const suite = (phrase: string) => `name: Flaky
agent: { name: Moody, instructions: x, driver: { type: command, command: [node, moody.mjs] } }
repetitions: 3
cases: [{ name: Mood, input: Well?, expected_behavior: { checks: [{ type: contains_phrases, phrases: [${phrase}] }] } }]
`;
    await writeFile(join(folder, 'moody.mjs'), agent);
    const told = async (phrase: string) => {
      await writeFile(join(folder, 'evals/flaky.suite.yaml'), suite(phrase));
      const args = ['run', 'evals/flaky.suite.yaml', '--concurrency', '1', '--output', 'page.html'];
      const { code, stdout } = await proofmark(folder, ...args);
      const page = await readFile(join(folder, 'page.html'), 'utf8');
      return { code, stdout, page: /<span class="label">[^<]*<\/span> [^<]*/.exec(page)?.[0] };
    };
    const accepted = await told('yes');
    expect(accepted.stdout).toContain(
      'Flaky: 2 of 3 passed (66.7%), 1 failed  accepted\n  No baseline yet: 1/1 passed\n',
    );
    expect([accepted.code, accepted.page]).toEqual([
      0,
      '<span class="label">Accepted</span> No baseline yet: 1/1 passed',
    ]);
    const refused = await told('"no"');
    expect(refused.stdout).toContain(
      'Flaky: 1 of 3 passed (33.3%), 2 failed  REFUSED\n  No baseline yet: 0/1 passed\n',
    );
    expect([refused.code, refused.page]).toEqual([1, '<span class="label">Refused</span> No baseline yet: 0/1 passed']);
  });

  test('2 when a definition is invalid, and nothing is run', async () => {
    await using project = await copyProject('broken');
    expect((await commandIn(project.folder, ['run'])).code).toBe(2);
    expect(await readdir(project.folder)).toEqual(['evals']);
  });

  test('3 when nothing could be judged', async () => {
    await using project = await copyProject('unjudged');
    const { code, stdout, stderr } = await commandIn(project.folder, ['run']);
    expect(stderr).toContain('the provider is down');
    expect(stdout).toContain('NOT JUDGED');
    expect(code).toBe(3);
  });

  test('130 after Ctrl-C, with a report of what was finished', async () => {
    await using project = await copyProject('slow');
    const { child, ended } = startProofmark(project.folder, ['run', '--concurrency', '1', '--output', 'report.json']);
    child.stderr.on('data', (chunk: Buffer) => {
      if (chunk.includes('Quick one')) child.kill('SIGINT');
    });
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(130);
    expect(stdout).toContain('Slow: 1 of 1 passed (100%), 2 skipped  INTERRUPTED\n');
    expect(stdout).toContain('Interrupted: 1 of 3 test runs finished and is kept.\n');
    expect(stderr.match(/Interrupted: ending what is running/g)).toHaveLength(1);
    expect(stderr).not.toContain('skipped');
    const parsed = parseReports(await readFile(join(project.folder, 'report.json'), 'utf8'));
    expect(parsed.ok && parsed.reports[0]?.results.map(({ test_name }) => test_name)).toEqual(['Quick one']);
    expect(parsed.ok && parsed.reports[0]?.skipped).toEqual([
      { test_name: 'Slow one', reason: 'interrupted' },
      { test_name: 'Never started', reason: 'interrupted' },
    ]);
  });
});

describe('what is run', () => {
  const caseNames = async (...args: string[]) => {
    const { stdout } = await inProcess('shop', ['run', hours, '--format', 'json', ...args]);
    const parsed = parseReports(stdout);
    return parsed.ok ? parsed.reports.map(({ results }) => results.map(({ test_name }) => test_name)) : parsed;
  };

  test('S1-41 S1-43 cases are chosen by name, tag and difficulty', async () => {
    expect(await caseNames('--case', 'Business hours')).toEqual([['Business hours']]);
    expect(await caseNames('--tag', 'edge-case')).toEqual([['Anything else']]);
    expect(await caseNames('--difficulty', 'hard')).toEqual([['Anything else']]);
  });

  test('without paths it is about the folder in which it was typed', async () => {
    await using project = await copyProject('shop');
    const { stdout } = await commandIn(join(project.folder, 'agents'), ['list']);
    expect(stdout).toBe('');
    expect((await commandIn(join(project.folder, 'evals'), ['list'])).stdout).toContain(
      'Refunds  evals/refunds.suite.yaml',
    );
  });

  test('repetitions stand beside each other in the order of the suite', async () => {
    expect(await caseNames('--repetitions', '2')).toEqual([
      ['Business hours', 'Business hours', 'Anything else', 'Anything else'],
    ]);
  });

  test('a matrix gives one report per cell', async () => {
    expect(await caseNames('--matrix', 'Temperature=0,1', '--case', 'Business hours')).toEqual([
      ['Business hours'],
      ['Business hours'],
    ]);
  });

  test('a draft that is asked for by name is skipped, which is not green', async () => {
    await using project = await copyProject('shop');
    const { code, stdout } = await commandIn(project.folder, ['run', hours, '--case', 'Not ready']);
    expect(stdout).toContain('1 skipped');
    expect(code).not.toBe(0);
  });
});

describe('what is written', () => {
  test('two runs give the same report apart from times, whatever the concurrency', async () => {
    await using project = await copyProject('shop');
    const reportOf = async (concurrency: string) => {
      const args = ['run', hours, '--format', 'json', '--repetitions', '3', '--concurrency', concurrency];
      const parsed = parseReports((await commandIn(project.folder, args)).stdout);
      return parsed.ok ? parsed.reports.map(withoutTimes) : parsed;
    };
    expect(await reportOf('8')).toEqual(await reportOf('1'));
  });

  test('S0-104 S0-105 the report names the tool, its version and where it ran', async () => {
    await using project = await copyProject('shop');
    const parsed = parseReports((await commandIn(project.folder, ['run', hours, '--format', 'json'])).stdout);
    expect(parsed).toMatchObject({
      ok: true,
      reports: [
        {
          agent_name: 'Shop agent',
          agent_config_path: 'agents/shop.agent.yaml',
          proofmark_version: '0.1.0',
          environment: { node: process.version, os: expect.any(String), ci: 'false' },
          results: [{ tool_calls: ['get_hours'], expected_tools: ['get_hours'], tools_matched: true }, {}],
        },
      ],
    });
  });

  test('each test run is a line that holds what a repeat needs', async () => {
    await using project = await copyProject('shop');
    await commandIn(project.folder, ['run', hours, '--results', 'kept']);
    const [runId = ''] = await readdir(join(project.folder, 'kept'));
    const folder = join(project.folder, 'kept', runId, '01-hours');
    expect((await readdir(folder)).sort()).toEqual(['report.json', 'results.jsonl']);
    const lines = (await readFile(join(folder, 'results.jsonl'), 'utf8')).trimEnd().split('\n');
    const all = lines.map((line) => JSON.parse(line));
    const parts = new Map(all.filter(({ part }) => part !== undefined).map(({ part, value }) => [part, value]));
    const results = all.filter(({ part }) => part === undefined);
    expect(new Set(results.map(({ case_name }) => case_name))).toEqual(new Set(['Anything else', 'Business hours']));
    expect(parts.get(results[0].work.shared.agent).instructions).toContain('small shop');
    expect(parts.get(results[1].work.shared.resolvedVariables)).toEqual({
      values: { Temperature: 0.5 },
      sources: { Temperature: 'suite' },
    });
  });

  test('S4-05 S4-70 S4-71 --var reaches one test, and every test of a suite, as a number', async () => {
    await using project = await copyProject('shop');
    const resolvedBy = async (...args: string[]) => {
      await commandIn(project.folder, ['run', hours, '--results', 'kept', '--var', 'Temperature=0.25', ...args]);
      const [runId = ''] = await readdir(join(project.folder, 'kept'));
      const text = await readFile(join(project.folder, 'kept', runId, '01-hours/results.jsonl'), 'utf8');
      await rm(join(project.folder, 'kept'), { recursive: true });
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .flatMap(({ part, value }) => (part !== undefined && value.values !== undefined ? [value] : []));
    };
    const resolved = { values: { Temperature: 0.25 }, sources: { Temperature: 'run' } };
    expect(await resolvedBy('--case', 'Business hours')).toEqual([resolved]);
    // Both test runs of the suite share them.
    expect(await resolvedBy()).toEqual([resolved]);
  });

  test('--json answers with numbers, verdict and the lines of failed cases', async () => {
    await using project = await copyProject('shop');
    const { stdout, code } = await commandIn(project.folder, ['run', '--json']);
    const answer = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(answer).toMatchObject({ exit_code: 1, is_interrupted: false });
    expect(answer.suite_runs[1]).toMatchObject({
      suite: 'Refunds',
      passed: 0,
      failed: 1,
      pass_rate: 0,
      verdict: { word: 'no-baseline' },
      failed_cases: [{ case: 'Refund time', line: 4, reason: 'contains_phrases: "30 days" missing' }],
    });
  });

  test('S1-42 S1-43 the summary breaks the pass rate down by difficulty and by tag', async () => {
    const { stdout } = await inProcess('shop', ['run', hours]);
    expect(stdout).toContain(
      '  By difficulty: normal 1/1 (100%), hard 1/1 (100%); each counted alike 100%\n  By tag: edge-case 1/1 (100%)\n',
    );
    const answer = JSON.parse((await inProcess('shop', ['run', hours, '--json'])).stdout);
    expect(answer.suite_runs[0].groups).toContainEqual({
      by: 'difficulty',
      name: 'hard',
      passed: 1,
      executed: 1,
      pass_rate: 100,
    });
    expect(answer.suite_runs[0].balanced_pass_rate).toBe(100);
  });

  test('hostile names and answers reach no terminal, table or heading as they are', async () => {
    await using project = await copyProject('hostile');
    const { stdout, stderr } = await proofmark(project.folder, 'run', '--format', 'markdown');
    expect(`${stdout}${stderr}`).not.toMatch(/[\r\u{202E}]/u);
    expect(`${stdout}${stderr}`).not.toContain('ghp_');
    expect(stdout.split('\n').filter((line) => line.startsWith('# '))).toEqual([
      '# Test Report: <code>Agent &#96;&#35;1&#96;</code>',
      '# PASSED',
    ]);
    expect(stdout).toContain('\n````text\nred\n```\n# PASSED\n');
  });
});
