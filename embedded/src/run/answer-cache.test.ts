import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { fileDigestIn, planRun } from '@proofmark/domain/plan-run';
import { expect, test } from 'vitest';
import { collectDefinitions } from '../definitions/collect-definitions.ts';
import { scratchRepository } from '../scratch-repository.fixture.ts';
import { answerKey, openAnswerCache } from './answer-cache.ts';

const from = { defaultBaseUrl: 'https://api.example.com/v1', version: '1.0.0' };

/** What one case with these files asks; the content of `a.pdf` is known. */
async function workWith(files: object[]): Promise<CaseWork> {
  const suite = {
    ...{ name: 'Talk', agent: { name: 'Desk', instructions: 'Be kind.', ai_configuration: 'm' } },
    cases: [
      {
        name: 'One',
        input: 'One?',
        files,
        expected_behavior: { checks: [{ type: 'contains_phrases', phrases: ['x'] }] },
      },
    ],
  };
  await using head = await scratchRepository({
    'proofmark.yaml': JSON.stringify({ ai_configurations: { m: { provider: 'openai', model: 'm' } } }),
    ...{ 'a.pdf': '%PDF-1.4', 'unread.pdf': '%PDF-1.4' },
    'talk.suite.yaml': JSON.stringify(suite),
  });
  const { definitions, problems } = collectDefinitions({ root: head.root });
  const request = { ...nothing, variables: {}, matrix: {}, preset: null, difficulty: null, repetitions: null };
  const fileDigest = fileDigestIn([{ path: 'a.pdf', sha256: 'a'.repeat(64) }]);
  const planned = planRun({ definitions, request, runSeed: 's', fileDigest });
  const work = planned.ok ? planned.plan.suiteRuns[0]?.testRuns[0]?.work : undefined;
  if (work == null) throw new Error(JSON.stringify([planned, problems]));
  return work;
}

const nothing = {
  ...{ assignments: [], matrixAssignments: [], cases: [], tags: [], compared: false },
  variants: ['head' as const],
};

test('an answer is known only where the content of each file is: what an address holds may have changed', async () => {
  const local = { path: 'a.pdf', type: 'pdf' };
  expect(answerKey(await workWith([]), from)).not.toBeNull();
  expect(answerKey(await workWith([local]), from)).not.toBeNull();
  expect(answerKey(await workWith([{ path: 'unread.pdf', type: 'pdf' }]), from)).toBeNull();
  expect(answerKey(await workWith([local, { url: 'https://files.example.com/b.pdf', type: 'pdf' }]), from)).toBeNull();
});

test('an answer from another address of the models, or by another version, is another answer', async () => {
  const work = await workWith([]);
  const key = answerKey(work, from);
  expect(answerKey(work, { ...from })).toBe(key);
  expect(answerKey(work, { ...from, defaultBaseUrl: 'https://other.example.com/v1' })).not.toBe(key);
  expect(answerKey(work, { ...from, version: '1.0.1' })).not.toBe(key);
});

async function scratchFile() {
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-answers-'));
  return {
    path: join(folder, 'answers.jsonl'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

const line = (number: number, text: string) => `{"key":"${String(number).padStart(64, '0')}","recorded":"${text}"}\n`;

test('only the newest answers are kept, each question with its last one', async () => {
  await using file = await scratchFile();
  const numbers = Array.from({ length: 6_000 }, (_, number) => number);
  await writeFile(file.path, numbers.map((number) => line(number, 'first')).join('') + line(0, 'second'));
  await (await openAnswerCache(file.path, from))[Symbol.asyncDispose]();
  const kept = await readFile(file.path, 'utf8');
  expect(kept).toBe([...numbers.slice(-3_749).map((number) => line(number, 'first')), line(0, 'second')].join(''));
});

const said = CaseOutcome.parse({
  ...{ status: 'passed', errorKind: null, errorMessage: null, testInput: 'One?', response: 'yes' },
  ...{ executionTimeMs: 5, startedAt: '2025-11-01T00:00:00.000Z', latencyMs: 12 },
  transcript: [
    { role: 'user', text: 'One?' },
    { role: 'agent', text: 'yes' },
  ],
});

test.each([
  ['a number of answers', { answers: 100, bytes: 1e6 }, { count: 100, length: 10, left: 75 }],
  ['a number of bytes', { answers: 100, bytes: 8_000 }, { count: 8, length: 900, left: 6 }],
])(
  'a run that goes beyond %s lets the oldest go at once, and keeps what comes after',
  async (_bound, most, earlier) => {
    const { count, length, left } = earlier;
    await using file = await scratchFile();
    await writeFile(file.path, Array.from({ length: count }, (_, number) => line(number, 'x'.repeat(length))).join(''));
    const work = await workWith([]);
    {
      await using cache = await openAnswerCache(file.path, from, most);
      for (const repetition of [1, 2]) await cache.keep({ ...work, repetition }, said, `run/${repetition}`);
    }
    const lines = (await readFile(file.path, 'utf8')).split('\n');
    expect(lines).toHaveLength(left + 2);
    expect(lines.at(-2)).toContain('"testRunId":"run/2"');
    await using cache = await openAnswerCache(file.path, from);
    expect(await cache.recall({ ...work, repetition: 1 })).toMatchObject({ testRunId: 'run/1', response: 'yes' });
  },
);

test('where another run has put the answer to another question meanwhile, nothing is known', async () => {
  await using file = await scratchFile();
  const work = await workWith([]);
  const other = { ...work, repetition: work.repetition + 1 };
  const keep = async (one: CaseWork) => {
    await using cache = await openAnswerCache(file.path, from);
    await cache.keep(one, said, 'run/one');
  };
  await keep(other);
  const others = await readFile(file.path, 'utf8');
  await writeFile(file.path, '');
  await keep(work);
  await using cache = await openAnswerCache(file.path, from);
  expect(await cache.recall(work)).toMatchObject({ response: 'yes' });
  await writeFile(file.path, others);
  expect(await cache.recall(work)).toBeNull();
});
