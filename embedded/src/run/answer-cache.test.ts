import type { CaseWork } from '@proofmark/contracts/case-work';
import { fileDigestIn, planRun } from '@proofmark/domain/plan-run';
import { expect, test } from 'vitest';
import { collectDefinitions } from '../definitions/collect-definitions.ts';
import { scratchRepository } from '../scratch-repository.fixture.ts';
import { answerKey } from './answer-cache.ts';

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
