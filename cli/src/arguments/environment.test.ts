import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyProject, startProofmark } from '../try-proofmark.fixture.ts';
import { addDotEnv } from './environment.ts';

async function added(text: string, variables: Record<string, string>) {
  await using project = await copyProject();
  await writeFile(join(project.folder, '.env'), text);
  const found = addDotEnv(project.folder, variables);
  return { ...found, variables };
}

test('variables of .env are taken up, and what is set stays as it is', async () => {
  const { taken, left, variables } = await added(
    '# keys\nexport OPENAI_API_KEY="sk-file"\nSHOP_TOKEN=two words\nEMPTY=\nGROQ_API_KEY=file\n',
    { GROQ_API_KEY: 'set', SHOP_TOKEN: '' },
  );
  expect(taken.toSorted()).toEqual(['EMPTY', 'OPENAI_API_KEY', 'SHOP_TOKEN']);
  expect(left).toEqual(['GROQ_API_KEY: it is set already']);
  expect(variables).toMatchObject({ OPENAI_API_KEY: 'sk-file', SHOP_TOKEN: 'two words', GROQ_API_KEY: 'set' });
});

test.each([
  'PROOFMARK_KEY_ORIGINS',
  'PROOFMARK_URL_ALLOW',
  'PROOFMARK_TOKEN',
  'NODE_OPTIONS',
  'LD_PRELOAD',
  'PATH',
  'HTTPS_PROXY',
  'https_proxy',
])('%s of a file does not count: it may have come with the repository of somebody else', async (name) => {
  const { taken, left, variables } = await added(`${name}=x\n`, {});
  expect([taken, left, variables]).toEqual([[], [`${name}: only the environment itself may say it`], {}]);
});

test('a file says where its own key goes, and never where one goes that was set outside', async () => {
  const text = 'OPENAI_BASE_URL=https://elsewhere.example.com\nOPENAI_API_KEY=sk-file\n';
  expect((await added(text, {})).taken.toSorted()).toEqual(['OPENAI_API_KEY', 'OPENAI_BASE_URL']);
  const outside = await added(text, { OPENAI_API_KEY: 'sk-outside' });
  expect(outside.variables).toEqual({ OPENAI_API_KEY: 'sk-outside' });
  expect(outside.left).toContainEqual(expect.stringMatching(/^OPENAI_BASE_URL: OPENAI_API_KEY is set already/));
  expect((await added(text, { OTHER_TOKEN: 'x' })).variables).not.toHaveProperty('OPENAI_BASE_URL');
});

test('no file, a folder of its name, and one that is too large add nothing', async () => {
  await using project = await copyProject();
  expect(addDotEnv(project.folder, {})).toEqual({ taken: [], left: [] });
  expect((await added(`A=${'x'.repeat(70_000)}\n`, {})).left).toEqual([
    expect.stringContaining('more than 65536 bytes'),
  ]);
});

test('a run tells the names and never the values', async () => {
  await using project = await copyProject('shop');
  await writeFile(join(project.folder, '.env'), 'OPENAI_API_KEY=sk-very-secret\nNODE_OPTIONS=--inspect\n');
  const { stdout, stderr } = await startProofmark(project.folder, ['run']).ended;
  expect(stderr).toContain(
    '.env: OPENAI_API_KEY\n.env: not taken: NODE_OPTIONS: only the environment itself may say it\n',
  );
  expect(stdout + stderr).not.toContain('sk-very-secret');
});
