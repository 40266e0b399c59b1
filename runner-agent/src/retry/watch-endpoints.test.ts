import { breakerRules } from '@proofmark/domain/breaker';
import { expect, test } from 'vitest';
import type { CallResult, ChatAnswer, ModelPort } from '../models/model-port.ts';
import type { CallFailure } from './call-failure.ts';
import { finalFailure } from './call-failure.ts';
import { pause } from './pause.ts';
import { tryAgain } from './try-again.ts';
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

test('agents behind a URL are watched, too', async () => {
  let posts = 0;
  const reach = new EndpointWatch({ monotonicMs: () => 0 }).reach({
    post: async () => {
      posts += 1;
      return { ok: false, failure: refused };
    },
    start: () => ({ ok: false, failure: finalFailure('agent', 'no programs here') }),
  });
  for (let call = 0; call < 10; call += 1) await reach.post('https://agent.example/chat', {}, signal);
  expect(posts).toBe(3);
  expect(reach.start(['agent'])).toMatchObject({ ok: false });
});
