import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { copyProject, startProofmark } from './try-proofmark.fixture.ts';

const command = fileURLToPath(new URL('../bin/proofmark.mjs', import.meta.url));

async function failingProject() {
  const project = await copyProject();
  await mkdir(join(project.folder, 'evals'));
  await writeFile(
    join(project.folder, 'evals/hours.suite.yaml'),
    `name: Hours
agent: { name: Desk, driver: { type: scripted, replies: [{ reply: We never close. }] } }
cases: [{ name: Closing, input: When?, expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }]
`,
  );
  return project;
}

test('a run whose output nobody reads to its end writes its files, and ends with its verdict', async () => {
  await using project = await failingProject();
  const { child, ended } = startProofmark(project.folder, ['run', '--output', 'report.json']);
  child.stdout.destroy();
  child.stderr.destroy();
  expect((await ended).code).toBe(1);
  expect(existsSync(join(project.folder, 'report.json'))).toBe(true);
});

test('a folder that was removed meanwhile is told in one line', async () => {
  await using project = await copyProject();
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
  const typed = spawnSync('sh', ['-c', script, 'sh', process.execPath, command, 'list'], {
    ...{ cwd: project.folder, encoding: 'utf8' },
  });
  expect([typed.status, typed.stdout, typed.stderr]).toEqual([
    2,
    '',
    'proofmark: this folder is not there any more: change to another one\n',
  ]);
});

// Only Linux has a file that is always full.
test.runIf(process.platform === 'linux')('an answer that a full disk swallows is told, and is no success', async () => {
  await using project = await failingProject();
  const typed = (...args: string[]) =>
    spawnSync('sh', ['-c', 'exec "$@" > /dev/full', 'sh', process.execPath, command, ...args], {
      ...{ cwd: project.folder, encoding: 'utf8' },
    });
  const told = expect.stringContaining('proofmark: the answer cannot be written: ENOSPC');
  expect(typed('list')).toMatchObject({ status: 3, stderr: told });
  expect(typed('run')).toMatchObject({ status: 1, stderr: told });
});
