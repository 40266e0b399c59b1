import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandIn, copyProject } from '../try-proofmark.fixture.ts';

const config = 'promptfooconfig.yaml';

test.each([
  ['a provider in Python', 'file://../desk.py', '{}'],
  ['a provider in JavaScript', 'file://./x/../../desk.mjs', '{}'],
  ['a file of a command', 'exec:node ../desk.mjs', '{}'],
  ['a setting', 'file://own.py', '{ style: file://../style.txt }'],
  ['a program of a setting', 'file://own.py', '{ style: file://../desk.py }'],
  [
    'a reader of a service',
    'https://desk.example',
    "{ body: { q: '{{prompt}}' }, transformResponse: file://../desk.mjs }",
  ],
])('%s outside of the folder is told on its line, and nothing is written there', async (_what, id, settings) => {
  await using project = await copyProject();
  const folder = join(project.folder, 'shop');
  await mkdir(join(project.folder, '.git'));
  await mkdir(join(folder, 'x'), { recursive: true });
  const programs = { 'desk.py': 'def call_api(p, o, c): return p', 'desk.mjs': 'export default (p) => p;' };
  for (const [name, text] of Object.entries({ ...programs, 'style.txt': 'kind', 'shop/own.py': programs['desk.py'] }))
    await writeFile(join(project.folder, name), text);
  await writeFile(
    join(folder, config),
    `prompts: ['Say {{x}}']
providers:
  - { id: '${id}', config: ${settings} }
tests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]
`,
  );
  const { code, stderr } = await commandIn(folder, ['import', 'promptfoo', config, '--output', 'a/b']);
  expect(stderr).toMatch(/:3 providers\.0.*: provider .*: its name leads out of the folder of the configuration/);
  expect(stderr).toContain('No provider can be translated');
  expect([code, (await readdir(folder)).toSorted()]).toEqual([2, ['own.py', config, 'x']]);
});

test('an assertion and a transform outside of the folder are told, and are no check', async () => {
  await using project = await copyProject();
  const folder = join(project.folder, 'shop');
  await mkdir(join(project.folder, '.git'));
  await mkdir(folder);
  await writeFile(join(project.folder, 'judge.mjs'), 'export default () => true;');
  await writeFile(
    join(folder, config),
    `prompts: ['Say {{x}}']
providers: [openai:gpt-4o]
tests:
  - vars: { x: a }
    assert:
      - { type: javascript, value: file://../judge.mjs }
      - { type: contains, value: a, transform: file://../judge.mjs }
`,
  );
  const { code, stderr } = await commandIn(folder, ['import', 'promptfoo', config, '--output', 'a/b']);
  expect(stderr).toContain(':6 tests.0.assert.0: javascript: ../judge.mjs: its name leads out of the folder');
  expect(stderr).toContain(
    ':7 tests.0.assert.1: contains: its transform ../judge.mjs: its name leads out of the folder',
  );
  expect([code, await readdir(join(folder, 'a'))]).toEqual([3, ['b']]);
});

test.each([
  ['{ apiKey: file://conf/openai.txt }', 'apiKey'],
  ['{ auth: [{ file: file://conf/access-token.json }] }', 'auth.0.file'],
])('a secret in a file of a setting is not copied, and is told: %s', async (settings, path) => {
  await using project = await copyProject();
  const { folder } = project;
  await mkdir(join(folder, 'conf'));
  await writeFile(join(folder, 'desk.py'), 'def call_api(p, o, c): return p');
  for (const name of ['openai.txt', 'access-token.json']) await writeFile(join(folder, 'conf', name), '"sk-123"');
  await writeFile(
    join(folder, config),
    `prompts: ['Say {{x}}']\nproviders: [{ id: file://desk.py, config: ${settings} }, echo]\ntests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]\n`,
  );
  const { code, stderr } = await commandIn(folder, ['import', 'promptfoo', config, '--output', 'out']);
  expect(stderr).toContain(`:2 providers.0.config.${path}: provider file://desk.py: conf/`);
  expect(stderr).toContain(
    'let the provider read it from its environment, and name the variable in PROOFMARK_PROGRAM_ENVS',
  );
  const texts = await Promise.all(
    (await readdir(join(folder, 'out'), { recursive: true, withFileTypes: true }))
      .filter((one) => one.isFile())
      .map((one) => readFile(join(one.parentPath, one.name), 'utf8')),
  );
  expect([code, texts.join('').includes('sk-123')]).toEqual([3, false]);
});
