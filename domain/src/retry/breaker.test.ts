import { expect, test } from 'vitest';
import { Breaker, breakerRules, type CallEnd } from './breaker.ts';

/** A breaker and a clock that only `later` moves. */
function story() {
  const breaker = new Breaker();
  let nowMs = 1_000_000;
  const ask = () => breaker.admit(nowMs);
  const call = (end: CallEnd): void => {
    const admitted = breaker.admit(nowMs);
    if (admitted.kind !== 'go') throw new Error(`The call was not made: ${admitted.kind}`);
    breaker.ended(nowMs, end, admitted);
  };
  return {
    ask,
    call,
    times: (count: number, end: CallEnd) => Array.from({ length: count }, () => call(end)),
    later: (ms: number): void => {
      nowMs += ms;
    },
  };
}

test('20 calls of which half failed let the endpoint rest for 15 s', () => {
  const { ask, times, later } = story();
  times(10, 'answered');
  times(9, 'failed');
  expect(ask()).toEqual({ kind: 'go', isProbe: false });
  times(1, 'failed');
  expect(ask()).toEqual({ kind: 'wait', ms: 15_000 });
  later(14_000);
  expect(ask()).toEqual({ kind: 'wait', ms: 1_000 });
});

test('fewer failures, or failures that are long past, close nothing', () => {
  const { ask, times, later } = story();
  times(19, 'failed');
  later(breakerRules.windowMs + 1_000);
  times(11, 'answered');
  times(10, 'failed');
  expect(ask().kind).toBe('go');
});

test('after the rest one call tries, and the others wait for what it finds', () => {
  const { ask, times, later } = story();
  times(20, 'failed');
  later(15_000);
  expect(ask()).toEqual({ kind: 'go', isProbe: true });
  expect(ask()).toEqual({ kind: 'wait', ms: 1_000 });
});

test('an endpoint that is back is called by all again', () => {
  const { ask, times, call, later } = story();
  times(20, 'failed');
  later(15_000);
  call('answered');
  expect(ask()).toEqual({ kind: 'go', isProbe: false });
  // What failed before the rest no longer counts.
  times(18, 'failed');
  expect(ask().kind).toBe('go');
});

test('an endpoint that is not back rests again, for 5 minutes at most', () => {
  const { ask, times, call, later } = story();
  times(20, 'failed');
  for (let rests = 0; rests < 19; rests += 1) {
    later(15_000);
    call('failed');
    expect(ask()).toEqual({ kind: 'wait', ms: 15_000 });
  }
  later(15_000);
  expect(ask()).toEqual({ kind: 'stopped', reason: 'outage' });
});

test('an answer to a call that was under way ends the rest, a failure does not prolong it', () => {
  const breaker = new Breaker();
  const calls = Array.from({ length: 22 }, () => breaker.admit(0)).flatMap((admitted) =>
    admitted.kind === 'go' ? [admitted] : [],
  );
  for (const call of calls.slice(0, 20)) breaker.ended(0, 'failed', call);
  breaker.ended(5_000, 'failed', { isProbe: false });
  expect(breaker.admit(5_000)).toEqual({ kind: 'wait', ms: 10_000 });
  breaker.ended(5_000, 'answered', { isProbe: false });
  expect(breaker.admit(5_000).kind).toBe('go');
});

test('3 refusals in a row end it for good, whatever else lies between them does not', () => {
  const { ask, times } = story();
  times(2, 'refused');
  times(1, 'answered');
  times(2, 'refused');
  times(1, 'failed');
  times(2, 'refused');
  expect(ask().kind).toBe('go');
  times(1, 'refused');
  expect(ask()).toEqual({ kind: 'stopped', reason: 'refused' });
});
