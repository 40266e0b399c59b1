import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunView } from './read-runs.ts';
import { runFeeds } from './run-feeds.ts';

let ending: AbortController;
beforeEach(() => {
  ending = new AbortController();
});
afterEach(() => ending.abort());

/** A run that changes when it is told to, and who reads it. */
function watchedRun() {
  const valid = new Set(['one', 'two', 'three']);
  let ticks = Promise.withResolvers<void>();
  let openCases = 9;
  const seen = { readings: 0, isGone: false, feeds: 0 };
  const follow = runFeeds({
    restMs: 1,
    changes: async function* (_tenant, _run, signal) {
      seen.feeds += 1;
      signal.addEventListener('abort', () => ticks.resolve(), { once: true });
      for (yield; !signal.aborted; yield) {
        await ticks.promise;
        ticks = Promise.withResolvers();
        if (signal.aborted) return;
      }
    },
    read: async () => {
      seen.readings += 1;
      // As much of a view as anybody here looks at.
      return seen.isGone ? null : ({ status: 'running', skippedCases: openCases } as RunView);
    },
    validTokens: async (_tenant, tokens) => new Set(tokens.filter((token) => valid.has(token))),
  });
  return {
    seen,
    revoke: (token: string) => valid.delete(token),
    change: () => {
      openCases -= 1;
      ticks.resolve();
    },
    tick: () => ticks.resolve(),
    follow: (tokenId: string, signal = ending.signal) => follow({ tenantId: 'acme', tokenId }, 'run', signal),
  };
}

const next = async (stream: AsyncGenerator<RunView>) => {
  const { value, done } = await stream.next();
  return done === true ? 'end' : value.skippedCases;
};

test('three who follow a run are one reading for each change', async () => {
  const { follow, change, seen } = watchedRun();
  const streams = [follow('one'), follow('two'), follow('three')];
  expect(await Promise.all(streams.map(next))).toEqual([9, 9, 9]);
  const told = Promise.all(streams.map(next));
  change();
  expect(await told).toEqual([8, 8, 8]);
  expect(seen).toMatchObject({ readings: 2, feeds: 1 });
});

test('whose token is revoked is told nothing more, and the others go on', async () => {
  const { follow, change, revoke } = watchedRun();
  const [one, two] = [follow('one'), follow('two')];
  expect([await next(one), await next(two)]).toEqual([9, 9]);
  revoke('one');
  const told = [next(one), next(two)];
  change();
  expect(await Promise.all(told)).toEqual(['end', 8]);
});

test('who is slow is told the newest state and none of those between', async () => {
  const { follow, change, seen } = watchedRun();
  const [slow, quick] = [follow('one'), follow('two')];
  expect([await next(slow), await next(quick)]).toEqual([9, 9]);
  for (const expected of [8, 7, 6]) {
    const told = next(quick);
    change();
    expect(await told).toBe(expected);
  }
  expect(await next(slow)).toBe(6);
  expect(seen.readings).toBe(4);
});

test('when the last one leaves the run is read no more, and who comes later begins anew', async () => {
  const { follow, tick, seen } = watchedRun();
  const first = follow('one');
  expect(await next(first)).toBe(9);
  await first.return(undefined);
  tick();
  expect(await next(follow('two'))).toBe(9);
  expect(seen).toMatchObject({ readings: 2, feeds: 2 });
});

test('a stream ends with its signal, and with its run', async () => {
  const { follow, tick, seen } = watchedRun();
  const leaving = new AbortController();
  const [left, gone] = [follow('one', leaving.signal), follow('two')];
  expect([await next(left), await next(gone)]).toEqual([9, 9]);
  const ends = [next(left), next(gone)];
  leaving.abort();
  expect(await ends[0]).toBe('end');
  seen.isGone = true;
  tick();
  expect(await ends[1]).toBe('end');
});
