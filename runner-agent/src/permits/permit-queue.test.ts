import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import { describe, expect, test } from 'vitest';
import { PermitQueue, type PermitSource } from './permit-queue.ts';
import { localPermits, localSource, permitsFrom } from './permits.ts';
import { toldTime } from './told-time.fixture.ts';

const running = new AbortController().signal;

/** A queue over a bucket of this process, with a log of when who may call and of what the bucket was asked. */
function story(requests = { perSecond: 10, burst: 1 }) {
  const time = toldTime();
  const bucket = localSource({ requests }, time);
  const asked: number[] = [];
  const source: PermitSource = {
    take: (question) => {
      asked.push(question.want);
      return bucket.take(question);
    },
    slowDown: (pauseMs) => bucket.slowDown(pauseMs),
  };
  const queue = new PermitQueue(source, { limits: { requests }, cost: 0 }, time);
  const startMs = time.monotonicMs();
  const calls: { who: string; atMs: number }[] = [];
  const call = async (who: string, signal = running): Promise<void> => {
    if (queue.takeNow() === undefined) await queue.turn(signal);
    calls.push({ who, atMs: time.monotonicMs() - startMs });
  };
  return { ...time, queue, asked, calls, call, names: () => calls.map(({ who }) => who) };
}

describe('whoever wants to call a model with a limit (reliability 8)', () => {
  test('is served first come, first served, as evenly as the limit says', async () => {
    const { call, calls, pass } = story();
    for (const who of ['a', 'b', 'c']) void call(who);
    await pass(1_000);
    expect(calls).toEqual([
      { who: 'a', atMs: 0 },
      { who: 'b', atMs: 100 },
      { who: 'c', atMs: 200 },
    ]);
  });

  test('fetches turns in batches, only for those that wait, and none without a limit', async () => {
    const { call, asked, pass } = story({ perSecond: 100, burst: 1 });
    await pass(60_000);
    expect(asked).toEqual([]);
    for (let caller = 0; caller < 80; caller += 1) void call(`caller ${caller}`);
    await pass(1_000);
    expect(asked).toEqual([1, 79]);
    const settings: ModelSettings = { configuration: 'free', provider: 'openai', model: 'free' };
    const permits = permitsFrom(() => {
      throw new Error('nobody is asked');
    });
    expect(permits.queueFor(settings)).toBeUndefined();
  });

  test('50 a second for 28 callers that want more: 2 % of the ideal count and no burst', async () => {
    const { queue, pass } = story({ perSecond: 50, burst: 1 });
    let made = 0;
    const stop = new AbortController();
    const caller = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        await queue.turn(stop.signal);
        made += 1;
      }
    };
    const callers = Array.from({ length: 28 }, () => caller().catch(() => undefined));
    await pass(4_000);
    expect(Math.abs(made - 201)).toBeLessThanOrEqual(4);
    stop.abort();
    await Promise.all(callers);
    expect(queue.waiting).toBe(0);
  });

  test('leaves at once when it is aborted, and the next one has its turn', async () => {
    const { call, names, pass, queue } = story();
    const stop = new AbortController();
    await call('first');
    const gone = call('gone', stop.signal);
    const next = call('next');
    stop.abort(new Error('cancelled'));
    await expect(gone).rejects.toThrow('cancelled');
    await pass(100);
    await next;
    expect(names()).toEqual(['first', 'next']);
    expect(queue.waiting).toBe(0);
    await expect(queue.turn(stop.signal)).rejects.toThrow('cancelled');
  });

  test('overtakes nobody, and a turn that nobody uses is gone after a second', async () => {
    const { call, names, pass, queue } = story({ perSecond: 1, burst: 3 });
    const stop = new AbortController();
    void call('first');
    await pass(0);
    const gone = call('gone', stop.signal);
    stop.abort();
    await expect(gone).rejects.toThrow();
    await pass(0);
    expect(queue.takeNow()).toBeDefined();
    const alsoGone = queue.turn(stop.signal);
    await expect(alsoGone).rejects.toThrow();
    await pass(5_000);
    expect(queue.takeNow()).toBeUndefined();
    void call('waiting');
    expect(queue.takeNow()).toBeUndefined();
    await pass(0);
    expect(names()).toEqual(['first', 'waiting']);
  });

  test('gives back a turn that it could not use', async () => {
    const { call, names, pass, queue } = story();
    const turn = await queue.turn(running);
    const first = call('first');
    const second = call('second');
    queue.giveBack(turn);
    await first;
    await pass(100);
    await second;
    expect(names()).toEqual(['first', 'second']);
  });

  test('waits out the pause after a 429, and what was granted before is void', async () => {
    const { call, calls, pass, queue } = story({ perSecond: 10, burst: 1 });
    await call('complains');
    void call('a');
    void call('b');
    await pass(0);
    queue.slowDown(3_000);
    await pass(1_000);
    expect(queue.pausedMs).toBeGreaterThan(1_900);
    await pass(4_000);
    expect(calls.map(({ atMs }) => atMs)).toEqual([0, 3_200, 3_400]);
    expect(queue.pausedMs).toBe(0);
  });
});

test('a limit is one of a model at its endpoint with its key, however it is called', () => {
  const permits = localPermits({ monotonicMs: () => 0 });
  const limits = { requests_per_minute: 60 };
  const main = { configuration: 'main', provider: 'openai', model: 'm', limits };
  const queue = permits.queueFor(main);
  expect(queue).toBeDefined();
  expect(permits.queueFor({ ...main, configuration: 'judge', temperature: 1 })).toBe(queue);
  expect(permits.queueFor({ ...main, model: 'n' })).not.toBe(queue);
  expect(permits.queueFor({ ...main, base_url: 'https://elsewhere.example/v1' })).not.toBe(queue);
  expect(permits.queueFor({ ...main, api_key_env: 'OTHER_KEY' })).not.toBe(queue);
});

test('keys of any length are known by at most 400 characters', () => {
  const keys: string[] = [];
  const permits = permitsFrom(({ key, limits: of }) => {
    keys.push(key);
    return localSource(of, { monotonicMs: () => 0 });
  });
  const limits = { requests_per_minute: 60 };
  const base_url = `https://a.example/${'x'.repeat(900)}`;
  permits.queueFor({ configuration: 'a', provider: 'openai', model: 'm', base_url, limits });
  permits.queueFor({ configuration: 'b', provider: 'openai', model: 'm', base_url: `${base_url}y`, limits });
  permits.queueFor({ configuration: 'c', provider: 'openai', model: 'm', limits });
  expect(keys.map(({ length }) => length <= 400)).toEqual([true, true, true]);
  expect(new Set(keys).size).toBe(3);
  expect(keys[2]).toBe('default m');
});
