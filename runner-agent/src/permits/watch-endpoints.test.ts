import { breakerRules } from '@proofmark/domain/breaker';
import { pause } from '@proofmark/process/pause';
import { expect, test } from 'vitest';
import { aCase } from '../case/a-case.fixture.ts';
import type { ServiceCall } from '../drivers/agent-reach.ts';
import type { CallResult, ChatAnswer, ModelPort } from '../models/model-port.ts';
import { type CallFailure, finalFailure } from '../retry/call-failure.ts';
import { CasePlace } from '../retry/case-place.ts';
import { tryAgain } from '../retry/try-again.ts';
import { FairSlots } from '../slots/fair-slots.ts';
import { localPermits } from './permits.ts';
import { EndpointWatch } from './watch-endpoints.ts';

const answered: ChatAnswer = { text: 'At nine.', calls: [], usage: null, model: null, flags: [] };
const busy: CallFailure = { kind: 'agent', message: 'busy', retryable: true, retryAfterMs: null };
const refused: CallFailure = { ...finalFailure('agent', 'The provider answered 401 no'), isRefusal: true };
const signal = new AbortController().signal;
const settings = (model: string) => ({ configuration: model, provider: 'openai', model });
const question = { messages: [] };
const ports = { clock: { monotonicMs: () => performance.now() }, random: () => 0, pause };

/** Models that fail as they are told, by name, and a watch whose rests are short. */
function watched(failures: { main?: CallFailure | undefined }) {
  const calls: string[] = [];
  const chat: ModelPort['chat'] = async ({ model }): Promise<CallResult<ChatAnswer>> => {
    calls.push(model);
    const failure = model === 'main' ? failures.main : undefined;
    return failure ? { ok: false, failure } : { ok: true, value: answered };
  };
  const watch = new EndpointWatch({
    monotonicMs: () => performance.now(),
    rules: { ...breakerRules, fewestCalls: 4, restMs: 40, lookMs: 5 },
  });
  const models = watch.models({ chat, embed: () => Promise.reject(new Error('not asked for')) });
  const ask = (model: string, tries = 1) =>
    tryAgain<ChatAnswer>(ports, {
      ...{ tries, timeoutMs: 1_000, signal, deadlineAtMs: performance.now() + 10_000 },
      attempt: (trySignal) => models.chat(settings(model), question, trySignal),
    });
  return { calls, ask, failures };
}

test('three refusals in a row and the rest is not asked, with one sentence for all', async () => {
  const { ask, calls } = watched({ main: refused });
  for (const _ of [1, 2, 3]) await ask('main');
  const [first, second] = [await ask('main', 3), await ask('main', 3)];
  expect(calls).toHaveLength(3);
  expect(first).toEqual(second);
  expect(first).toMatchObject({
    ok: false,
    retryCount: 0,
    failure: {
      kind: 'agent',
      message:
        'The rest of the run does not ask the provider any more, because it refused 3 calls in a row: The provider answered 401 no',
    },
  });
});

test('another model of the same server is another matter', async () => {
  const { ask } = watched({ main: refused });
  for (const _ of [1, 2, 3]) await ask('main');
  expect(await ask('other')).toMatchObject({ ok: true });
});

test('while an endpoint rests nothing is asked, and what waited is no try and no part of the latency', async () => {
  const { ask, calls, failures } = watched({ main: busy });
  for (const _ of [1, 2, 3, 4]) await ask('main');
  failures.main = undefined;
  const startedAt = performance.now();
  const results = await Promise.all([ask('main'), ask('main'), ask('main')]);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(35);
  expect(results).toMatchObject(results.map(() => ({ ok: true, retryCount: 0 })));
  expect(calls).toHaveLength(7);
});

test('a rest that would last longer than the case ends in an error that names what failed', async () => {
  const watch = new EndpointWatch({ monotonicMs: () => 0 });
  const models = watch.models({
    chat: async () => ({ ok: false, failure: busy }),
    embed: () => Promise.reject(new Error('not asked for')),
  });
  for (let call = 0; call < 20; call += 1) await models.chat(settings('main'), question, signal);
  const tried = await tryAgain<ChatAnswer>(ports, {
    ...{ tries: 3, timeoutMs: 1_000, signal, deadlineAtMs: performance.now() + 5_000 },
    attempt: (trySignal) => models.chat(settings('main'), question, trySignal),
  });
  expect(tried).toMatchObject({
    ok: false,
    retryCount: 0,
    failure: { kind: 'agent', message: 'Not asked, because most calls fail at the moment: busy' },
  });
});

const turnTo = (url: string): ServiceCall => ({
  ...{ service: { url }, url, method: 'POST', headers: [], body: null, accept: 'application/json', isTurn: true },
});

test('agents behind a URL are watched, too', async () => {
  let posts = 0;
  const reach = new EndpointWatch({ monotonicMs: () => 0 }).reach({
    call: async () => {
      posts += 1;
      return { ok: false, failure: refused };
    },
    start: () => ({ ok: false, failure: finalFailure('agent', 'no programs here') }),
    ask: async () => ({ ok: false, failure: finalFailure('agent', 'no programs here') }),
  });
  for (let call = 0; call < 10; call += 1) await reach.call(turnTo('https://agent.example/chat'), signal);
  expect(posts).toBe(3);
  expect(reach.start({ command: ['agent'] })).toMatchObject({ ok: false });
});

test('the limit of an agent holds back its turns: neither what is asked while an answer comes about, nor another agent', async () => {
  const clock = { monotonicMs: () => performance.now() };
  const order: string[] = [];
  const watch = new EndpointWatch({ ...clock, permits: localPermits(clock) });
  const reach = watch.reach({
    call: async ({ url }) => {
      order.push(url);
      return { ok: true, value: { text: '{}', contentType: 'application/json', header: () => null, cookies: [] } };
    },
    start: () => ({ ok: false, failure: finalFailure('agent', 'no programs here') }),
    ask: async () => ({ ok: false, failure: finalFailure('agent', 'no programs here') }),
  });
  // A turn every 100 ms.
  const service = { url: 'https://agent.example', limits: { requests_per_minute: 600 } };
  const turn = (url: string) => reach.call({ ...turnTo(url), service }, signal);
  const startedAt = performance.now();
  await Promise.all([
    ...['first', 'second', 'third'].map(turn),
    ...['state', 'result'].map((url) => reach.call({ ...turnTo(url), service, isTurn: false }, signal)),
    reach.call(turnTo('https://other.example'), signal),
  ]);
  expect(order.slice(0, 4).toSorted()).toEqual(['first', 'https://other.example', 'result', 'state']);
  expect(order.slice(4)).toEqual(['second', 'third']);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(190);
});

/** Cases that have to share one slot, and models that answer at once. */
async function cases(models: ModelPort) {
  const slots = new FairSlots(1);
  const order: string[] = [];
  const run = async (name: string, model: ReturnType<typeof settings>, stop = signal) => {
    const slot = await slots.acquire(stop);
    using place = new CasePlace(slot);
    const tried = await tryAgain<ChatAnswer>(
      { ...ports, place },
      {
        ...{ tries: 3, timeoutMs: 30, signal: stop, deadlineAtMs: performance.now() + 10_000 },
        attempt: (trySignal) => models.chat(model, question, trySignal),
      },
    ).finally(() => slot.release());
    order.push(name);
    return tried;
  };
  return { slots, order, run };
}

const answering: ModelPort = {
  chat: async () => ({ ok: true, value: answered }),
  embed: () => Promise.reject(new Error('not asked for')),
};
const limited = (model: string, requests_per_minute: number) => ({
  ...settings(model),
  limits: { requests_per_minute },
});

test('whoever waits for its turn keeps nobody from a slot, and the time of its try stands still', async () => {
  const clock = { monotonicMs: () => performance.now() };
  const watch = new EndpointWatch({ ...clock, permits: localPermits(clock) });
  const { slots, order, run } = await cases(watch.models(answering));
  // A turn every 200 ms: longer than a try may take, and many times as long as an answer.
  const slow = [1, 2].map((number) => run(`slow ${number}`, limited('slow', 300)));
  const free = run('free', settings('free'));
  const ended = await Promise.all([...slow, free]);
  expect(ended).toMatchObject(ended.map(() => ({ ok: true, retryCount: 0 })));
  expect(order.indexOf('free')).toBeLessThan(order.indexOf('slow 2'));
  expect(slots.free).toBe(1);
});

test('a rest keeps nobody from a slot either', async () => {
  const watch = new EndpointWatch({
    monotonicMs: () => performance.now(),
    rules: { ...breakerRules, fewestCalls: 4, restMs: 40, lookMs: 5 },
  });
  const failures: { main: CallFailure | undefined } = { main: busy };
  const models = watch.models({
    ...answering,
    chat: async ({ model }) =>
      model === 'main' && failures.main ? { ok: false, failure: failures.main } : { ok: true, value: answered },
  });
  for (let call = 0; call < 4; call += 1) await models.chat(settings('main'), question, signal);
  failures.main = undefined;
  const { order, run } = await cases(models);
  await Promise.all([run('rests', settings('main')), run('other', settings('other'))]);
  expect(order).toEqual(['other', 'rests']);
});

test('an abort ends the waiting at once, although the only slot is taken', async () => {
  const clock = { monotonicMs: () => performance.now() };
  const watch = new EndpointWatch({ ...clock, permits: localPermits(clock) });
  const models = watch.models(answering);
  await models.chat(limited('slow', 1), question, signal);
  const { slots, run } = await cases(models);
  const stop = new AbortController();
  const waiting = run('waits', limited('slow', 1), stop.signal);
  const taken = await slots.acquire(signal);
  stop.abort(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
  taken.release();
  expect(slots.free).toBe(1);
});

test('no turn is taken for an endpoint that is given up, and one that finds it resting is given back', async () => {
  const clock = { monotonicMs: () => performance.now() };
  let calls = 0;
  const watch = new EndpointWatch({ ...clock, permits: localPermits(clock) });
  const models = watch.models({
    ...answering,
    chat: async () => {
      calls += 1;
      return { ok: false, failure: refused };
    },
  });
  const model = { ...limited('main', 60), limits: { requests_per_minute: 60, burst: 3 } };
  for (let call = 0; call < 6; call += 1) await models.chat(model, question, signal);
  // The fourth would have to wait for a second.
  expect(calls).toBe(3);
});

test('a 429 of a model with a limit pauses its key, and the pause is no try of the others', async () => {
  const clock = { monotonicMs: () => performance.now() };
  const watch = new EndpointWatch({ ...clock, permits: localPermits(clock) });
  const throttled: CallFailure = { ...busy, isThrottled: true, retryAfterMs: 60 };
  let calls = 0;
  const models = watch.models({
    ...answering,
    chat: async () => {
      calls += 1;
      return calls === 1 ? { ok: false, failure: throttled } : { ok: true, value: answered };
    },
  });
  const { run } = await cases(models);
  const startedAt = performance.now();
  const [first, second] = await Promise.all([run('a', limited('main', 60_000)), run('b', limited('main', 60_000))]);
  expect(first).toMatchObject({ ok: true, retryCount: 1 });
  expect(second).toMatchObject({ ok: true, retryCount: 0 });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(55);
});

test('a pause that is longer than what a case has left is not waited for', async () => {
  const clock = { monotonicMs: () => performance.now() };
  const watch = new EndpointWatch({ ...clock, permits: localPermits(clock) });
  const throttled: CallFailure = { ...busy, isThrottled: true, retryAfterMs: 59_000 };
  const models = watch.models({ ...answering, chat: async () => ({ ok: false, failure: throttled }) });
  const { run } = await cases(models);
  expect(await run('first', limited('main', 60_000))).toMatchObject({
    failure: { message: 'The provider asks to wait 59 s: busy' },
  });
  const gone = new AbortController();
  const waiting = models.chat(limited('main', 60_000), question, gone.signal);
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(await run('second', limited('main', 60_000))).toMatchObject({
    failure: { isNotAsked: true, message: expect.stringMatching(/wants no call for another \d+ s/) },
  });
  gone.abort(new Error('over'));
  await expect(waiting).rejects.toThrow('over');
});

test('a test run that needs what is given up is refused before it begins, with the side to blame and the same words in every runner', async () => {
  const sentences: string[] = [];
  for (const request of ['req_1', 'req_2']) {
    const watch = new EndpointWatch({ monotonicMs: () => 0 });
    const failure = { ...refused, message: `The provider answered 401 no (request ${request})` };
    const models = watch.models({ ...answering, chat: async () => ({ ok: false, failure }) });
    const needsAgent = aCase({ model: settings('main') });
    expect(watch.givenUp(needsAgent)).toBeUndefined();
    for (let call = 0; call < 3; call += 1) await models.chat(settings('main'), question, signal);
    const why = watch.givenUp(needsAgent);
    expect(why).toMatchObject({ kind: 'agent' });
    sentences.push(why?.message ?? '');
    expect(watch.givenUp(aCase({ model: settings('other'), judge: settings('main') }))).toMatchObject({
      kind: 'judge',
    });
    expect(watch.givenUp(aCase({ model: settings('other'), judge: settings('other') }))).toBeUndefined();
  }
  expect(new Set(sentences).size).toBe(1);
});

test('an agent behind a URL that is given up is not begun with either', async () => {
  const watch = new EndpointWatch({ monotonicMs: () => 0 });
  const url = 'https://agent.example/chat';
  const reach = watch.reach({
    call: async () => ({ ok: false, failure: refused }),
    start: () => ({ ok: false, failure: finalFailure('agent', 'no programs here') }),
    ask: async () => ({ ok: false, failure: finalFailure('agent', 'no programs here') }),
  });
  for (let call = 0; call < 3; call += 1) await reach.call(turnTo(url), signal);
  expect(watch.givenUp(aCase({ agent: { driver: { type: 'http', url } } }))).toMatchObject({ kind: 'agent' });
});
