import { setImmediate } from 'node:timers';
import { ResultMessage } from '@proofmark/contracts/result-message';
import { Chaos } from '@proofmark/process/chaos';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { aCase, casePorts } from '../case/a-case.fixture.ts';
import { FairSlots, WaitingRoom } from '../slots/fair-slots.ts';
import { HeldAttempts } from './held-attempts.ts';
import { ResultOutbox } from './publish-results.ts';
import { runChunk } from './run-chunk.ts';

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

test('P6 P12 a fault outside of the steps of a case ends its test run in an error, and is never paid for again', async () => {
  const sent = Promise.withResolvers<ResultMessage>();
  const held = new HeldAttempts();
  const outbox = new ResultOutbox({
    publish: async (_runId, payload) => {
      sent.resolve(ResultMessage.parse(JSON.parse(Buffer.from(payload).toString())));
      return 'taken';
    },
    maxPayload: () => 1024 * 1024,
    monotonicMs: () => 0,
    onPublished: async () => undefined,
    onTrouble: sent.reject,
  });
  const brokenClock = (): never => {
    throw new Error('the clock has stopped');
  };
  const ports = casePorts({ clock: { now: brokenClock, monotonicMs: () => 0 } });
  const attempt = held.add({
    ...{ tenantId: id(1), runId: id(2), chunkId: id(3), at: 0, testRunId: id(4), sessionId: id(5) },
    ...{ attempt: 1, solo: false },
  });
  const slots = new FairSlots(1);

  await runChunk([[{ held: attempt, work: aCase(), files: [], testCaseId: undefined, traceParent: undefined }]], {
    ...{ release: async () => undefined, slots, hasCompany: () => false },
    ...{
      held,
      outbox,
      ports,
      portsOf: () => ports,
      room: new WaitingRoom(1),
      cassetteOf: () => undefined,
      onOutcome: () => undefined,
    },
    ...{ chaos: new Chaos<never>([]), log: pino({ level: 'silent' }) },
  });

  expect((await sent.promise).results).toMatchObject([
    {
      ...{ chunkId: id(3), at: 0, attempt: 1 },
      outcome: { status: 'error', errorKind: 'lost', errorMessage: 'Fault of the runner: the clock has stopped' },
    },
  ]);
  // Until its result is recorded it stays this runner's.
  expect(outbox.unconfirmed).toEqual([{ tenantId: id(1), chunkId: id(3), attempt: 1, at: [0] }]);
  expect({ held: held.size, free: slots.free }).toEqual({ held: 0, free: 1 });
  await outbox.close();
});

test('the first question of a chunk leaves before the others are made', async () => {
  const seen: string[] = [];
  const held = new HeldAttempts();
  const outbox = new ResultOutbox({
    publish: async () => 'taken',
    maxPayload: () => 1024 * 1024,
    monotonicMs: () => 0,
    onPublished: async () => undefined,
    onTrouble: () => undefined,
  });
  const ports = casePorts();
  const turns = [1, 2, 3, 4].map((n) => [
    {
      held: held.add({
        ...{ tenantId: id(1), runId: id(2), chunkId: id(3), at: n, testRunId: id(10 + n), sessionId: id(5) },
        ...{ attempt: 1, solo: false },
      }),
      ...{ work: aCase(), files: [], testCaseId: undefined, traceParent: undefined },
    },
  ]);

  await runChunk(turns, {
    ...{ release: async () => undefined, slots: new FairSlots(4), hasCompany: () => false },
    ...{ held, outbox, ports, room: new WaitingRoom(4), cassetteOf: () => undefined, onOutcome: () => undefined },
    portsOf: () => {
      // What a turn has written leaves when the process looks after its connections.
      if (seen.length === 0) setImmediate(() => seen.push('sent'));
      seen.push('begun');
      return ports;
    },
    ...{ chaos: new Chaos<never>([]), log: pino({ level: 'silent' }) },
  });

  await expect.poll(() => seen).toEqual(['begun', 'sent', 'begun', 'begun', 'begun']);
  await outbox.close();
});
