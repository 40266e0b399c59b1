import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandIn, copyProject, type ProjectCopy, proofmark } from '../try-proofmark.fixture.ts';

const suite = ({ reply = 'from 9 to 17', cases = 8, extra = '' } = {}) => `name: Hours
agent: { name: Desk, instructions: Answer., driver: { type: scripted, replies: [{ reply: "${reply}" }] } }
${extra}cases:
${Array.from(
  { length: cases },
  (_, index) =>
    `  - { name: Case ${index + 1}, input: "When? ${index + 1}", expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }`,
).join('\n')}
`;

async function write(project: ProjectCopy, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(project.folder, path)), { recursive: true });
  await writeFile(join(project.folder, path), text);
}

/** A repository with one commit on `main`. */
async function repository(files: Record<string, string>): Promise<ProjectCopy> {
  const project = await copyProject();
  for (const [path, text] of Object.entries(files)) await write(project, path, text);
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['commit', '-q', '-m', 'base'],
  ]) {
    const { status, stderr } = spawnSync('git', ['-C', project.folder, ...author, ...args], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  }
  return project;
}

async function newestRun({ folder }: ProjectCopy, results = 'results'): Promise<string> {
  const runs = await readdir(join(folder, results));
  return join(results, runs.toSorted().at(-1) ?? '');
}

const path = 'evals/hours.suite.yaml';

describe('run --compare with a commit', () => {
  test('refuses a worse prompt, with both sides run here and nothing checked out', async () => {
    await using project = await repository({ [path]: suite() });
    await write(project, path, suite({ reply: 'from 9 to 16' }));
    const { code, stdout, stderr } = await proofmark(project.folder, 'run', '--compare', 'main');
    expect(stderr).toMatch(/Comparing with main \([0-9a-f]{7}\)\./);
    expect(stdout).toMatch(/Hours: 0 of \d+ passed \(0%\), \d+ failed.* REFUSED\n {2}Regressed: /);
    expect(stdout).toMatch(/on main|was \d\/\d/);
    expect(code).toBe(1);
    expect(await readFile(join(project.folder, path), 'utf8')).toContain('from 9 to 16');
  });

  test('accepts what stayed the same, although cases fail on both sides', async () => {
    const text = suite({ reply: 'from 9 to 16', cases: 40 });
    await using project = await repository({ [path]: text });
    const { code, stdout } = await commandIn(project.folder, ['run', '--compare', 'HEAD']);
    expect(stdout).toContain('No regression beyond 10 points');
    expect(code).toBe(0);
  });

  test('takes no known answers: the base is asked anew, and a provider that drifts must meet both sides', async () => {
    await using project = await repository({ [path]: suite({ cases: 1 }) });
    const { code, stderr } = await commandIn(project.folder, ['run', '--compare', 'main', '--cache']);
    expect(stderr).toContain('--cache: the agent of main is asked anew');
    expect(code).toBe(2);
    expect(await readdir(project.folder)).not.toContain('results');
    // The results of a run are no commit: nobody is asked for them.
    await commandIn(project.folder, ['run']);
    expect((await commandIn(project.folder, ['run', '--compare', 'last', '--cache'])).code).toBe(0);
  });

  test('takes the gate of the commit, so that a change cannot loosen its own', async () => {
    await using project = await repository({ [path]: suite() });
    await write(project, path, suite({ reply: 'from 9 to 16', extra: 'gate: { fail_on: [] }\n' }));
    const { code, stderr } = await commandIn(project.folder, ['run', '--compare', 'main']);
    expect(stderr).toContain("The gate of 'Hours' is changed here; that of main decides.");
    expect(code).toBe(1);
  });

  test('says so when the commit has no such suite, or broken ones', async () => {
    await using project = await repository({ [path]: 'name: Hours\ncases: 7\n' });
    await write(project, path, suite());
    const { code, stderr, stdout } = await commandIn(project.folder, ['run', '--compare', 'main']);
    expect(stderr).toContain('in the definitions of main; their suites have no baseline: evals/hours.suite.yaml:');
    expect(stdout).toContain('No baseline yet: 8/8 passed');
    expect(code).toBe(0);
  });

  test('is wrong usage for what is neither a path nor a commit', async () => {
    await using project = await repository({ [path]: suite() });
    const { code, stderr } = await commandIn(project.folder, ['run', '--compare', 'no-such-branch']);
    expect(stderr).toContain('no-such-branch is neither a file nor a commit');
    expect(code).toBe(2);
  });
});

describe('run --compare with earlier results', () => {
  test('gates against the folder of a run, without running its side again', async () => {
    await using project = await copyProject();
    await write(project, path, suite());
    await commandIn(project.folder, ['run', '--repetitions', '3']);
    const base = await newestRun(project);
    await write(project, path, suite({ reply: 'from 9 to 16' }));
    const { code, stdout } = await commandIn(project.folder, [
      'run',
      '--compare',
      base,
      '--results',
      'again',
      '--json',
    ]);
    const answer = JSON.parse(stdout);
    expect(answer.suite_runs).toHaveLength(1);
    expect(answer.suite_runs[0]).toMatchObject({
      variant: 'head',
      verdict: { word: 'regressed', base_pass_rate: 100, head_pass_rate: 0, diff_points: -100 },
    });
    expect(code).toBe(1);
  });

  test('never compares a case that asks something else now', async () => {
    await using project = await copyProject();
    await write(project, path, suite());
    await commandIn(project.folder, ['run', '--repetitions', '3']);
    const base = await newestRun(project);
    await write(project, path, suite({ reply: 'from 9 to 16' }).replaceAll('When?', 'When exactly?'));
    const { stdout } = await commandIn(project.folder, ['run', '--compare', base, '--results', 'again']);
    expect(stdout).toContain('No baseline: every case changed\n  Every case changed and the base cannot be executed.');
    expect(stdout).toContain('8 changed cases (the case itself), not compared: `Case 1`, `Case 2`');
  });
});

describe('compare', () => {
  async function twoRuns(): Promise<ProjectCopy> {
    const project = await copyProject();
    await write(project, path, suite());
    await commandIn(project.folder, ['run', '--repetitions', '3', '--results', 'base']);
    await write(project, path, suite({ reply: 'from 9 to 16' }));
    await commandIn(project.folder, ['run', '--repetitions', '3', '--results', 'head']);
    return project;
  }

  test('holds two runs side by side, with the answers of what was lost', async () => {
    await using project = await twoRuns();
    const [base, head] = [await newestRun(project, 'base'), await newestRun(project, 'head')];
    const { code, stdout } = await commandIn(project.folder, ['compare', base, head]);
    expect(stdout).toContain('Hours\n  Regressed: 8 cases broke\n');
    expect(stdout).toContain('    case    base  head  p\n    Case 1  3/3   0/3   0.050\n');
    expect(stdout).toContain('    Case 1\n      base: from 9 to 17\n      head: from 9 to 16\n');
    expect(code).toBe(1);
    const back = await commandIn(project.folder, ['compare', head, base]);
    expect(back.stdout).toContain('Improved: pass rate 0% → 100% (+100.0 points)');
    expect(back.code).toBe(0);
  });

  test('--json has every case that differs', async () => {
    await using project = await twoRuns();
    const args = [await newestRun(project, 'base'), await newestRun(project, 'head')] as const;
    const { stdout } = await commandIn(project.folder, ['compare', ...args, '--json']);
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({ exit_code: 1, only_base: [], only_head: [] });
    expect(answer.compared[0]).toMatchObject({ suite: 'Hours', cell: '', verdict: { word: 'regressed' } });
    expect(answer.compared[0].cases).toHaveLength(8);
    expect(answer.compared[0].cases[0]).toMatchObject({
      case: 'Case 1',
      base: { passed: 3, scored: 3 },
      head: { passed: 0, scored: 3 },
      base_answer: 'from 9 to 17',
    });
  });

  test('reads reports where there is nothing else', async () => {
    await using project = await copyProject();
    for (const [name, reply] of [
      ['base', 'from 9 to 17'],
      ['head', 'from 9 to 16'],
    ]) {
      await write(project, path, suite({ reply: reply ?? '' }));
      await commandIn(project.folder, ['run', '--repetitions', '3', '--output', `${name}.json`]);
    }
    const { code, stdout } = await commandIn(project.folder, ['compare', 'base.json', 'head.json']);
    expect(stdout).toContain('Regressed: 8 cases broke');
    expect(code).toBe(1);
    const mixed = await commandIn(project.folder, ['compare', await newestRun(project), 'head.json']);
    expect(mixed.stdout).toContain('Hours');
  });

  test('holds two cells of one matrix against each other, and each against its own baseline', async () => {
    await using project = await copyProject();
    const matrix = { cases: 30, extra: 'matrix: { Temperature: [0, 1] }\n' };
    await write(project, path, suite(matrix));
    await commandIn(project.folder, ['run', '--repetitions', '3', '--results', 'base']);
    const results = await newestRun(project, 'base');
    const cells = ['--base-cell', 'Temperature=0', '--head-cell', 'Temperature=1'];
    const across = await commandIn(project.folder, ['compare', results, results, ...cells]);
    expect(across.stdout).toContain('Hours [Temperature=0 → Temperature=1]\n  No regression beyond 10 points\n');
    expect(across.code).toBe(0);
    await write(project, path, suite({ ...matrix, reply: 'from 9 to 16' }));
    await commandIn(project.folder, ['run', '--repetitions', '3', '--results', 'head']);
    const own = await commandIn(project.folder, ['compare', results, await newestRun(project, 'head'), '--json']);
    expect(JSON.parse(own.stdout).compared).toMatchObject([
      { cell: 'Temperature=0', base_cell: 'Temperature=0', verdict: { word: 'regressed' } },
      { cell: 'Temperature=1', base_cell: 'Temperature=1', verdict: { word: 'regressed' } },
    ]);
    const wrong = await commandIn(project.folder, ['compare', results, results, '--head-cell', 'Temperature=9']);
    expect(wrong.stderr).toContain("the results have no cell 'Temperature=9', but Temperature=0 and Temperature=1");
    expect(wrong.code).toBe(2);
  });

  test('tells of answers and calls that changed although every case still passes', async () => {
    await using project = await copyProject();
    const calls = (tools: string[]) =>
      suite({ reply: `from 9 to 17 after ${tools.length} calls` }).replace(
        'replies: [{ ',
        `replies: [{ tool_calls: [${tools.map((name) => `{ name: ${name} }`).join(', ')}], `,
      );
    const declared = ', tools: [{ name: get_hours }, { name: get_day }]';
    const withTools = (tools: string[]) =>
      calls(tools).replace('instructions: Answer.', `instructions: Answer.${declared}`);
    const mocks =
      'mocks:\n  - { tool: get_hours, returns: 1, times: always }\n  - { tool: get_day, returns: 2, times: always }\n';
    await write(project, path, `${withTools(['get_hours'])}${mocks}`);
    await commandIn(project.folder, ['run', '--repetitions', '3', '--results', 'base']);
    await write(project, path, `${withTools(['get_day', 'get_hours'])}${mocks}`);
    await commandIn(project.folder, ['run', '--repetitions', '3', '--results', 'head']);
    const args = [await newestRun(project, 'base'), await newestRun(project, 'head')] as const;
    const { stdout } = await commandIn(project.folder, ['compare', ...args]);
    expect(stdout).toContain('  Answers: different in 8 of 8 cases\n  Tools: called otherwise in 8 of 8 cases\n');
    expect(stdout).toContain('    Case 1: get_hours → get_day, get_hours\n');
    const { changed_answers } = JSON.parse((await commandIn(project.folder, ['compare', ...args, '--json'])).stdout)
      .compared[0];
    expect(changed_answers).toHaveLength(8);
    expect(changed_answers[0]).toEqual({
      case: 'Case 1',
      answer_changed: true,
      tools_changed: true,
      base_tools: ['get_hours'],
      head_tools: ['get_day', 'get_hours'],
    });
  });

  test('is wrong usage without two results, and 3 when nothing could be compared', async () => {
    await using project = await copyProject();
    expect((await commandIn(project.folder, ['compare', 'only-one'])).code).toBe(2);
    expect((await commandIn(project.folder, ['compare', 'no', 'where'])).stderr).toContain('no such file or folder');
    await write(project, path, suite());
    await commandIn(project.folder, ['run', '--results', 'base']);
    await write(project, path, suite().replaceAll('When?', 'When exactly?'));
    await commandIn(project.folder, ['run', '--results', 'head']);
    const args = [await newestRun(project, 'base'), await newestRun(project, 'head')] as const;
    expect((await commandIn(project.folder, ['compare', ...args])).code).toBe(3);
  });
});
