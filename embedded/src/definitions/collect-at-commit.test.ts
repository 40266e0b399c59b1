import { spawnSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ScratchRepository, scratchRepository, suiteText } from '../scratch-repository.fixture.ts';
import { collectAtCommit } from './collect-at-commit.ts';

const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];

function git(root: string, ...args: string[]): void {
  const { status, stderr } = spawnSync('git', ['-C', root, ...author, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

async function committed(files: Record<string, string>): Promise<ScratchRepository> {
  const repository = await scratchRepository(files);
  git(repository.root, 'init', '-q', '-b', 'main');
  git(repository.root, 'add', '-A');
  git(repository.root, 'commit', '-q', '-m', 'base');
  return repository;
}

const files = {
  'proofmark.yaml': 'suites: ["evals/*.suite.yaml"]\n',
  'evals/a.suite.yaml': suiteText({ name: 'A', reply: 'as committed' }),
  'elsewhere/b.suite.yaml': suiteText({ name: 'B' }),
  'node_modules/x/c.suite.yaml': suiteText({ name: 'C' }),
};

describe('definitions at a commit', () => {
  test('are read as they were committed, whatever the folder holds now', async () => {
    await using repository = await committed(files);
    await writeFile(join(repository.root, 'evals/a.suite.yaml'), suiteText({ name: 'A', reply: 'changed since' }));
    await rm(join(repository.root, 'proofmark.yaml'));
    const at = collectAtCommit({ root: repository.root, ref: 'main' });
    if (!at.ok) throw new Error(at.message);
    expect(at.commit).toMatch(/^[0-9a-f]{40}$/);
    expect(at.loaded.problems).toEqual([]);
    expect(at.loaded.definitions.suites.map(({ path }) => path)).toEqual(['evals/a.suite.yaml']);
    expect(JSON.stringify(at.loaded.definitions.suites[0]?.agent.driver)).toContain('as committed');
  });

  test('of a folder of the repository have paths from that folder', async () => {
    await using repository = await committed({ 'service/evals/a.suite.yaml': suiteText({ name: 'A' }) });
    const at = collectAtCommit({ root: join(repository.root, 'service'), ref: 'HEAD' });
    expect(at.ok && at.loaded.definitions.suites.map(({ path }) => path)).toEqual(['evals/a.suite.yaml']);
  });

  test('of nothing that git knows are refused, and an option is no ref', async () => {
    await using repository = await committed(files);
    for (const ref of ['no-such-branch', '--all', 'main:evals', '']) {
      expect(collectAtCommit({ root: repository.root, ref })).toMatchObject({ ok: false });
    }
    expect(collectAtCommit({ root: repository.root, ref: 'master' })).toEqual({
      ok: false,
      message: `master is neither a file nor a commit of the repository in ${repository.root}; its branches: main`,
    });
    await using plain = await scratchRepository(files);
    const refused = () => collectAtCommit({ root: plain.root, ref: 'main' });
    expect(refused()).toEqual({ ok: false, message: `main is no file, and git finds no repository in ${plain.root}` });
    git(plain.root, 'init', '-q', '-b', 'main');
    expect(refused()).toMatchObject({ message: expect.stringMatching(/; it has no commit yet$/) });
  });
});
