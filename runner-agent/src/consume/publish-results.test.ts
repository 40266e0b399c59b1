import { ResultMessage } from '@proofmark/contracts/result-message';
import { expect, test } from 'vitest';
import { aCase, casePorts } from '../case/a-case.fixture.ts';
import { runCase } from '../run-case/run-case.ts';
import { ResultOutbox } from './publish-results.ts';

const sessionId = '00000000-0000-4000-8000-000000000001';
const tenantId = '00000000-0000-4000-8000-000000000002';
const runId = '00000000-0000-4000-8000-000000000003';
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const chunk = { tenantId, chunkId: id(0), attempt: 1 };
const outcome = await runCase(aCase(), casePorts(), new AbortController().signal);

/** An outbox on a broker that takes everything unless told otherwise, and a clock that the test moves. */
function anOutbox() {
  const state = {
    nowMs: 0,
    failures: 0,
    largest: Number.POSITIVE_INFINITY,
    cursed: 'nothing',
    messages: [] as ResultMessage[],
    ids: [] as string[],
    troubles: 0,
  };
  const outbox = new ResultOutbox({
    publish: async (_runId, bytes, messageId) => {
      const payload = Buffer.from(bytes).toString();
      if (state.failures > 0) {
        state.failures -= 1;
        throw new Error('no stream');
      }
      if (payload.length > state.largest) return 'too_large';
      if (payload.includes(state.cursed)) throw new Error('not this one');
      state.messages.push(ResultMessage.parse(JSON.parse(payload)));
      state.ids.push(messageId);
      return 'taken';
    },
    maxPayload: () => 1024 * 1024,
    monotonicMs: () => state.nowMs,
    onPublished: async () => notify(),
    onTrouble: () => {
      state.troubles += 1;
    },
  });
  let notify = (): void => undefined;
  const published = (count: number) =>
    new Promise<void>((resolve) => {
      notify = () => {
        if (state.messages.length >= count) resolve();
      };
      notify();
    });
  const add = (n: number, response = outcome.response, chunkId = id(0)) =>
    outbox.add({
      tenantId,
      runId,
      sessionId,
      result: { chunkId, at: n, attempt: 1, outcome: { ...outcome, response } },
    });
  return { outbox, state, add, published };
}

test('results that end together travel in messages of at most 64, each once', async () => {
  const { state, add, published } = anOutbox();
  for (let n = 0; n < 64; n += 1) add(n);
  for (let n = 0; n < 4; n += 1) add(n, outcome.response, id(9));
  await published(2);
  expect(state.messages.map(({ results }) => results.length)).toEqual([64, 4]);
  expect(new Set(state.ids).size).toBe(2);
});

test('a result stays until it is recorded or superseded', async () => {
  const { outbox, add, published } = anOutbox();
  add(1);
  add(2);
  await published(1);
  const bytes = outbox.bytes;
  outbox.confirm([{ ...chunk, recorded: [1], superseded: [] }]);
  expect(outbox.unconfirmed).toEqual([{ ...chunk, at: [2] }]);
  expect(outbox.bytes).toBe(bytes / 2);
  outbox.confirm([{ ...chunk, recorded: [], superseded: [2] }]);
  await outbox.whenEmpty();
  expect(outbox.bytes).toBe(0);
});

test('a result that is unknown for 10 s is published again, and not before', async () => {
  const { outbox, state, add, published } = anOutbox();
  add(1);
  await published(1);
  const unknown = [{ ...chunk, recorded: [], superseded: [] }];
  state.nowMs = 9_999;
  outbox.confirm(unknown);
  state.nowMs = 10_000;
  outbox.confirm(unknown);
  await published(2);
  expect(state.ids[0]).toBe(state.ids[1]);
});

test('a broker that refuses is asked again', async () => {
  const { state, add, published } = anOutbox();
  state.failures = 1;
  add(1);
  await published(1);
  expect(state).toMatchObject({ troubles: 1, messages: [{ results: [{ chunkId: id(0), at: 1 }] }] });
});

test('results that do not fit together go apart, and one that fits nowhere loses its evidence, not its verdict', async () => {
  const { state, add, published, outbox } = anOutbox();
  add(1, 'x'.repeat(300_000));
  add(2, 'x'.repeat(300_000));
  const turns = Array.from({ length: 40 }, () => ({ role: 'user' as const, text: 'x'.repeat(20_000) }));
  outbox.add({
    tenantId,
    runId,
    sessionId,
    result: { chunkId: id(0), at: 3, attempt: 1, outcome: { ...outcome, transcript: turns } },
  });
  await published(2);
  const [first, second] = state.messages;
  expect(first?.results.map(({ at }) => at)).toEqual([1]);
  expect(second?.results.map(({ at }) => at)).toEqual([2, 3]);
  expect(second?.results[1]?.outcome).toMatchObject({ status: 'passed', transcript: [], flags: ['evidence_cut'] });
});

test('F32 what the broker refuses for its size goes alone and smaller, and nothing waits for it', async () => {
  const { state, add, published, outbox } = anOutbox();
  state.largest = 60_000;
  add(1, 'x'.repeat(100_000));
  for (let n = 2; n <= 51; n += 1) add(n);
  await published(51);

  const sent = state.messages.flatMap(({ results }) => results);
  expect(sent.map(({ at }) => at).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 51 }, (_, n) => n + 1));
  expect(sent.at(-1)).toMatchObject({ at: 1, outcome: { status: 'passed', flags: ['evidence_cut'] } });
  expect(state.troubles).toBe(0);
  outbox.confirm([{ ...chunk, recorded: sent.map(({ at }) => at), superseded: [] }]);
  expect(outbox.bytes).toBe(0);
});

test('a result that is never taken holds up no other', async () => {
  const { state, add, published, outbox } = anOutbox();
  state.cursed = 'a cursed answer';
  add(1, 'a cursed answer');
  for (let n = 2; n <= 40; n += 1) add(n);
  // Its neighbours in the message travel alone.
  await published(39);
  const sent = state.messages.flatMap(({ results }) => results.map(({ at }) => at));
  expect(new Set(sent)).toEqual(new Set(Array.from({ length: 39 }, (_, n) => n + 2)));
  state.cursed = 'nothing';
  await published(40);
  await outbox.close();
});
