import { randomUUID } from 'node:crypto';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { AgentDefinition } from '@proofmark/contracts/agent-file';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { ClaimReply, HelloReply } from '@proofmark/contracts/control-messages';
import { MockSettings } from '@proofmark/contracts/mocks';
import { resultSubject, rpcSubject } from '@proofmark/contracts/subjects';
import { TestCase } from '@proofmark/contracts/test-case';
import { brokerOptions } from '@proofmark/process/broker-login';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startOwnNats } from '../stack/nats.ts';
import { startProcess } from '../stack/processes.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { withNewKeys } from '../stack/with-new-keys.ts';
import { expectSoundLedger, modelSuite, patient, startRunningProduct } from './running-product.ts';
import { ScriptedCoordinator } from './scripted-coordinator.ts';

const Ready = z.looseObject({ ready: z.literal(true) });

const work: CaseWork = {
  suiteName: 'Support',
  suitePath: 'evals/support.suite.yaml',
  variant: 'head',
  cellKey: '',
  repetition: 1,
  seed: '0123456789abcdef',
  case: TestCase.parse({ name: 'Business hours', kind: 'single', input: 'When do you open?' }),
  agent: AgentDefinition.parse({
    name: 'Desk',
    instructions: 'You are a support agent.',
    driver: { type: 'scripted', replies: [{ reply: 'From 9 to 17' }] },
    ai_configuration: null,
  }),
  model: null,
  instrument: {
    ...{ judge: null, embedding: null, simulator: null, evaluations: null, mocks: [] },
    mockSettings: MockSettings.parse({}),
  },
  resolvedVariables: { values: {}, sources: {} },
  limits: { caseTimeoutMs: 60_000, agentTimeoutMs: 60_000, maxTurns: 40 },
};

test('F11 P16 a runner works beside a newer coordinator whose every message has keys that it does not know', async () => {
  await using nats = await startOwnNats();
  await using coordinator = await ScriptedCoordinator.start({ natsUrl: nats.url, isNewer: true });
  await using runner = await startProcess({
    name: 'runner',
    entry: 'runner-agent/src/main.ts',
    env: { NATS_URL: nats.url, PORT: '0', PROOFMARK_HOST: '127.0.0.1' },
    ready: { line: Ready },
  });
  const run = coordinator.startRun();
  const [testRunId] = await run.publish(work);
  await waitUntil(() => coordinator.results.length > 0, { what: 'the result is there', detail: runner.log });
  expect(coordinator.results).toMatchObject([{ testRunId, outcome: { response: 'From 9 to 17' } }]);
  await runner.stop();
  expect(await runner.exited).toEqual({ code: 0, signal: null });
});

test(
  'F11 P16 a coordinator takes the results of a newer runner, without what it does not know of them',
  patient,
  async () => {
    await using running = await startRunningProduct({ runners: 0 });
    const runId = await running.start(modelSuite({ cases: 2 }));
    const connection = await connect(brokerOptions({ NATS_URL: running.nats.url }));
    const runnerId = 'runner-of-tomorrow';
    const call = async (name: 'hello' | 'claim', request: unknown): Promise<unknown> =>
      (await connection.request(rpcSubject(runnerId, name), JSON.stringify(withNewKeys(request)))).json();

    const hello = HelloReply.parse(await call('hello', { protocol: 1, version: '9.9.9', pool: 'default', slots: 2 }));
    if (!hello.ok) throw new Error(hello.message);
    const { sessionId } = hello;
    const chunks = await running.rows<{ tenantId: string; chunkId: string }>(
      'select tenant_id as "tenantId", id as "chunkId" from chunks',
    );
    const { claimed } = ClaimReply.parse(await call('claim', { sessionId, claimId: randomUUID(), chunks }));
    expect(claimed.map(({ chunkId }) => chunkId).toSorted()).toEqual(chunks.map(({ chunkId }) => chunkId).toSorted());

    const outcome = {
      ...{ status: 'passed', errorKind: null, errorMessage: null, testInput: 'When?', response: 'At 17.' },
      checks: [{ checkIndex: 0, checkType: 'contains_phrases', status: 'pass', passed: true, details: {} }],
      ...{ executionTimeMs: 5, startedAt: new Date().toISOString() },
    };
    const results = claimed.map(({ chunkId, attempt }) => ({ chunkId, at: 0, attempt, outcome }));
    const message = { v: 1, kind: 'results', tenantId: chunks[0]?.tenantId, runId, sessionId, results };
    await jetstream(connection).publish(resultSubject(runnerId, runId), JSON.stringify(withNewKeys(message)));

    const ended = await running.waitForEnd(runId);
    expect(ended.results.map(({ status }) => status)).toEqual(['passed', 'passed']);
    await expectSoundLedger(running.rows, runId);
    await connection.close();
  },
);
