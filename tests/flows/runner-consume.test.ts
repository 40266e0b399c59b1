import { AgentDefinition } from '@proofmark/contracts/agent-file';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { MockSettings } from '@proofmark/contracts/mocks';
import { TestCase } from '@proofmark/contracts/test-case';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { type ChatRequest, lastUserText } from '../stack/model/chat-request.ts';
import { startModelServer } from '../stack/model-server.ts';
import { startOwnNats } from '../stack/nats.ts';
import { startProcess } from '../stack/processes.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { casesId, ScriptedCoordinator } from './scripted-coordinator.ts';

const Ready = z.object({ ready: z.literal(true), runner: z.string(), port: z.number() });

async function startRunner(natsUrl: string, env: Record<string, string> = {}) {
  const defaults = { NATS_URL: natsUrl, PORT: '0', PROOFMARK_HOST: '127.0.0.1', PROOFMARK_RUNNER_ID: 'runner-1' };
  return startProcess({
    name: 'runner',
    entry: inject('programs').runner,
    env: { ...defaults, ...env },
    ready: { line: Ready },
  });
}

/** Asks the agent one question; a scripted agent unless a model is given. */
function work({
  input = 'When do you open?',
  model = null,
  variant = 'head',
}: {
  input?: string;
  model?: CaseWork['model'];
  variant?: CaseWork['variant'];
} = {}): CaseWork {
  return {
    suiteName: 'Support',
    suitePath: 'evals/support.suite.yaml',
    variant,
    cellKey: '',
    repetition: 1,
    seed: '0123456789abcdef',
    case: TestCase.parse({
      name: 'Business hours',
      kind: 'single',
      input,
      expected_behavior: { checks: [{ type: 'contains_phrases', phrases: ['9'] }] },
    }),
    agent: AgentDefinition.parse({
      name: 'Support agent',
      instructions: 'You are a support agent.',
      driver: model ? { type: 'openai' } : { type: 'scripted', replies: [{ reply: 'From 9 to 17' }] },
      ai_configuration: null,
    }),
    model,
    instrument: {
      judge: null,
      embedding: null,
      simulator: null,
      evaluations: null,
      mocks: [],
      mockSettings: MockSettings.parse({}),
    },
    resolvedVariables: { values: {}, sources: {} },
    limits: { caseTimeoutMs: 60_000, agentTimeoutMs: 60_000, maxTurns: 40 },
  };
}

const model = { configuration: 'main', provider: 'openai', model: 'm' };
const many = (count: number, one: () => CaseWork) => Array.from({ length: count }, one);

test('a runner takes the work of all runs, answers each test run once and ends when it is told to', async () => {
  await using nats = await startOwnNats();
  await using coordinator = await ScriptedCoordinator.start({ natsUrl: nats.url });
  const early = coordinator.startRun();
  await using runner = await startRunner(nats.url);
  const late = coordinator.startRun();

  const ids = [...(await early.publish(...many(60, work))), ...(await late.publish(...many(5, work)))];

  await waitUntil(() => coordinator.results.length >= ids.length, {
    what: 'all results are there',
    detail: runner.log,
  });
  expect(coordinator.results.map((result) => result.testRunId).sort()).toEqual(ids.sort());
  expect(new Set(coordinator.results.map(({ outcome, attempt }) => `${outcome.status} ${attempt}`))).toEqual(
    new Set(['passed 1']),
  );
  expect(await coordinator.openTasks()).toBe(0);
  // Several test runs share a claim, and no claim has more than the slots.
  expect(coordinator.claims.length).toBeLessThan(ids.length);
  expect(Math.max(...coordinator.claims.map((claim) => claim.chunks.length))).toBeLessThanOrEqual(8);

  const ready = () => fetch(`http://127.0.0.1:${runner.ready.port}/readyz`);
  const isConfirmed = async () =>
    z.object({ unconfirmed: z.literal(0) }).safeParse(await (await ready()).json()).success;
  await waitUntil(isConfirmed, { what: 'all results are confirmed', detail: runner.log });
  expect((await ready()).status).toBe(200);

  await runner.stop();
  expect(await runner.exited).toEqual({ code: 0, signal: null });
  expect(coordinator.releases).toEqual([{ sessionId: expect.any(String), given: [], closing: true }]);
});

test('S1-39 the log names each test run that ended by its id, the id and the name of its case and what came of it', async () => {
  await using nats = await startOwnNats();
  await using coordinator = await ScriptedCoordinator.start({ natsUrl: nats.url });
  await using runner = await startRunner(nats.url, { PROOFMARK_LOG_LEVEL: 'debug' });
  const run = coordinator.startRun();
  const [testRunId] = await run.publish(work());
  await waitUntil(() => coordinator.results.length === 1, { what: 'the result is there', detail: runner.log });

  const line = () =>
    runner
      .log()
      .split('\n')
      .find((text) => text.includes('A test run has ended')) ?? '';
  await waitUntil(() => line() !== '', { what: 'the log tells it', detail: runner.log });
  expect(JSON.parse(line().slice(line().indexOf('{')))).toMatchObject({
    ...{ testRunId, runId: run.runId, attempt: 1, testCaseId: casesId, case: 'Business hours', status: 'passed' },
  });
});

test('a cancelled run ends its calls in flight within a second and leaves the others alone', async () => {
  await using nats = await startOwnNats();
  await using coordinator = await ScriptedCoordinator.start({ natsUrl: nats.url });
  await using server = await startModelServer({ rules: [{ reply: 'From 9 to 17' }] });
  await using runner = await startRunner(nats.url, { OPENAI_BASE_URL: server.url });
  const [cancelled, other] = [coordinator.startRun(), coordinator.startRun()];
  server.hold();
  await cancelled.publish(work({ model }), work({ model }));
  const kept = await other.publish(work({ model }));
  await server.whenInFlight(3);

  coordinator.tell('run-cancelled', cancelled.runId);

  await waitUntil(() => server.inFlight() === 1, {
    what: 'the calls of the cancelled run are over',
    timeoutMs: 1_000,
    detail: runner.log,
  });
  server.release();
  await waitUntil(() => coordinator.results.length > 0, { what: 'the other run has its result' });
  expect(coordinator.results.map((result) => result.testRunId)).toEqual(kept);
});

test('an expired session drops what it held, and the runner goes on with a new one', async () => {
  await using nats = await startOwnNats();
  await using coordinator = await ScriptedCoordinator.start({ natsUrl: nats.url });
  await using server = await startModelServer({ rules: [{ reply: 'From 9 to 17' }] });
  await using runner = await startRunner(nats.url, { OPENAI_BASE_URL: server.url });
  const run = coordinator.startRun();
  server.hold();
  await run.publish(work({ model }));
  await server.whenInFlight(1);

  coordinator.sessions.clear();

  await waitUntil(() => server.inFlight() === 0 && coordinator.hellos.length === 2, {
    what: 'the runner said hello again',
    detail: runner.log,
  });
  server.release();
  const [next] = await run.publish(work());
  await waitUntil(() => coordinator.results.length > 0, { what: 'the new session has a result' });
  expect(coordinator.results.map((result) => result.testRunId)).toEqual([next]);
});

test('a runner that hears nothing starts nothing, and gives up its calls after a lease', async () => {
  await using nats = await startOwnNats();
  await using coordinator = await ScriptedCoordinator.start({ natsUrl: nats.url, leaseMs: 2_000 });
  await using server = await startModelServer({ rules: [{ reply: 'From 9 to 17' }] });
  await using runner = await startRunner(nats.url, { OPENAI_BASE_URL: server.url });
  const run = coordinator.startRun();
  server.hold();
  await run.publish(work({ model }));
  await server.whenInFlight(1);
  const claims = coordinator.claims.length;

  coordinator.answersHeartbeats = false;
  await waitUntil(() => server.inFlight() === 0, { what: 'the call was given up', detail: runner.log });
  await run.publish(work());
  expect(coordinator.claims).toHaveLength(claims);

  coordinator.answersHeartbeats = true;
  await waitUntil(() => coordinator.results.length === 1, { what: 'the work that waited is done', detail: runner.log });
});

test('C45 the two sides of a pair run one after the other', async () => {
  await using nats = await startOwnNats();
  await using coordinator = await ScriptedCoordinator.start({ natsUrl: nats.url });
  await using server = await startModelServer({ rules: [{ reply: 'From 9 to 17' }] });
  await using runner = await startRunner(nats.url, { OPENAI_BASE_URL: server.url });
  const run = coordinator.startRun();
  server.hold();

  const pair = await coordinator.publishPair(run.runId, [
    work({ model, input: 'baseline', variant: 'baseline' }),
    work({ model, input: 'candidate', variant: 'candidate' }),
  ]);
  await server.whenInFlight(1);
  expect([coordinator.claims.at(-1)?.chunks.length, pair.length]).toEqual([1, 2]);
  server.release();

  await waitUntil(() => coordinator.results.length === 2, { what: 'both sides are answered', detail: runner.log });
  expect(server.requests.map(({ user }) => user)).toEqual(['baseline', 'candidate']);
});

test('P6 of a chunk that is larger than its slots a runner says what it has not begun', async () => {
  await using nats = await startOwnNats();
  await using coordinator = await ScriptedCoordinator.start({ natsUrl: nats.url });
  await using server = await startModelServer({ rules: [{ reply: 'From 9 to 17' }] });
  await using runner = await startRunner(nats.url, { OPENAI_BASE_URL: server.url, PROOFMARK_SLOTS: '4' });
  const run = coordinator.startRun();
  server.hold();
  await coordinator.publishChunk(
    run.runId,
    many(6, () => work({ model })),
  );
  await server.whenInFlight(4);
  const isWaiting = () =>
    coordinator.heartbeats
      .at(-1)
      ?.waiting.map(({ at }) => at.join())
      .join() === '4,5';
  await waitUntil(isWaiting, { what: 'a heartbeat names the two that wait', detail: runner.log });
  expect(coordinator.heartbeats.at(-1)?.held).toHaveLength(1);
  server.release();
  await waitUntil(() => coordinator.results.length === 6, { what: 'all are answered', detail: runner.log });
  // Nobody else is there: it kept them.
  expect(coordinator.releases).toEqual([]);
});

test('what finds no slot within a second goes back when there are other runners', async () => {
  await using nats = await startOwnNats();
  await using coordinator = await ScriptedCoordinator.start({ natsUrl: nats.url, fleetSize: 2 });
  await using server = await startModelServer({ rules: [{ reply: 'From 9 to 17' }] });
  await using runner = await startRunner(nats.url, { OPENAI_BASE_URL: server.url, PROOFMARK_SLOTS: '4' });
  await waitUntil(() => coordinator.heartbeats.length > 1, { what: 'the runner knows how many there are' });
  const run = coordinator.startRun();
  server.hold();
  await coordinator.publishChunk(
    run.runId,
    many(6, () => work({ model })),
  );
  await server.whenInFlight(4);
  await waitUntil(() => coordinator.releases.length === 1, { what: 'two were given back', detail: runner.log });
  expect(coordinator.releases).toMatchObject([{ given: [{ attempt: 1, at: [4, 5] }], closing: false }]);
  server.release();
  await waitUntil(() => coordinator.results.length === 4, { what: 'the others are answered', detail: runner.log });
});

test('a test run that may kill its runner runs alone', async () => {
  await using nats = await startOwnNats();
  await using coordinator = await ScriptedCoordinator.start({ natsUrl: nats.url });
  const beside = new Map<string, number>();
  const reply = (request: ChatRequest): string => {
    beside.set(lastUserText(request), server.inFlight() - 1);
    return 'From 9 to 17';
  };
  await using server = await startModelServer({ rules: [{ reply, delayMs: 50 }] });
  await using runner = await startRunner(nats.url, { OPENAI_BASE_URL: server.url });
  const run = coordinator.startRun();

  await run.publish(...many(8, () => work({ model, input: 'before' })));
  await coordinator.publishSolo(run.runId, work({ model, input: 'solo' }));
  await run.publish(...many(8, () => work({ model, input: 'after' })));

  await waitUntil(() => coordinator.results.length === 17, { what: 'all are answered', detail: runner.log });
  expect(beside.get('solo')).toBe(0);
});

test('SIGTERM gives back what does not end within the grace', async () => {
  await using nats = await startOwnNats();
  await using coordinator = await ScriptedCoordinator.start({ natsUrl: nats.url });
  await using server = await startModelServer({ rules: [{ reply: 'From 9 to 17' }] });
  await using runner = await startRunner(nats.url, { OPENAI_BASE_URL: server.url, PROOFMARK_RUNNER_GRACE_MS: '100' });
  const run = coordinator.startRun();
  server.hold();
  await run.publish(work({ model }));
  await server.whenInFlight(1);

  await runner.stop();

  expect(await runner.exited).toEqual({ code: 0, signal: null });
  expect(coordinator.releases).toMatchObject([
    { given: [{ attempt: 1, at: [0] }], closing: false },
    { given: [], closing: true },
  ]);
  expect(coordinator.results).toEqual([]);
});

test('results survive a broker that loses everything', async () => {
  await using nats = await startOwnNats();
  await using coordinator = await ScriptedCoordinator.start({ natsUrl: nats.url });
  coordinator.records = false;
  await using runner = await startRunner(nats.url);
  const run = coordinator.startRun();
  await run.publish(work());
  await waitUntil(() => coordinator.results.length === 1, { what: 'the result came', detail: runner.log });

  await waitUntil(() => coordinator.results.length === 2, {
    what: 'it came again after 10 s without a word',
    detail: runner.log,
  });
  coordinator.records = true;
  await waitUntil(() => coordinator.heartbeats.at(-1)?.unconfirmed.length === 0, { what: 'the result is confirmed' });
});

test('a coordinator that speaks another protocol ends the runner with 78 and both numbers', async () => {
  await using nats = await startOwnNats();
  await using _coordinator = await ScriptedCoordinator.start({ natsUrl: nats.url, refuse: true });

  await expect(startRunner(nats.url)).rejects.toThrow(
    /ended \(78\)[\s\S]*this runner speaks protocol 1, the coordinator 8, 9/,
  );
});

test.each([
  ['after_claim_before_ack', { open: 1, calls: 0, results: 0 }],
  ['before_model_call', { open: 0, calls: 0, results: 0 }],
  ['mid_model_call', { open: 0, calls: 1, results: 0 }],
  ['after_answer_before_publish', { open: 0, calls: 1, results: 0 }],
  ['after_publish_before_confirm', { open: 0, calls: 1, results: 1 }],
  ['on_heartbeat:3', { open: 0, calls: 0, results: 0 }],
])('a runner can be made to die at %s', async (point, { open, calls, results }) => {
  await using nats = await startOwnNats();
  await using coordinator = await ScriptedCoordinator.start({ natsUrl: nats.url });
  await using server = await startModelServer({ rules: [{ reply: 'From 9 to 17' }] });
  await using runner = await startRunner(nats.url, { OPENAI_BASE_URL: server.url, PROOFMARK_CHAOS_AT: point });
  const run = coordinator.startRun();
  if (!point.startsWith('on_heartbeat')) await run.publish(work({ model }));

  expect(await runner.exited).toEqual({ code: null, signal: 'SIGKILL' });

  expect(server.requests).toHaveLength(calls);
  expect(await coordinator.openTasks()).toBe(open);
  expect(coordinator.results).toHaveLength(results);
});
