import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyProject, proofmark } from '../try-proofmark.fixture.ts';
import { findRoot } from './find-root.ts';

/** A repository with a project in `one` and one in `two`, and a folder of no project. */
async function repositoryOfProjects() {
  const copy = await copyProject();
  for (const folder of ['.git', 'one/evals', 'two', 'plain']) {
    await mkdir(join(copy.folder, folder), { recursive: true });
  }
  for (const project of ['one', 'two']) await writeFile(join(copy.folder, project, 'proofmark.yaml'), '');
  return copy;
}

test('paths that lie in one project further down are about that project', async () => {
  await using repository = await repositoryOfProjects();
  const { folder } = repository;
  expect(findRoot(folder)).toBe(folder);
  expect(findRoot(folder, ['one'])).toBe(join(folder, 'one'));
  expect(findRoot(folder, ['one/evals', 'one/proofmark.yaml'])).toBe(join(folder, 'one'));
  expect(findRoot(join(folder, 'one/evals'))).toBe(join(folder, 'one'));
});

test('paths of several projects, of none and outside are about the repository', async () => {
  await using repository = await repositoryOfProjects();
  const { folder } = repository;
  expect(findRoot(folder, ['one', 'two'])).toBe(folder);
  expect(findRoot(folder, ['one', 'plain'])).toBe(folder);
  expect(findRoot(folder, ['missing'])).toBe(folder);
  expect(findRoot(join(folder, 'one'), ['../two'])).toBe(join(folder, 'one'));
});

test('a project is found by its absolute path from the top of the disk', async () => {
  await using repository = await repositoryOfProjects();
  const { folder } = repository;
  expect(findRoot('/', [join(folder, 'one/evals')])).toBe(join(folder, 'one'));
});

test('a project is checked from the folder above it as from its own', async () => {
  await using repository = await copyProject();
  const inside = join(repository.folder, 'shop');
  await mkdir(inside);
  await proofmark(inside, 'init');
  expect(await proofmark(repository.folder, 'validate', 'shop')).toEqual(await proofmark(inside, 'validate'));
});

test('the files of cases are read from the project of the path', async () => {
  await using repository = await copyProject();
  await mkdir(join(repository.folder, 'shop'));
  await writeFile(join(repository.folder, 'shop/proofmark.yaml'), 'limits: { concurrency: 2 }');
  await writeFile(join(repository.folder, 'shop/hours.txt'), 'Open from 9 to 17.');
  await writeFile(
    join(repository.folder, 'shop/hours.suite.yaml'),
    `name: Hours
agent: { name: A, driver: { type: scripted, replies: [{ contains: from 9 to 17, reply: "yes" }] } }
cases:
  - name: Reads
    input: Is the shop open?
    files: [{ path: hours.txt, type: text }]
    expected_behavior: { checks: [{ type: equals, value: "yes" }] }
`,
  );
  expect((await proofmark(repository.folder, 'run', 'shop')).code).toBe(0);
});
