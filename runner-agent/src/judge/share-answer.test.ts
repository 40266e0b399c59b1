import { describe, expect, test } from 'vitest';
import type { ModelPort } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import { CasePlace } from '../retry/case-place.ts';
import type { Tried } from '../retry/try-again.ts';
import { FairSlots } from '../slots/fair-slots.ts';
import { shareAnswer } from './share-answer.ts';

const modelsOf = (): ModelPort => ({
  chat: () => Promise.reject(new Error('not asked')),
  embed: () => Promise.reject(new Error('not asked')),
});
const never = new AbortController().signal;
const answered = (value: string): Tried<string> => ({ ok: true, value, latencyMs: 1, retryCount: 1 });
const question = { response: 'From 9 to 17.', criteria: 'same facts' };

test('an equal question is asked once, also while the first one is under way', async () => {
  const models = modelsOf();
  let asked = 0;
  const ask = async () => {
    asked += 1;
    return answered(`answer ${asked}`);
  };
  const share = () => shareAnswer({ models, signal: never }, { ...question }, ask);
  const results = [...(await Promise.all([share(), share()])), await share()];
  expect(asked).toBe(1);
  expect(results).toEqual([
    answered('answer 1'),
    // Its tries are those of the one who asked.
    { ...answered('answer 1'), retryCount: 0 },
    { ...answered('answer 1'), retryCount: 0 },
  ]);
});

test('another answer of the agent is another question, and other models are asked anew', async () => {
  const models = modelsOf();
  const share = (port: ModelPort, response: string) =>
    shareAnswer({ models: port, signal: never }, { ...question, response }, async () => answered(response));
  expect(await share(models, 'one')).toEqual(answered('one'));
  expect(await share(models, 'two')).toEqual(answered('two'));
  expect(await share(modelsOf(), 'one')).toEqual(answered('one'));
});

test('a failure is not shared: the next one asks for itself', async () => {
  const models = modelsOf();
  const failed: Tried<string> = { ok: false, failure: finalFailure('agent', 'down'), retryCount: 1 };
  const first = shareAnswer({ models, signal: never }, question, async () => failed);
  const second = shareAnswer({ models, signal: never }, question, async () => answered('back'));
  expect(await first).toEqual(failed);
  expect(await second).toEqual(answered('back'));
  const third = await shareAnswer<string>({ models, signal: never }, question, () => Promise.reject(new Error('no')));
  expect(third).toMatchObject({ value: 'back' });
});

test('who waits for another asks when that one is cancelled, and stops waiting when it is cancelled itself', async () => {
  const models = modelsOf();
  const cancelled = Promise.withResolvers<Tried<string>>();
  const first = shareAnswer({ models, signal: never }, question, () => cancelled.promise);
  const stop = new AbortController();
  const second = shareAnswer({ models, signal: stop.signal }, question, async () => answered('second'));
  const third = shareAnswer({ models, signal: never }, question, async () => answered('third'));
  stop.abort(new Error('second is cancelled'));
  await expect(second).rejects.toThrow('second is cancelled');
  cancelled.reject(new Error('first is cancelled'));
  await expect(first).rejects.toThrow('first is cancelled');
  expect(await third).toEqual(answered('third'));
});

describe('what is remembered', () => {
  const asking = () => {
    const models = modelsOf();
    const asked: string[] = [];
    const share = (response: string, answer = response) =>
      shareAnswer({ models, signal: never }, { response }, async () => {
        asked.push(response);
        return answered(answer);
      });
    return { asked, share };
  };

  test('ends with the answer that was used longest ago, when there are too many', async () => {
    const { asked, share } = asking();
    await share('first');
    await share('second');
    for (let more = 0; more < 4_998; more += 1) await share(`${more}`);
    await share('first');
    await share('one too many');
    expect(asked).toHaveLength(5_001);
    await share('first');
    expect(asked).toHaveLength(5_001);
    await share('second');
    expect(asked).toHaveLength(5_002);
  });

  test('is bounded in length too, whatever a model says', async () => {
    const { asked, share } = asking();
    const long = 'x'.repeat(6_000_000);
    for (const response of ['a', 'b', 'c']) await share(response, long);
    await share('c');
    await share('b');
    expect(asked).toEqual(['a', 'b', 'c']);
    await share('a');
    expect(asked).toEqual(['a', 'b', 'c', 'a']);
  });
});

test('whoever waits for the answer of another one has no slot: the other may need it to ask', async () => {
  const models = modelsOf();
  const slots = new FairSlots(1);
  const turn = Promise.withResolvers<void>();
  const run = async (): Promise<Tried<string>> => {
    const slot = await slots.acquire(never);
    using place = new CasePlace(slot);
    const tried = await shareAnswer({ models, signal: never, place }, question, async () => {
      await place.aside(() => turn.promise, never);
      return answered('one');
    });
    slot.release();
    return tried;
  };
  const both = Promise.all([run(), run()]);
  await expect.poll(() => slots.free).toBe(1);
  turn.resolve();
  expect(await both).toMatchObject([{ value: 'one' }, { value: 'one', retryCount: 0 }]);
});
