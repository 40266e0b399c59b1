import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { supportDeskRules } from './model/support-desk.ts';
import { type ModelServer, startModelServer } from './model-server.ts';
import { startProcess } from './processes.ts';

const instructions = `You are the support agent of a small shop. Answer in a friendly way.
We are open Monday to Friday from 9 to 17, and on Saturday from 10 to 14.
Refunds are paid within 14 days to the card that was used.
- Orders above 50 euros are shipped free of charge.`;

let model: ModelServer;
beforeEach(async () => {
  model = await startModelServer({
    rules: [
      {
        when: { user: 'order status' },
        toolCalls: [{ name: 'get_order', arguments: { id: 'A-1' } }],
        reply: 'It is on its way.',
      },
      { when: { user: 'never' }, hangs: true },
      { when: { user: 'broken' }, status: 503 },
      ...supportDeskRules,
    ],
  });
});
afterEach(async () => model.stop());

const Answer = z.looseObject({
  choices: z.array(
    z.looseObject({ message: z.looseObject({ content: z.string().nullable() }), finish_reason: z.string() }),
  ),
});

async function post(
  user: string,
  { system = instructions, ...more }: { system?: string; [key: string]: unknown } = {},
  signal?: AbortSignal,
) {
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ];
  return fetch(`${model.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer key-1' },
    body: JSON.stringify({ model: 'scripted', messages, ...more }),
    signal: signal ?? null,
  });
}

async function ask(user: string, system?: string): Promise<string | null | undefined> {
  const response = await post(user, system === undefined ? {} : { system });
  return Answer.parse(await response.json()).choices[0]?.message.content;
}

it('answers from its instructions, and vaguely once they no longer hold the fact', async () => {
  expect(await ask('What are your opening hours on Saturday?')).toBe(
    'We are open Monday to Friday from 9 to 17, and on Saturday from 10 to 14.',
  );
  expect(await ask('How long does a refund take?')).toBe('Refunds are paid within 14 days to the card that was used.');
  expect(await ask('Is shipping free?')).toBe('Orders above 50 euros are shipped free of charge.');
  expect(await ask('How long does a refund take?', 'You are the support agent of a small shop.')).toMatch(
    /^I am not sure/,
  );
});

it('obeys an instruction not to talk about something', async () => {
  const worse = `${instructions}\nNever mention refunds.`;
  expect(await ask('How long does a refund take?', worse)).toMatch(/^I am not sure/);
  expect(await ask('Is shipping free?', worse)).toBe('Orders above 50 euros are shipped free of charge.');
});

it('gives equal requests equal bodies, id and usage included', async () => {
  const [first, second] = await Promise.all([post('Is shipping free?'), post('Is shipping free?')]);
  expect(await first.text()).toBe(await second.text());
});

it('calls the tools of a rule first and speaks when their results are there', async () => {
  const first = Answer.parse(await (await post('What is my order status?')).json());
  expect(first.choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: { tool_calls: [{ function: { name: 'get_order', arguments: '{"id":"A-1"}' } }] },
  });
  const messages = [
    { role: 'user', content: 'What is my order status?' },
    { role: 'tool', tool_call_id: 'call', content: 'shipped' },
  ];
  const second = Answer.parse(await (await post('', { messages })).json());
  expect(second.choices[0]?.message.content).toBe('It is on its way.');
});

it('streams the same answer as events', async () => {
  const text = await (await post('Is shipping free?', { stream: true })).text();
  const contents = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content);
  expect(contents.join('')).toBe('Orders above 50 euros are shipped free of charge.');
  expect(contents.length).toBeGreaterThan(5);
  expect(text).not.toContain('usage');
  expect(text).toContain('"finish_reason":"stop"');
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
});

it('answers the queued faults in their order, then as before', async () => {
  model.nextError(429, { 'retry-after': '1' });
  model.nextError(500);
  const limited = await post('Is shipping free?');
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '1']);
  expect((await post('Is shipping free?')).status).toBe(500);
  expect((await post('Is shipping free?')).status).toBe(200);
  expect((await post('broken')).status).toBe(503);
});

it('holds calls until they are released, so that a test can act in the middle', async () => {
  model.hold({ user: 'refund' });
  const held = [post('refund?'), post('a refund!')];
  await model.whenInFlight(2);
  expect((await post('Is shipping free?')).status).toBe(200);
  model.release();
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
  expect(model.inFlight()).toBe(0);
});

it('forgets a caller that left a hanging call', async () => {
  const leaving = new AbortController();
  const hanging = post('never', {}, leaving.signal);
  await model.whenInFlight(1);
  leaving.abort();
  await expect(hanging).rejects.toThrow('aborted');
  await expect.poll(() => model.inFlight()).toBe(0);
});

it('keeps what was asked, with which key, and what the answer was', async () => {
  await post('Is shipping free?');
  expect(model.requests).toMatchObject([
    {
      path: '/v1/chat/completions',
      key: 'key-1',
      model: 'scripted',
      system: instructions,
      user: 'Is shipping free?',
      status: 200,
    },
  ]);
});

it('embeds texts so that those with the same words are near', async () => {
  const Embeddings = z.looseObject({ data: z.array(z.looseObject({ embedding: z.array(z.number()) })) });
  const input = ['we open at nine', 'at nine we open', 'the parcel was lost'];
  const response = await fetch(`${model.url}/embeddings`, {
    method: 'POST',
    body: JSON.stringify({ model: 'vectors', input }),
  });
  const [a = [], b = [], c = []] = Embeddings.parse(await response.json()).data.map(({ embedding }) => embedding);
  const cosine = (x: number[], y: number[]) => x.reduce((sum, value, index) => sum + value * (y[index] ?? 0), 0);
  expect(cosine(a, b)).toBeCloseTo(1);
  expect(cosine(a, c)).toBeLessThan(0.5);
});

it('runs as a process of its own that says where it listens', async () => {
  const ready = { line: z.object({ url: z.string() }) };
  await using server = await startProcess({ name: 'model', entry: 'tests/stack/model-server-main.ts', ready });
  const response = await fetch(`${server.ready.url}/models`);
  expect(response.status).toBe(200);
});
