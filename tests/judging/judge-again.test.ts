import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lastUserText, systemText } from '../stack/model/chat-request.ts';
import type { Rule } from '../stack/model/rules.ts';
import { type ModelServer, startModelServer } from '../stack/model-server.ts';
import { typeCli } from '../stack/type-cli.ts';

const verdictOf = (passed: boolean): string => JSON.stringify({ reasoning: 'as told', passed });

/** The agent tells its version and what it was asked; the second judge lets nothing pass. */
const rules: Rule[] = [
  { when: { model: 'judge-1' }, reply: verdictOf(true) },
  { when: { model: 'judge-2' }, reply: verdictOf(false) },
  {
    when: { user: 'at length' },
    reply: (request) => `${version(systemText(request))} says 17. ${'And so on. '.repeat(2_000)}`,
  },
  { reply: (request) => `${version(systemText(request))} says 17 to: ${lastUserText(request)}` },
];
const version = (instructions: string): string => (instructions.includes('briefly') ? 'Head' : 'Base');

let folder: string;
let model: ModelServer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proofmark-judge-again-'));
  model = await startModelServer({ rules });
  await writeFile(
    join(folder, 'proofmark.yaml'),
    [
      'ai_configurations:',
      `  desk: { provider: openai, model: desk-1, base_url: "${model.url}", price: { input: 1000, output: 1000 } }`,
      `  lenient: { provider: openai, model: judge-1, base_url: "${model.url}", price: { input: 1, output: 1 } }`,
      `  strict: { provider: openai, model: judge-2, base_url: "${model.url}", price: { input: 1, output: 1 } }`,
      '',
    ].join('\n'),
  );
});
afterEach(async () => {
  await model.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Shop {
  judge: string;
  instructions?: string;
  /** What the second of five cases asks. */
  second?: string;
}

async function writeShop({
  judge,
  instructions = 'You answer for a shop.',
  second = 'Question 2',
}: Shop): Promise<void> {
  const inputs = ['Question 1', second, 'Question 3', 'Question 4', 'Question 5'];
  await writeFile(
    join(folder, 'shop.suite.yaml'),
    [
      'name: Shop',
      `agent: { name: Desk, ai_configuration: desk, instructions: "${instructions}" }`,
      `judge: { ai_configuration: ${judge} }`,
      'repetitions: 3',
      'cases:',
      ...inputs.map(
        (input, at) =>
          `  - { name: Case ${at + 1}, input: ${input}, expected_behavior: { checks: [{ type: llm_judge, expected_answer: At 17 }] } }`,
      ),
      '',
    ].join('\n'),
  );
}

const proofmark = async (...args: string[]) => await typeCli(args, { folder });

/** A run of the version before, and the place of its results. */
async function storedRun(shop: Partial<Shop> = {}): Promise<string> {
  await writeShop({ judge: 'lenient', ...shop });
  const ended = await proofmark('run');
  expect(ended.code, ended.stderr).toBe(0);
  const [id] = await readdir(join(folder, 'results'));
  return `results/${id}`;
}

const askedOf = (name: string, since = 0) => model.requests.slice(since).filter((request) => request.model === name);

describe('a judge that changed since the stored results', () => {
  test('judges the stored answers again, and the agent that gave them is not asked', async () => {
    const stored = await storedRun();
    const seen = model.requests.length;
    await writeShop({ judge: 'strict', instructions: 'You answer for a shop, briefly.' });

    const ended = await proofmark('run', '--compare', stored, '--results', 'later', '--json');

    expect(ended.stderr).toContain(
      'The judge has changed since the results to compare with: 15 stored answers of them are judged again',
    );
    const [answer] = JSON.parse(ended.stdout).suite_runs;
    expect(answer.verdict).toMatchObject({ diff_points: 0, base_pass_rate: 0, head_pass_rate: 0 });
    expect(answer.verdict.judged_again).toMatchObject({ answers: 15, cases: 5, left_out: 0, changed: ['judge'] });
    expect(answer.verdict.text).toContain(
      'The judge changed since then: 15 stored answers of the base were judged again.',
    );
    expect(askedOf('desk-1', seen)).toHaveLength(15);
    expect(askedOf('desk-1', seen).every(({ system }) => system.includes('briefly'))).toBe(true);
    // Five different answers of each side; equal ones are judged once.
    expect(askedOf('judge-2', seen).filter(({ user }) => user.includes('Base says'))).toHaveLength(5);
    const [id] = await readdir(join(folder, 'later'));
    const [line] = (await linesOf(join(folder, 'later', id ?? '', 'judged-again'))).filter(({ outcome }) => outcome);
    expect(line).toMatchObject({
      variant: 'baseline',
      work: { recorded: { testRunId: expect.stringMatching(/^[^/]+\/01-shop\/Case \d(#\d)?$/) } },
      outcome: { status: 'failed', costUsd: 0 },
    });
  });

  test('judges long answers again as they were given, and leaves out cases of which something was not kept', async () => {
    const stored = await storedRun({ second: 'Tell me at length' });
    await writeShop({ judge: 'strict', second: 'Tell me at length' });
    const whole = await proofmark('run', '--compare', stored, '--results', 'later');
    expect(whole.stdout).toContain('The judge changed since then: 15 stored answers of the base were judged again.\n');
    const askedAgain = model.requests.filter(({ body }) => JSON.stringify(body).includes('Base says 17. And so on.'));
    expect(askedAgain.length).toBeGreaterThan(0);

    const [name = ''] = (await readdir(join(folder, stored), { recursive: true })).filter((one) =>
      one.endsWith('results.jsonl'),
    );
    const path = join(folder, stored, name);
    const text = await readFile(path, 'utf8');
    const cut = text.replaceAll(/("testInput":"Tell me at length".*?"flags":)\[\]/g, '$1["evidence_cut"]');
    expect(cut).not.toBe(text);
    await writeFile(path, cut);
    const ended = await proofmark('run', '--compare', stored, '--results', 'latest');
    expect(ended.stdout).toContain(
      'The judge changed since then: 12 stored answers of the base were judged again. 1 case left out: an answer is not kept whole.',
    );
    expect(ended.stdout).toContain('1 changed case (the judge), not compared: `Case 2`');
  });

  test('is told by a comparison that asks no model, with the command that judges again', async () => {
    const stored = await storedRun();
    await writeShop({ judge: 'strict' });
    await proofmark('run', '--results', 'later');
    const [later] = await readdir(join(folder, 'later'));
    const seen = model.requests.length;

    const ended = await proofmark('compare', stored, `later/${later}`);

    expect(ended.code).toBe(3);
    expect(model.requests.length).toBe(seen);
    expect(ended.stdout).toContain('No baseline: the measuring setup changed');
    expect(ended.stdout).toContain(
      `In 5 cases only what judges has changed: proofmark run --compare ${stored} judges the stored answers of the base again.`,
    );
  });
});

async function linesOf(path: string): Promise<Record<string, unknown>[]> {
  const files = (await readdir(path, { recursive: true })).filter((name) => name.endsWith('results.jsonl'));
  const texts = await Promise.all(files.map(async (name) => await readFile(join(path, name), 'utf8')));
  return texts.flatMap((text) => text.trim().split('\n')).map((text) => JSON.parse(text));
}
