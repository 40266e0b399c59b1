import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandIn, copyProject, proofmark, startProofmark } from '../try-proofmark.fixture.ts';

/** A copy of a project with the results of one run. */
async function ranProject(args: readonly string[] = []) {
  const project = await copyProject('shop');
  await commandIn(project.folder, ['run', ...args]);
  const [runId = ''] = await readdir(join(project.folder, 'results'));
  return { ...project, runId, [Symbol.asyncDispose]: () => project[Symbol.asyncDispose]() };
}

/** One hash over every file of the results. */
async function hashOfResults(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const entry of (await readdir(join(folder, 'results'), { recursive: true })).toSorted()) {
    const content = await readFile(join(folder, 'results', entry)).catch(() => '');
    hash.update(entry).update(content);
  }
  return hash.digest('hex');
}

async function edit(path: string, from: string, to: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  expect(text).toContain(from);
  await writeFile(path, text.replaceAll(from, to));
}

describe('replay', () => {
  test('repeats a test run from its results file, whatever the definitions say by now, and changes nothing', async () => {
    await using project = await ranProject();
    const before = await hashOfResults(project.folder);
    await edit(join(project.folder, 'agents/shop.agent.yaml'), '14 days', '3 years');
    const { code, stdout } = await commandIn(project.folder, ['replay', `${project.runId}/02-refunds/Refund time`]);
    expect(stdout).toContain('Refunds › Refund time  SAME\n');
    expect(stdout).toMatch(/status +failed {2}= {2}failed\n/);
    expect(stdout).toContain('answer, the same: A refund takes 14 days.\n');
    expect(code).toBe(0);
    expect(await hashOfResults(project.folder)).toBe(before);
  });

  test('shows both sides of what differs, as text and as JSON', async () => {
    await using project = await ranProject(['--repetitions', '2']);
    const file = join(project.folder, 'results', project.runId, '02-refunds/results.jsonl');
    await edit(file, '"response":"A refund takes 14 days."', '"response":"A refund takes 30 days."');
    await edit(file, '"status":"fail"', '"status":"pass"');
    const id = `results/${project.runId}/02-refunds/Refund time#2`;
    const text = await proofmark(project.folder, 'replay', id);
    expect(text.stdout).toContain('Refunds › Refund time #2  DIFFERENT\n');
    expect(text.stdout).toMatch(/check 1 contains_phrases +pass +→ +fail\n/);
    expect(text.stdout).toContain(
      'answer, stored: A refund takes 30 days.\n  answer, replay: A refund takes 14 days.\n',
    );
    const json = JSON.parse((await proofmark(project.folder, 'replay', id, '--json')).stdout);
    expect(json).toMatchObject({
      is_same: false,
      repetition: 2,
      difference: { answer: { before: 'A refund takes 30 days.', after: 'A refund takes 14 days.' } },
      replay: { status: 'failed' },
    });
  });

  test('names the test runs of a run when the name leaves them open', async () => {
    await using project = await ranProject();
    const { code, stderr } = await commandIn(project.folder, ['replay', project.runId]);
    expect(stderr).toContain(`has 3 test runs. Name one:\n${project.runId}/01-hours/`);
    expect(code).toBe(2);
    const none = await commandIn(project.folder, ['replay', `${project.runId}/02-refunds/Nothing`]);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("There is no test run 'Nothing'")]);
    const nowhere = await commandIn(project.folder, ['replay', 'another-run']);
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('There are no results of another-run')]);
  });

  test('says which keys and files are missing, and runs nothing then', async () => {
    await using project = await copyProject();
    await writeFile(
      join(project.folder, 'proofmark.yaml'),
      'ai_configurations:\n  desk: { provider: openai, model: m, base_url: "http://127.0.0.1:9/v1", api_key_env: DESK_KEY }\n',
    );
    await writeFile(
      join(project.folder, 'x.suite.yaml'),
      `name: Desk
agent: { name: Desk, instructions: Help., ai_configuration: desk }
cases:
  - { name: One, input: a, files: [{ path: a.txt, type: text }], expected_behavior: { checks: [{ type: length, min: 1 }] } }
`,
    );
    await writeFile(join(project.folder, 'a.txt'), 'first');
    await startProofmark(project.folder, ['run'], { PROOFMARK_KEY_ENVS: 'DESK_KEY' }).ended;
    const [runId = ''] = await readdir(join(project.folder, 'results'));
    await writeFile(join(project.folder, 'a.txt'), 'second');
    const { code, stderr } = await commandIn(project.folder, ['replay', `${runId}/01-desk/One`]);
    expect(stderr).toContain(`${runId}/01-desk/One cannot be repeated here as it was:\n  desk: DESK_KEY is not`);
    expect(stderr).toContain('  a.txt has changed since: it had the SHA-256 ');
    expect(code).toBe(2);
  });
});
