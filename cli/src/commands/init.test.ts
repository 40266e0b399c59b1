import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandIn, copyProject } from '../try-proofmark.fixture.ts';

describe('init and schema', () => {
  test('the first project is valid and passes without a key', async () => {
    await using project = await copyProject();
    expect((await commandIn(project.folder, ['init'])).code).toBe(0);
    expect((await commandIn(project.folder, ['validate'])).stdout).toBe('1 suite, 2 cases: valid\n');
    expect((await commandIn(project.folder, ['run'])).code).toBe(0);
  });

  test.each([
    [null, '# What runs of Proofmark find\nresults/\n', 'created'],
    ['node_modules', 'node_modules\n# What runs of Proofmark find\nresults/\n', 'appended'],
    ['a/\r\n', 'a/\r\n# What runs of Proofmark find\r\nresults/\r\n', 'appended'],
    ['# results/\nmy-results/\n', '# results/\nmy-results/\n# What runs of Proofmark find\nresults/\n', 'appended'],
    ['a/\n/results\n', 'a/\n/results\n', 'present'],
    ['**/results/  \n', '**/results/  \n', 'present'],
  ])('init keeps results out of commits: %j becomes %j', async (before, after, word) => {
    await using project = await copyProject();
    const path = join(project.folder, '.gitignore');
    if (before !== null) await writeFile(path, before);
    const { stdout } = await commandIn(project.folder, ['init', '--json']);
    expect(JSON.parse(stdout).git_ignore).toBe(word);
    expect(await readFile(path, 'utf8')).toBe(after);
  });

  test('init says what it did with .gitignore, and does it once', async () => {
    await using project = await copyProject();
    const first = await commandIn(project.folder, ['init']);
    expect(first.stdout.split('\n')).toContain(
      'Wrote .gitignore: results/, where runs keep what they find, is not committed.',
    );
    await rm(join(project.folder, 'proofmark.yaml'));
    for (const folder of ['agents', 'evals', 'schemas', '.github'])
      await rm(join(project.folder, folder), { recursive: true });
    const second = await commandIn(project.folder, ['init']);
    expect(second.stdout).toContain('.gitignore keeps results/ out of commits already.\n');
    expect((await readFile(join(project.folder, '.gitignore'), 'utf8')).match(/results\/$/gm)).toHaveLength(1);
  });

  test('the schema that a written file names is there, as `schema` prints it: an editor finds it', async () => {
    await using project = await copyProject();
    const { written } = JSON.parse((await commandIn(project.folder, ['init', '--json'])).stdout);
    const named = await Promise.all(
      written.map(async (path: string) => {
        const text = await readFile(join(project.folder, path), 'utf8');
        const [, schema] = /yaml-language-server: \$schema=(\S+)/.exec(text) ?? [];
        return schema === undefined ? [] : [join(project.folder, dirname(path), schema)];
      }),
    );
    const printed = (await commandIn(project.folder, ['schema', 'suite'])).stdout;
    expect(named.flat()).toHaveLength(1);
    for (const path of named.flat()) expect(await readFile(path, 'utf8')).toBe(printed);
  });

  test.each([
    ['support', true],
    ['tools', true],
    ['rag', true],
    ['matrix', true],
    ['langgraph', false],
    ['ai-sdk', false],
  ])('the template %s is valid, and passes where it needs no key and no server: %s', async (template, needsNothing) => {
    await using project = await copyProject();
    const { code, stdout } = await commandIn(project.folder, ['init', '--from', template]);
    expect({ code, next: stdout.split('\n').at(-2) }).toMatchObject({
      code: 0,
      next: expect.stringContaining('npx proofmark run'),
    });
    expect((await commandIn(project.folder, ['validate'])).stdout).toMatch(/^1 suite, \d cases?: valid\n$/);
    if (needsNothing) expect((await commandIn(project.folder, ['run'])).code).toBe(0);
    await using other = await copyProject();
    await writeFile(join(other.folder, 'proofmark.yaml'), 'ai_configurations: { x: { provider: openai, model: x } }\n');
    await commandIn(other.folder, ['init', '--from', template]);
    expect(await commandIn(other.folder, ['validate'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('a template that is named comes beside a project, whose own files stay', async () => {
    await using project = await copyProject();
    await commandIn(project.folder, ['init']);
    await writeFile(join(project.folder, 'proofmark.yaml'), '# mine\n');
    const { stdout } = await commandIn(project.folder, ['init', '--from', 'langgraph', '--json']);
    expect(JSON.parse(stdout).written).toEqual(['agents/graph.agent.yaml', 'evals/graph.suite.yaml']);
    expect(await readFile(join(project.folder, 'proofmark.yaml'), 'utf8')).toBe('# mine\n');
    const again = await commandIn(project.folder, ['init', '--from', 'langgraph']);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('agents/graph.agent.yaml') });
  });

  test.each([
    [
      'package.json',
      '{"dependencies":{"ai":"7"}}',
      'package.json names the Vercel AI SDK: npx proofmark init --from ai-sdk',
    ],
    [
      'requirements.txt',
      'fastapi\nlanggraph==1\n',
      'requirements.txt names LangGraph: npx proofmark init --from langgraph',
    ],
    ['package.json', '{"dependencies":{"aio":"7"}}', null],
  ])('init tells which template fits the agent of the repository: %s with %s', async (file, text, told) => {
    await using project = await copyProject();
    await writeFile(join(project.folder, file), text);
    const { stdout } = await commandIn(project.folder, ['init']);
    if (told === null) expect(stdout).not.toContain('--from');
    else expect(stdout).toContain(told);
  });

  test.each([
    ['master', [['init', '-q', '-b', 'master']]],
    [
      'trunk',
      [
        ['init', '-q', '-b', 'my-change'],
        ['symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk'],
      ],
    ],
  ])('init writes for the branch that pull requests go to: %s', async (branch, commands) => {
    await using project = await copyProject();
    for (const words of commands) spawnSync('git', ['-C', project.folder, ...words]);
    const { stdout } = await commandIn(project.folder, ['init']);
    expect(stdout).toContain(`npx proofmark run --compare ${branch} does so here`);
    const workflow = await readFile(join(project.folder, '.github/workflows/proofmark.yml'), 'utf8');
    expect(workflow).toContain(`push: { branches: [${branch}] }`);
    expect(workflow).not.toMatch(/\bmain\b/);
  });

  test('below the root of a repository nothing would read the workflow: init says where to type it', async () => {
    await using project = await copyProject();
    spawnSync('git', ['-C', project.folder, 'init', '-q']);
    const below = join(project.folder, 'packages/bot');
    await mkdir(below, { recursive: true });
    const refused = await commandIn(below, ['init']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Type init at the root')]);
    expect(await readdir(below)).toEqual([]);
    // A project of its own may have further suites.
    await writeFile(join(below, 'proofmark.yaml'), '# mine\n');
    const { code, stdout } = await commandIn(below, ['init', '--from', 'support', '--json']);
    expect([code, JSON.parse(stdout).written]).toEqual([
      0,
      ['schemas/suite.schema.json', 'agents/support.agent.yaml', 'evals/support.suite.yaml'],
    ]);
  });

  test('a repository without files is no place for a project', async () => {
    await using project = await copyProject();
    spawnSync('git', ['-C', project.folder, 'init', '-q', '--bare']);
    const before = await readdir(project.folder);
    const { code, stderr } = await commandIn(project.folder, ['init']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('type init in the clone')]);
    expect(await readdir(project.folder)).toEqual(before);
  });

  test.each(['2.10', '1e3', 'on', 'No', '$&'])('the workflow has the branch %s as text', async (branch) => {
    await using project = await copyProject();
    spawnSync('git', ['-C', project.folder, 'init', '-q', '-b', 'change']);
    spawnSync('git', ['-C', project.folder, 'symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
    await commandIn(project.folder, ['init']);
    const workflow = await readFile(join(project.folder, '.github/workflows/proofmark.yml'), 'utf8');
    expect(workflow).toContain(`push: { branches: [${JSON.stringify(branch)}] }`);
  });

  test('the agent of the template ai-sdk is the example that runs against a model', async () => {
    const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
    expect(await read('cli/templates/ai-sdk/agents/desk.ts')).toBe(await read('examples/agents/vercel/agent.ts'));
  });

  test('init overwrites nothing', async () => {
    await using project = await copyProject();
    await writeFile(join(project.folder, 'proofmark.yaml'), 'mine');
    expect((await commandIn(project.folder, ['init'])).code).toBe(2);
    expect(await readFile(join(project.folder, 'proofmark.yaml'), 'utf8')).toBe('mine');
    expect(await readdir(project.folder)).toEqual(['proofmark.yaml']);
  });

  test('the schema of a kind of file is JSON', async () => {
    await using project = await copyProject();
    const { code, stdout } = await commandIn(project.folder, ['schema', 'suite']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'object', title: 'Proofmark suite' });
  });
});
