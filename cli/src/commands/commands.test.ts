import { spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseReports } from '@proofmark/domain/parse-report';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { commandIn, copyProject, inProcess, proofmark } from '../try-proofmark.fixture.ts';

describe('validate', () => {
  test('a project without mistakes is valid', async () => {
    await using project = await copyProject('shop');
    expect(await commandIn(project.folder, ['validate'])).toEqual({
      code: 0,
      stdout: '2 suites, 4 cases: valid\n',
      stderr: '',
    });
  });

  test('every mistake is shown with its line and exits with 2', async () => {
    await using project = await copyProject('broken');
    const { code, stdout, stderr } = await proofmark(project.folder, 'validate');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(
      'evals/broken.suite.yaml:2:1 error unknown_field: unknown key `variabels`, did you mean `variables`?',
    );
    expect(stderr).toContain('evals/broken.suite.yaml:7:43 error invalid_enum');
    expect(stderr).toMatch(/2 errors(, \d+ warnings?)?\nCodes and cures: https:\S+#in-files\n$/);
  });

  test('S0-01 an agent without a name is an error at agent.name', async () => {
    await using project = await copyProject('broken');
    const file = join(project.folder, 'evals/broken.suite.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('name: Inline, ', ''));
    const { stdout } = await commandIn(project.folder, ['validate', '--json']);
    const { valid, problems } = JSON.parse(stdout);
    expect(valid).toBe(false);
    expect(problems).toContainEqual(expect.objectContaining({ path: 'agent.name', code: 'required', line: 3 }));
  });

  test('nothing to validate is wrong usage that says how to begin', async () => {
    await using project = await copyProject('empty');
    const { code, stderr } = await commandIn(project.folder, ['validate']);
    expect(code).toBe(2);
    expect(stderr).toContain('No suite files found');
    expect(stderr).toContain('`proofmark init` writes a first one');
  });
});

describe('list', () => {
  test('S0-06 S1-40 every suite and case is listed with what sets it apart', async () => {
    await using project = await copyProject('shop');
    const { code, stdout } = await commandIn(project.folder, ['list']);
    expect(code).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "Hours  evals/hours.suite.yaml  (agent Shop agent, agent-eval)
        Business hours
        Anything else  [hard #edge-case]  What the prompt says nothing about
        Not ready  [draft]

      Refunds  evals/refunds.suite.yaml  (agent Shop agent, agent-eval)
        Refund time
      "
    `);
  });

  test('S4-72 S4-11 S4-12 S4-17 S4-77 S4-96 variables are listed with names for people, type, default and allowed values', async () => {
    await using project = await copyProject('shop');
    const { stdout } = await commandIn(project.folder, ['list', 'evals/hours.suite.yaml', '--show-variables']);
    expect(stdout).toMatch(/AIConfiguration +string +- +gpt-4o \(GPT-4o\)/);
    expect(stdout).toMatch(/Temperature +number +0.7 +any/);
    expect(stdout).toContain('Max Tokens: Maximum output tokens for the LLM response');
    expect(stdout).toContain('suite sets Temperature = 0.5\n');
  });

  test('the list as JSON has the same suites', async () => {
    await using project = await copyProject('shop');
    const { stdout } = await commandIn(project.folder, ['list', '--json']);
    const { suites } = JSON.parse(stdout);
    expect(suites.map(({ name, cases }: { name: string; cases: unknown[] }) => [name, cases.length])).toEqual([
      ['Hours', 3],
      ['Refunds', 1],
    ]);
  });
});

describe('resolve', () => {
  test('S4-01 S4-67 each value is shown with the level it comes from', async () => {
    await using project = await copyProject('shop');
    const args = ['evals/hours.suite.yaml', '--case', 'Business hours', '-V', 'MaxTokens=100'];
    const { code, stdout } = await commandIn(project.folder, ['resolve', ...args]);
    expect(code).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "Hours
        Business hours
          Temperature  0.5  from suite
          MaxTokens    100  from run
      "
    `);
  });

  test('S4-66 --var is repeatable and the last one of a name wins', async () => {
    const args = ['resolve', 'evals/hours.suite.yaml', '--json', '--case', 'Business hours'];
    const { stdout } = await inProcess('shop', [
      ...args,
      ...['--var', 'Temperature=0.1', '--var', 'MaxTokens=9', '-V', 'Temperature=0.2'],
    ]);
    expect(JSON.parse(stdout).suite_runs[0].cases[0].variables).toEqual({
      values: { Temperature: 0.2, MaxTokens: 9 },
      sources: { Temperature: 'run', MaxTokens: 'run' },
    });
  });

  test('an AI configuration that says another temperature than the suite is told by validate and resolve, with the one that counts', async () => {
    await using project = await copyProject('shop');
    const configurations =
      'ai_configurations:\n  cold: { provider: openai, model: m, temperature: 0, max_tokens: 9 }\n';
    await writeFile(join(project.folder, 'proofmark.yaml'), configurations);
    const suite = (variables: string) =>
      `name: Twice\nagent: { name: A, instructions: I, ai_configuration: cold }\nvariables: ${variables}\ncases: [{ name: C, input: Hi, ground_truth: Ho, evaluations: [equality] }]\nevaluations: { metrics: [{ metric: equality }] }\n`;
    const path = 'evals/twice.suite.yaml';
    await writeFile(join(project.folder, path), suite('{ Temperature: 1 }'));
    const told = "'Temperature' has two values: 1 by the suite, which counts, and 0 by the AI configuration 'cold'";
    for (const name of ['validate', 'resolve']) {
      const { code, stdout, stderr } = await commandIn(project.folder, [name, path]);
      expect([code, stderr.includes(told)]).toEqual([0, true]);
      if (name === 'resolve') expect(stdout).toMatch(/Temperature +1 +from suite\n +MaxTokens +9 +from agent/);
      const { stdout: json } = await commandIn(project.folder, [name, path, '--json']);
      expect(JSON.parse(json).problems).toMatchObject([{ severity: 'warning', code: 'mismatch', message: told }]);
    }
    await writeFile(join(project.folder, path), suite('{}'));
    const { stdout, stderr } = await commandIn(project.folder, ['resolve', path, '--var', 'AIConfiguration=cold']);
    expect(stdout).toMatch(/Temperature +0 +from AI configuration/);
    expect(stderr).toBe('');
  });

  test('S4-89 a preset gives values and a single --var still wins', async () => {
    await using project = await copyProject('shop');
    const resolve = async (...args: string[]) => {
      const { stdout } = await commandIn(project.folder, ['resolve', 'evals/hours.suite.yaml', '--json', ...args]);
      return JSON.parse(stdout).suite_runs[0].cases[0].variables.values.Temperature;
    };
    expect(await resolve('--preset', 'careful')).toBe(0);
    expect(await resolve('--preset', 'careful', '--var', 'Temperature=0.9')).toBe(0.9);
  });
});

describe('report', () => {
  test('S0-112 S0-113 a report file is written in another format', async () => {
    await using project = await copyProject('shop');
    await commandIn(project.folder, ['run', 'evals/refunds.suite.yaml', '--output', 'report.json']);
    const { code, stdout } = await commandIn(project.folder, ['report', 'report.json', '--format', 'markdown']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^# Test Report: Shop agent\n/);
    expect((await commandIn(project.folder, ['report', 'report.json', '--output', 'x/report.csv'])).code).toBe(0);
    expect(await readFile(join(project.folder, 'x/report.csv'), 'utf8')).toMatch(
      /^agent_name,suite,cell,variant,test_name/,
    );
  });

  test('a page has what lies beside the report: reasons, variables, the verdict; and both commands write the same one', async () => {
    await using project = await copyProject('shop');
    await commandIn(project.folder, ['run', '--matrix', 'Temperature=0,1', '--output', 'page.html']);
    const [runId = ''] = await readdir(join(project.folder, 'results'));
    const page = await readFile(join(project.folder, 'page.html'), 'utf8');
    expect((await commandIn(project.folder, ['report', join('results', runId), '--format', 'html'])).stdout).toBe(page);
    for (const part of [
      '<title>✗ 4 suite runs: 4 of 6 passed</title>',
      '<th scope="col"><bdi>Temperature=0</bdi></th>',
      'contains_phrases: &quot;30 days&quot; missing',
      '<code><bdi>Temperature</bdi></code>',
      'No baseline yet: 0/1 passed',
      '&quot;day&quot;: &quot;monday&quot;',
    ]) {
      expect(page).toContain(part);
    }
  });

  test('the folder of a run has the reports of all its suites', async () => {
    await using project = await copyProject('shop');
    await commandIn(project.folder, ['run']);
    const [runId = ''] = await readdir(join(project.folder, 'results'));
    const { stdout } = await commandIn(project.folder, ['report', join('results', runId), '--format', 'json']);
    const parsed = parseReports(stdout);
    expect(parsed.ok && parsed.reports.map(({ summary }) => summary.total_tests)).toEqual([2, 1]);
  });

  test('S0-114 a report goes to YAML and back without loss, and what a screen would obey is spelled out in it', async () => {
    await using project = await copyProject('shop');
    const agent = join(project.folder, 'agents/shop.agent.yaml');
    const answer = 'first: 9 to 17\n- #[x] ##[group]y \u{202E}z\u2066m "quoted" 😀';
    const text = await readFile(agent, 'utf8');
    await writeFile(agent, text.replace('"We are open from 9 to 17."', JSON.stringify(answer)));
    const ran = await commandIn(project.folder, ['run', '--output', 'report.yaml']);
    expect(ran.stderr).not.toContain('error');
    const yaml = await readFile(join(project.folder, 'report.yaml'), 'utf8');
    expect(yaml).not.toMatch(/[\u202e\u2066]|##\[/);
    expect(yaml).not.toContain(': null');
    const [runId = ''] = await readdir(join(project.folder, 'results'));
    const asJson = async (path: string) =>
      (await commandIn(project.folder, ['report', path, '--format', 'json'])).stdout;
    const fromYaml = await asJson('report.yaml');
    expect(JSON.parse(fromYaml)).toEqual(JSON.parse(await asJson(join('results', runId))));
    expect(JSON.parse(fromYaml)[0].results[0].agent_response).toBe(answer);
  });

  test('S0-120 S0-132 S0-133 a report whose summary contradicts its results is refused with both numbers', async () => {
    await using project = await copyProject('shop');
    await commandIn(project.folder, ['run', '--output', 'r.json', 'evals/hours.suite.yaml']);
    const report = JSON.parse(await readFile(join(project.folder, 'r.json'), 'utf8'));
    report.results[0].passed = false;
    await writeFile(join(project.folder, 'r.json'), JSON.stringify(report));
    const { code, stderr } = await commandIn(project.folder, ['report', 'r.json']);
    expect(stderr).toContain('summary.passed: says 2, and the results come to 1 (mismatch)');
    expect(code).toBe(2);
  });

  test.each(['x: [1', 'a: &a 1\nb: *a\n', '- just\n- words\n'])('%j is no report in YAML', async (text) => {
    await using project = await copyProject();
    await writeFile(join(project.folder, 'x.yaml'), text);
    const { code, stderr } = await commandIn(project.folder, ['report', 'x.yaml']);
    expect(stderr).toContain('is not a report');
    expect(code).toBe(2);
  });

  test('C52 --raw-cells keeps every character of an answer in CSV', async () => {
    await using project = await copyProject('shop');
    const agent = join(project.folder, 'agents/shop.agent.yaml');
    const text = await readFile(agent, 'utf8');
    await writeFile(agent, text.replace('from 9 to 17', 'from 9 to\u202E 17'));
    await commandIn(project.folder, ['run', '--output', 'seen.csv']);
    await commandIn(project.folder, ['run', '--output', 'raw.csv', '--raw-cells']);
    expect(await readFile(join(project.folder, 'seen.csv'), 'utf8')).toContain('9 to\\u{202E} 17');
    expect(await readFile(join(project.folder, 'raw.csv'), 'utf8')).toContain('9 to\u{202E} 17');
  });

  test('a file that is no report is refused with its problems', async () => {
    await using project = await copyProject('shop');
    await writeFile(join(project.folder, 'x.json'), '{"agent_name": 1}');
    const { code, stderr } = await commandIn(project.folder, ['report', 'x.json']);
    expect(code).toBe(2);
    expect(stderr).toContain('agent_name:');
    expect(stderr).toContain('(invalid_type)');
  });
});

describe('completion', () => {
  const typed = (words: string, index: number): string =>
    `eval "$(cat script)"; COMP_WORDS=(${words}); COMP_CWORD=${index}; _proofmark; echo "\${COMPREPLY[@]}"`;

  test.each([
    ['proofmark va', 1, 'validate'],
    ['proofmark run --rep', 2, '--repetitions'],
    ['proofmark schema --o', 2, '--output'],
    ['proofmark run evals/', 2, ''],
    ['proofmark tokens ro', 2, 'rotate'],
    ['proofmark tokens create ci --sc', 4, '--scope'],
  ])('bash offers after %j', async (words, index, offered) => {
    await using project = await copyProject();
    const { stdout } = await commandIn(project.folder, ['completion', 'bash']);
    await writeFile(join(project.folder, 'script'), stdout);
    const shell = spawnSync('bash', ['-c', typed(words, index)], { cwd: project.folder, encoding: 'utf8' });
    expect({ errors: shell.stderr, offered: shell.stdout.trim() }).toEqual({ errors: '', offered });
  });

  test('zsh and fish get theirs, and another shell is told which there are', async () => {
    await using project = await copyProject();
    const ask = (...args: string[]) => commandIn(project.folder, ['completion', ...args]);
    expect((await ask('zsh')).stdout).toContain('bashcompinit');
    const fish = (await ask('fish')).stdout;
    expect(fish).toContain("-n '__fish_seen_subcommand_from run' -l repetitions\n");
    expect(fish).toContain("-n '__fish_seen_subcommand_from tokens' -a 'list create rotate revoke'\n");
    expect(JSON.parse((await ask('--json')).stdout)).toContainEqual(expect.objectContaining({ name: 'completion' }));
    expect(await ask('tcsh')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Name your shell: bash, zsh, fish.'),
    });
  });
});

describe('usage', () => {
  test.each([
    [['runn'], "There is no command runn. Did you mean 'run'?"],
    [['run', '--formatt', 'json'], "There is no option --formatt. Did you mean '--format'?"],
    [['run', '--format', 'pdf'], '--format: must be one of json, yaml, markdown, csv, junit'],
    [['run', '--repetitions', '0'], '--repetitions: must be a whole number from 1 to 100'],
    [['run', '--output'], '--output needs a value'],
    [['run', '--format', '--json'], '--format needs a value'],
    [['run', '../elsewhere'], 'lies outside of'],
    [['run', '--var', 'Temperature'], 'Type --var NAME=VALUE.'],
    [['run', '--var', 'Temprature=1'], "Did you mean 'Temperature'?"],
    [['run', '--var', 'Temperature=hot'], "must be a number, got 'hot'"],
    [['run', '--case', 'Busines hours'], "Did you mean 'Business hours'?"],
    [['run', '--preset', 'fast'], "There is no preset 'fast'"],
    [['run', 'evals/nothing.suite.yaml'], 'there is no such file or folder'],
    [['run', '--format', 'jsno'], "must be one of json, yaml, markdown, csv, junit, html. Did you mean 'json'?"],
    [['run', '--difficulty', 'hrad'], "must be one of normal, hard. Did you mean 'hard'?"],
    [['run', '--case', 'business'], 'Business hours'],
    [
      ['run', '--var', 'Temperature=99'],
      "Variable 'Temperature' value '99' cannot be used: expected a number from 0 to 2",
    ],
    [['run', '--matrix', 'Temperature=0,99'], "value '99' cannot be used"],
    [['run', '--matrix', 'Temprature=0,1'], "Did you mean 'Temperature'?"],
    [
      ['run', '--output', 'x.jsn'],
      "has an unknown ending, .jsn: it must be .json, .yaml, .yml, .md, .markdown, .csv, .xml, .html, .htm, or come with --format. Did you mean '.json'?",
    ],
    [['run', '--output', 'x'], 'x has no ending'],
    [['report', 'a', '--output', 'x.foo'], 'has an unknown ending, .foo'],
    [['report'], 'Name one run, its folder, one report file'],
    [['schema'], 'Name one kind of file'],
  ])('S4-73 %j exits with 2 and says what to type', async (args, message) => {
    const { code, stderr } = await inProcess('shop', args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  test('S0-104 help and version exit with 0, and the version is that of the package', async () => {
    await using project = await copyProject();
    expect((await commandIn(project.folder, [])).stdout).toContain('Usage: proofmark COMMAND');
    expect((await commandIn(project.folder, ['run', '--help'])).stdout).toContain('-V, --var NAME=VALUE');
    const { version } = z
      .object({ version: z.string().regex(/^\d+\.\d+\.\d+$/) })
      .parse(JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')));
    expect((await proofmark(project.folder, '--version')).stdout).toBe(`${version}\n`);
  });
});
