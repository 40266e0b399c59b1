import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scratchRepository, suiteText } from '../scratch-repository.fixture.ts';
import { collectDefinitions } from './collect-definitions.ts';

describe('collectDefinitions', () => {
  test('suites are found by their names, outside of ignored folders', async () => {
    await using repository = await scratchRepository({
      'evals/b.suite.yaml': suiteText({ name: 'B' }),
      'evals/deep/er/a.suite.yml': suiteText({ name: 'A' }),
      'c.suite.json': JSON.stringify({ name: 'broken' }),
      'evals/notes.yaml': 'no suite',
      'node_modules/x/x.suite.yaml': suiteText(),
      'evals/dist/x.suite.yaml': suiteText(),
      '.hidden/x.suite.yaml': suiteText(),
    });
    const { suitePaths, definitions, problems } = collectDefinitions({ root: repository.root });
    expect(suitePaths).toEqual(['c.suite.json', 'evals/b.suite.yaml', 'evals/deep/er/a.suite.yml']);
    expect(definitions.suites.map(({ suite }) => suite.name)).toEqual(['B', 'A']);
    expect(new Set(problems.filter(({ severity }) => severity === 'error').map(({ file }) => file))).toEqual(
      new Set(['c.suite.json']),
    );
  });

  test('proofmark.yaml says where suites are, and every file that was read is handed on', async () => {
    const project = 'suites: ["checks/**/*.yaml"]\n';
    await using repository = await scratchRepository({
      'proofmark.yaml': project,
      'checks/one/hours.yaml': suiteText(),
      'evals/x.suite.yaml': suiteText(),
    });
    const { suitePaths, files, projectPath } = collectDefinitions({ root: repository.root });
    expect(suitePaths).toEqual(['checks/one/hours.yaml']);
    expect(projectPath).toBe('proofmark.yaml');
    expect(files).toEqual([
      { path: 'proofmark.yaml', text: project },
      { path: 'checks/one/hours.yaml', text: suiteText() },
    ]);
  });

  test('files and folders can be asked for, whatever they are called', async () => {
    await using repository = await scratchRepository({
      'a/x.suite.yaml': suiteText({ name: 'X' }),
      'b/y.suite.yaml': suiteText({ name: 'Y' }),
      'b/odd.yaml': suiteText({ name: 'Odd' }),
    });
    const { root } = repository;
    expect(collectDefinitions({ root, paths: ['b'] }).suitePaths).toEqual(['b/y.suite.yaml']);
    expect(collectDefinitions({ root, paths: ['b/odd.yaml', 'a'] }).suitePaths).toEqual([
      'a/x.suite.yaml',
      'b/odd.yaml',
    ]);
    expect(collectDefinitions({ root, paths: ['c'] }).problems).toMatchObject([{ file: 'c', code: 'not_found' }]);
  });

  test('a file is inside of the folder at the top of the disk too', async () => {
    await using repository = await scratchRepository({ 'x.suite.yaml': suiteText({ name: 'X' }) });
    const path = relative('/', join(await realpath(repository.root), 'x.suite.yaml'));
    const { definitions, problems } = collectDefinitions({ root: '/', paths: [path] });
    expect(problems).toEqual([]);
    expect(definitions.suites.map(({ suite }) => suite.name)).toEqual(['X']);
  });

  test('a link that leads out of the repository is refused, one inside is followed', async () => {
    await using repository = await scratchRepository({ 'real.yaml': suiteText() });
    const { root } = repository;
    const outside = await mkdtemp(join(tmpdir(), 'proofmark-outside-'));
    await writeFile(join(outside, 'secret.yaml'), suiteText({ name: 'Secret' }));
    await symlink(join(outside, 'secret.yaml'), join(root, 'secret.suite.yaml'));
    await symlink(outside, join(root, 'folder'));
    await symlink(join(root, 'real.yaml'), join(root, 'inside.suite.yaml'));
    const { definitions, problems, files } = collectDefinitions({ root });
    await rm(outside, { recursive: true });
    expect(definitions.suites.map(({ path }) => path)).toEqual(['inside.suite.yaml']);
    expect(problems).toContainEqual(
      expect.objectContaining({
        file: 'secret.suite.yaml',
        message: 'the file is a link that leads out of the repository',
      }),
    );
    expect(files.map(({ path }) => path)).toEqual(['inside.suite.yaml']);
  });
});

describe('agents that are asked for', () => {
  const agent = (more = ''): string => `name: New agent\ninstructions: Answer better.\n${more}`;
  const project = 'ai_configurations: { only: { provider: openai, model: m } }\n';

  test('are read as the agents of suites are, and are no suites', async () => {
    await using repository = await scratchRepository({
      'proofmark.yaml': project,
      'x.suite.yaml': suiteText(),
      'agents/new.yaml': agent('model: { provider: openai, name: other }\n'),
    });
    const collected = collectDefinitions({ root: repository.root, agentPaths: ['agents/new.yaml'] });
    expect(collected.problems).toEqual([]);
    expect(collected.definitions.suites.map(({ path }) => path)).toEqual(['x.suite.yaml']);
    expect(collected.agents.get('agents/new.yaml')?.agent).toMatchObject({
      name: 'New agent',
      ai_configuration: 'New agent',
    });
    expect(collected.definitions.project.ai_configurations['New agent']).toMatchObject({ model: 'other' });
    expect(collected.files.map(({ path }) => path)).toContain('agents/new.yaml');
  });

  test('are reported at their own lines, and when they do not exist', async () => {
    await using repository = await scratchRepository({
      'proofmark.yaml': project,
      'x.suite.yaml': suiteText(),
      'bad.yaml': agent('tools: 5\n'),
    });
    const { problems, agents } = collectDefinitions({ root: repository.root, agentPaths: ['bad.yaml', 'none.yaml'] });
    expect(problems.map(({ file, line, code }) => [file, line, code])).toEqual([
      ['bad.yaml', 3, 'invalid_type'],
      ['none.yaml', 1, 'not_found'],
    ]);
    expect(agents.size).toBe(0);
  });
});
