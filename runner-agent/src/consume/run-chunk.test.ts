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

/** An outbox whose broker takes everything. */
const takenByAll = (): ResultOutbox =>
  new ResultOutbox({
    publish: async () => 'taken',
    maxPayload: () => 1024 * 1024,
    monotonicMs: () => 0,
    onPublished: async () => undefined,
    onTrouble: () => undefined,
  });

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
  const outbox = takenByAll();
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

test('a chunk whose run has no room keeps nothing of another run from beginning, and begins when there is room', async () => {
  const began: string[] = [];
  const held = new HeldAttempts();
  const outbox = takenByAll();
  const chunkOf = (runId: string) => [
    [
      {
        held: held.add({
          ...{ tenantId: id(1), runId, chunkId: id(3), at: 0, testRunId: id(4), sessionId: id(5) },
          ...{ attempt: 1, solo: false },
        }),
        ...{ work: aCase(), files: [], testCaseId: undefined, traceParent: undefined },
      },
    ],
  ];
  const room = new WaitingRoom(4);
  const ports = casePorts();
  const running = {
    ...{ release: async () => undefined, slots: new FairSlots(2), hasCompany: () => false },
    ...{ held, outbox, ports, room, cassetteOf: () => undefined, onOutcome: () => undefined },
    portsOf: ({ runId }: { runId: string }) => {
      began.push(runId);
      return ports;
    },
    ...{ chaos: new Chaos<never>([]), log: pino({ level: 'silent' }) },
  };
  const [slow, other] = [id(20), id(21)];
  // It was claimed when there was room; until the claim was answered four cases of the run waited.
  for (const _ of Array(4)) room.tell(slow, true);

  await runChunk(chunkOf(slow), running);
  await runChunk(chunkOf(other), running);
  expect(began).toEqual([other]);

  room.tell(slow, false);
  expect([room.whenToTake(slow), room.whenToTake(other)]).toEqual(['later', 'now']);
  await expect.poll(() => began).toEqual([other, slow]);
  await expect.poll(() => room.whenToTake(slow)).toBe('now');
  await outbox.close();
});
