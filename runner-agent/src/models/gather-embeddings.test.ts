import { expect, test } from 'vitest';
import { finalFailure } from '../retry/call-failure.ts';
import { type TrySignal, waitAside } from '../retry/try-scope.ts';
import { gatherEmbeddings } from './gather-embeddings.ts';
import type { CallResult, Embeddings, ModelPort } from './model-port.ts';

const settings = { configuration: 'e', provider: 'openai', model: 'embed-1' };
const never = new AbortController().signal;
const vectorOf = (text: string): number[] => [text.length, text.charCodeAt(0)];

/** Models that keep what they were asked to embed, and answer once `answer` lets them. */
function counted(
  answer: (texts: readonly string[]) => CallResult<Embeddings> | Promise<CallResult<Embeddings>> = good,
) {
  const requests: { texts: readonly string[]; signal: AbortSignal }[] = [];
  const port: ModelPort = {
    chat: () => Promise.reject(new Error('no chat here')),
    embed: async (_, texts, signal) => {
      requests.push({ texts, signal });
      return await answer(texts);
    },
  };
  return { models: gatherEmbeddings(port), requests };
}

function good(texts: readonly string[]): CallResult<Embeddings> {
  return {
    ok: true,
    value: { vectors: texts.map(vectorOf), usage: { promptTokens: texts.length, completionTokens: 0 } },
  };
}

const vectors = (result: CallResult<Embeddings>): number[][] => (result.ok ? result.value.vectors : []);

test('what is asked for at the same time goes into one request, and each gets its own vectors', async () => {
  const { models, requests } = counted();
  const asked = Array.from({ length: 20 }, (_, index) => [`answer ${index}`, 'the same expectation']);
  const results = await Promise.all(asked.map((texts) => models.embed(settings, texts, never)));
  expect(requests).toHaveLength(1);
  expect(requests[0]?.texts).toHaveLength(21);
  expect(results.map(vectors)).toEqual(asked.map((texts) => texts.map(vectorOf)));
});

test('the cost of a request is told once, to the first who asked', async () => {
  const { models } = counted();
  const [first, second] = await Promise.all([
    models.embed(settings, ['a', 'b'], never),
    models.embed(settings, ['a', 'c'], never),
  ]);
  expect(first).toMatchObject({ value: { usage: { promptTokens: 3 } } });
  expect(second).toMatchObject({ value: { usage: null, isShared: true } });
});

test('a text is embedded once, and what is known needs no request', async () => {
  const { models, requests } = counted();
  await models.embed(settings, ['a', 'b'], never);
  expect(await models.embed(settings, ['b', 'a'], never)).toEqual({
    ok: true,
    value: { vectors: [vectorOf('b'), vectorOf('a')], usage: null, isShared: true },
  });
  await models.embed(settings, ['b', 'c'], never);
  expect(requests.map(({ texts }) => texts)).toEqual([['a', 'b'], ['c']]);
});

test('another model knows nothing of it', async () => {
  const { models, requests } = counted();
  await models.embed(settings, ['a'], never);
  await models.embed({ ...settings, model: 'embed-2' }, ['a'], never);
  expect(requests).toHaveLength(2);
});

test('no request holds more than 64 texts', async () => {
  const { models, requests } = counted();
  const asked = Array.from({ length: 100 }, (_, index) => [`x${index}`, `y${index}`]);
  const results = await Promise.all(asked.map((texts) => models.embed(settings, texts, never)));
  expect(requests.map(({ texts }) => texts.length)).toEqual([64, 64, 64, 8]);
  expect(results.map(vectors)).toEqual(asked.map((texts) => texts.map(vectorOf)));
});

test('a text that is refused is the trouble of the one who brought it', async () => {
  const { models } = counted((texts) =>
    texts.includes('bad') ? { ok: false, failure: finalFailure('agent', 'too long') } : good(texts),
  );
  const [fine, broken] = await Promise.all([
    models.embed(settings, ['fine'], never),
    models.embed(settings, ['bad'], never),
  ]);
  expect(fine).toMatchObject({ ok: true, value: { vectors: [vectorOf('fine')] } });
  expect(broken).toMatchObject({ ok: false, failure: { message: 'too long' } });
});

test('who is aborted leaves the others their request; when all are gone it ends', async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<CallResult<Embeddings>>();
  const { models, requests } = counted(() => {
    asked.resolve();
    return answer.promise;
  });
  const [one, other] = [new AbortController(), new AbortController()];
  const results = [models.embed(settings, ['a'], one.signal), models.embed(settings, ['b'], other.signal)];
  await asked.promise;
  one.abort(new Error('cancelled'));
  await expect(results[0]).rejects.toThrow('cancelled');
  expect(requests[0]?.signal.aborted).toBe(false);
  other.abort(new Error('cancelled, too'));
  await expect(results[1]).rejects.toThrow('cancelled, too');
  expect(requests[0]?.signal.aborted).toBe(true);
  answer.resolve(good(['a', 'b']));
});

test('a text that is on its way is waited for, and asked for again only when it does not come', async () => {
  const answers = [Promise.withResolvers<CallResult<Embeddings>>(), Promise.withResolvers<CallResult<Embeddings>>()];
  const arrived = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let call = -1;
  const { models, requests } = counted(async (texts) => {
    call += 1;
    arrived[call]?.resolve();
    return (await answers[call]?.promise) ?? good(texts);
  });
  const first = models.embed(settings, ['a'], never);
  await arrived[0]?.promise;
  const [same, other] = [models.embed(settings, ['a', 'b'], never), models.embed(settings, ['c'], never)];
  // What needs nothing of it does not wait.
  await arrived[1]?.promise;
  expect(requests.map(({ texts }) => texts)).toEqual([['a'], ['c']]);
  answers[1]?.resolve(good(['c']));
  expect(vectors(await other)).toEqual([vectorOf('c')]);
  answers[0]?.resolve({ ok: false, failure: { ...finalFailure('agent', 'busy'), retryable: true } });
  expect(await first).toMatchObject({ ok: false });
  expect(vectors(await same)).toEqual([vectorOf('a'), vectorOf('b')]);
  expect(requests.map(({ texts }) => texts)).toEqual([['a'], ['c'], ['a', 'b']]);
});

/** A signal of a try that keeps when it begins and ends to wait aside. */
function asideSignal(name: string, told: string[]): TrySignal {
  return Object.assign(new AbortController().signal, {
    aside: async <T>(wait: () => Promise<T>): Promise<T> => {
      told.push(`${name} waits`);
      const result = await wait();
      told.push(`${name} is back`);
      return result;
    },
  });
}

test('a request that waits for its turn is waited for aside by all who asked, and they are back before they go on', async () => {
  const told: string[] = [];
  const turn = Promise.withResolvers<void>();
  const models = gatherEmbeddings({
    chat: () => Promise.reject(new Error('no chat here')),
    embed: async (_, texts, signal) => {
      await waitAside(signal, () => turn.promise);
      return good(texts);
    },
  });
  const ask = async (name: string): Promise<void> => {
    await models.embed(settings, [name], asideSignal(name, told));
    told.push(`${name} goes on`);
  };
  const both = Promise.all([ask('a'), ask('b')]);
  await expect.poll(() => told).toEqual(['a waits', 'b waits']);
  turn.resolve();
  await both;
  for (const name of ['a', 'b']) expect(told.indexOf(`${name} is back`)).toBeLessThan(told.indexOf(`${name} goes on`));
});

test('whoever comes when four requests are under way waits aside for the next one', async () => {
  const told: string[] = [];
  const answers = Promise.withResolvers<void>();
  const { models, requests } = counted(async (texts) => {
    await answers.promise;
    return good(texts);
  });
  const asked: Promise<unknown>[] = [];
  for (let request = 0; request < 4; request += 1) {
    asked.push(models.embed(settings, [`text ${request}`], asideSignal(`${request}`, told)));
    await expect.poll(() => requests.length).toBe(request + 1);
  }
  asked.push(models.embed(settings, ['one more'], asideSignal('late', told)));
  await expect.poll(() => told).toEqual(['late waits']);
  answers.resolve();
  await Promise.all(asked);
  expect(told).toEqual(['late waits', 'late is back']);
});
