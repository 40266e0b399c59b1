import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

test('only the newest answers are kept, each question with its last one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-answers-'));
  try {
    const path = join(folder, 'answers.jsonl');
    const line = (number: number, text: string) =>
      `{"key":"${String(number).padStart(64, '0')}","recorded":"${text}"}\n`;
    const numbers = Array.from({ length: 6_000 }, (_, number) => number);
    await writeFile(path, numbers.map((number) => line(number, 'first')).join('') + line(0, 'second'));
    await (await openAnswerCache(path, from))[Symbol.asyncDispose]();
    const kept = await readFile(path, 'utf8');
    expect(kept).toBe([...numbers.slice(-3_749).map((number) => line(number, 'first')), line(0, 'second')].join(''));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
