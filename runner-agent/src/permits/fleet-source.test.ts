import type { PermitsReply, PermitsRequest } from '@proofmark/contracts/control-messages';
import { expect, test } from 'vitest';
import { FleetSource } from './fleet-source.ts';

const limits = { requests: { perSecond: 40, burst: 1 } };
/** What nobody asks who has no limit on tokens and on calls under way. */
const plain = { cost: 0, settle: 0, holds: 0, wants: 0 };

/** A runner of a fleet of four, a coordinator that answers as it is told, and a clock that only `later` moves. */
function story(answer: (ask: PermitsRequest['ask']) => PermitsReply | undefined) {
  let nowMs = 0;
  const asked: PermitsRequest['ask'][] = [];
  const told = { answer };
  const source = new FleetSource(limits, {
    ask: async (ask) => {
      asked.push(ask);
      return told.answer(ask);
    },
    fleetSize: () => 4,
    monotonicMs: () => nowMs,
  });
  const later = (ms: number): void => {
    nowMs += ms;
  };
  return { source, take: (want: number) => source.take({ ...plain, want }), asked, told, later };
}

const granted = (count: number, spacingMs = 25): PermitsReply => ({
  ...{ ledger: 'up', granted: count, firstMs: 0, spacingMs, againMs: 0 },
});

test('a runner takes no more at once than its share of a second, so that the others have theirs', async () => {
  const { take, asked, told } = story(() => granted(10));
  expect(await take(500)).toMatchObject({ granted: 10 });
  // The provider has complained elsewhere: the rate is halved, and so is the share.
  told.answer = () => granted(5, 50);
  await take(2);
  await take(500);
  expect(asked).toEqual([
    { ...plain, kind: 'take', want: 10 },
    { ...plain, kind: 'take', want: 2 },
    { ...plain, kind: 'take', want: 5 },
  ]);
});

test('without an answer it goes on with the last rate over the last known fleet, for 5 s', async () => {
  const { take, told, later } = story(() => granted(1, 50));
  await take(1);
  told.answer = () => undefined;
  // 20 a second for 4 runners.
  expect(await take(10)).toMatchObject({ granted: 6, spacingMs: 200 });
  later(1_000);
  expect(await take(10)).toMatchObject({ granted: 5, spacingMs: 200 });
  later(3_999);
  expect(await take(1)).toMatchObject({ granted: 1 });
  later(1);
  expect(await take(1)).toMatchObject({ granted: 0, againMs: 500 });
  told.answer = () => granted(1);
  expect(await take(1)).toMatchObject({ granted: 1, spacingMs: 25 });
  told.answer = () => undefined;
  expect(await take(1)).toMatchObject({ granted: 1, spacingMs: 100 });
});

test('while only the ledger is down it goes on like this, because nobody else can give out more', async () => {
  const { take, told, later } = story(() => granted(1));
  await take(1);
  told.answer = () => ({ ledger: 'down' });
  for (let second = 0; second < 120; second += 1) {
    expect((await take(100)).granted).toBeGreaterThanOrEqual(10);
    later(1_000);
  }
});

test('a 429 that nobody hears of pauses and halves at least its own share', async () => {
  const { source, take, asked, told, later } = story(() => granted(1));
  await take(1);
  told.answer = () => undefined;
  await source.slowDown(2_000);
  expect(asked.at(-1)).toEqual({ kind: 'slow-down', pauseMs: 2_000 });
  expect(await take(1)).toMatchObject({ granted: 0, againMs: 2_000 });
  later(2_000);
  expect(await take(1)).toMatchObject({ granted: 1, firstMs: 200, spacingMs: 200 });
});
