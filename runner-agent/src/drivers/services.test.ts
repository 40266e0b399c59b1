import { describe, expect, test } from 'vitest';
import { turns } from './own-agent-story.fixture.ts';
import { type Answer, bearer, echo, json, run, type Seen, serve, stream, token } from './service-story.fixture.ts';

describe('headers and address', () => {
  test('texts, variables and secrets are sent as headers, values in the query, a body as the method says', async () => {
    await using shop = await serve({ '*': json({ reply: 'Hi' }) });
    const outcome = await run(
      {
        ...{ url: `${shop.origin}/chat/{conversation_id}`, method: 'PUT', mapping: echo, body: { channel: 'test' } },
        headers: {
          ...bearer,
          'X-Team': 'shop',
          'X-Day': { $from: 'variables.Day' },
          'X-Session': { $from: 'session' },
        },
        query: { turn: { $from: 'turn' }, day: { $concat: ['on ', { $from: 'variables.Day' }] } },
      },
      { origins: [shop.origin], story: { variables: { Day: 'monday' } } },
    );
    expect(outcome).toMatchObject({ status: 'passed', response: 'Hi' });
    expect(shop.seen[0]).toMatchObject({
      method: 'PUT',
      url: expect.stringMatching(/^\/chat\/[\w-]{36}\?turn=0&day=on\+monday$/),
      headers: { authorization: `Bearer ${token}`, 'x-team': 'shop', 'x-day': 'monday' },
      body: '{"message":"When do you open?","channel":"test"}',
    });
    expect(shop.seen[0]?.headers).not.toHaveProperty('x-session');
  });

  test('an agent of our own protocol gets the headers, too', async () => {
    await using shop = await serve({ '*': json({ output: 'Hi', cost_usd: 0.25 }) });
    const outcome = await run({ url: shop.origin, headers: bearer }, { origins: [shop.origin] });
    expect(outcome).toMatchObject({ status: 'passed', response: 'Hi', costUsd: 0.25 });
    expect(shop.seen[0]?.headers.authorization).toBe(`Bearer ${token}`);
  });

  test('a form is sent as one, and a secret of user and password as Basic', async () => {
    await using shop = await serve({ '*': json({ reply: 'Hi' }) });
    await run(
      {
        ...{ url: shop.origin, mapping: echo, body_format: 'form', body: { n: 1, list: [1] } },
        headers: { Authorization: { from_env: 'SHOP_TOKEN', prefix: 'Basic ', encode: 'base64' } },
      },
      { origins: [shop.origin] },
    );
    expect(shop.seen[0]).toMatchObject({
      headers: {
        authorization: `Basic ${Buffer.from(token).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'message=When+do+you+open%3F&n=1&list=%5B1%5D',
    });
  });
});

describe('sessions', () => {
  const asks = { request: { session: { $from: 'session' } }, response: 'reply' };
  const bodies = (seen: readonly Seen[]): unknown[] => seen.map(({ body }) => JSON.parse(body));

  test('the key of a session is taken from a header, and goes back', async () => {
    await using shop = await serve({ '*': json({ reply: 'Hi' }, { 'x-session-id': 's-1' }) });
    await run({ url: shop.origin, mapping: { ...asks, session: { header: 'X-Session-Id' } } }, { story: turns(2) });
    expect(bodies(shop.seen)).toEqual([{ session: null }, { session: 's-1' }]);
  });

  test('cookies go back, as one of them is the session', async () => {
    await using shop = await serve({
      '*': json({ reply: 'Hi' }, { 'set-cookie': ['sid=s-1; Path=/; HttpOnly', 'a=b'] }),
    });
    await run({ url: shop.origin, mapping: { ...asks, session: { cookie: 'sid' } } }, { story: turns(2) });
    expect(bodies(shop.seen)).toEqual([{ session: null }, { session: 's-1' }]);
    expect(shop.seen.map(({ headers }) => headers.cookie)).toEqual([undefined, 'sid=s-1; a=b']);
  });

  test('a session is made by a call of its own, once', async () => {
    await using shop = await serve({ 'POST /v1/sessions': json({ id: 's/1' }), '*': json({ reply: 'Hi' }) });
    const create = { url: '/sessions', body: { user: { $from: 'conversation_id' } }, path: 'id' };
    await run({ url: `${shop.origin}/v1?x=1`, mapping: { ...asks, session: { create } } }, { story: turns(2) });
    expect(shop.seen.map(({ url }) => url)).toEqual(['/v1/sessions?x=1', '/v1?x=1', '/v1?x=1']);
    expect(bodies(shop.seen).slice(1)).toEqual([{ session: 's/1' }, { session: 's/1' }]);
  });
});

describe('answers', () => {
  test('an error inside of a good status is an error of the agent', async () => {
    await using shop = await serve({ '*': json({ error: { message: 'no thread' } }) });
    const outcome = await run({ url: shop.origin, mapping: { ...echo, error: 'error.message' } });
    expect(outcome).toMatchObject({
      status: 'error',
      errorKind: 'agent',
      errorMessage: 'The service failed: no thread',
    });
  });

  test('the first path that holds a text is the answer, and texts of a list are joined', async () => {
    await using shop = await serve({
      '*': json({ parts: [{ text: 'One' }, { image: 1 }, { text: 'Two' }], cost: 0.5 }),
    });
    const mapping = { ...echo, response: ['reply', 'parts[-1].words', 'parts[*].text'], join: ' ', cost_usd: 'cost' };
    expect(await run({ url: shop.origin, mapping })).toMatchObject({ response: 'One Two', costUsd: 0.5 });
  });

  test('an answer that is no JSON says what it is instead', async () => {
    await using shop = await serve({
      '*': (_, answer) => void answer.setHeader('content-type', 'text/html').end('<p>'),
    });
    const outcome = await run({ url: shop.origin, mapping: echo });
    expect(outcome.errorMessage).toBe('The answer is text/html instead of JSON');
  });

  test('an endless answer ends at 8 MB, and one that says nothing at the limit of the agent', async () => {
    await using shop = await serve({
      'POST /flood': (_, answer) => {
        answer.writeHead(200, { 'content-type': 'application/json' });
        const pour = (): void => {
          while (!answer.destroyed && answer.write(Buffer.alloc(1_000_000, ' ')));
          if (!answer.destroyed) answer.once('drain', pour);
        };
        pour();
      },
      'POST /silent': () => undefined,
    });
    expect(await run({ url: `${shop.origin}/flood`, mapping: echo })).toMatchObject({
      ...{ status: 'error', errorKind: 'limit', errorMessage: 'response too large: more than 8 MB' },
    });
    const story = { limits: { agentTimeoutMs: 200 } };
    expect(await run({ url: `${shop.origin}/silent`, mapping: echo }, { story })).toMatchObject({
      ...{ status: 'error', errorKind: 'timeout' },
    });
  });
});

describe('streams', () => {
  const read = { request: {}, response: 'text' };
  const sse = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

  test.each<[string, Record<string, unknown>, Answer]>([
    [
      'sse',
      { stream: { format: 'sse', text: 'd.t' } },
      stream(sse({ d: { t: 'From 9 ' } }), ': ping\n\n', sse({ d: {} }), sse({ d: { t: 'to 17' } })),
    ],
    [
      'ndjson',
      { stream: { format: 'ndjson', text: 't' } },
      stream('{"t":"From 9 "}\n{"t":', '"to 17"}\n{"done":true}\n'),
    ],
    ['text', { stream: { format: 'text' } }, stream('From 9 ', 'to 17')],
    [
      'openai',
      { stream: { format: 'openai' }, mapping: { ...read, response: 'choices[0].message.content' } },
      stream(
        sse({ choices: [{ index: 0, delta: { content: 'From 9 ' } }] }),
        sse({ choices: [{ index: 0, delta: { content: 'to 17' }, finish_reason: 'stop' }] }),
        'data: [DONE]\n\n',
      ),
    ],
  ])('the pieces of %s make one answer', async (_, driver, answer) => {
    await using shop = await serve({ '*': answer });
    expect(await run({ url: shop.origin, mapping: read, ...driver })).toMatchObject({
      status: 'passed',
      response: 'From 9 to 17',
    });
  });

  test('what a stream tells in the end is read from its last event', async () => {
    await using shop = await serve({ '*': stream('{"t":"a"}\n', '{"t":"b","usage":{"in":3,"out":4}}\n') });
    const usage = { prompt_tokens: 'last.usage.in', completion_tokens: 'last.usage.out' };
    const outcome = await run({
      url: shop.origin,
      stream: { format: 'ndjson', text: 't' },
      mapping: { ...read, usage },
    });
    expect(outcome).toMatchObject({ response: 'ab', usage: { promptTokens: 3, completionTokens: 4 } });
  });

  test.each([
    ['a piece that is not JSON', stream('data: {"t":\n\n'), 'streamed a piece that is not JSON'],
    ['nothing at all', stream(), 'ended in the middle'],
    ['JSON in one piece', json({ text: 'x' }), 'instead of a stream'],
  ])('%s is no answer', async (_, answer, message) => {
    await using shop = await serve({ '*': answer });
    const outcome = await run({ url: shop.origin, mapping: read, stream: { format: 'sse', text: 't' } });
    expect(outcome).toMatchObject({ status: 'error', errorMessage: expect.stringContaining(message) });
  });
});

describe('an answer that is asked for again and again', () => {
  const poll = {
    ...{ url: '/runs/{start.id}', every_ms: 50, result: '/runs/{start.id}/result' },
    ...{ while: { path: 'state', in: ['pending'] }, failed: { path: 'state', in: ['failed'] } },
  };

  test('is fetched when the state says that it is there', async () => {
    let asked = 0;
    await using shop = await serve({
      'POST /': json({ id: 'r 1', state: 'pending' }),
      'GET /runs/r%201': (seen, answer) => json({ state: asked++ < 2 ? 'pending' : 'done' })(seen, answer),
      'GET /runs/r%201/result': json({ reply: 'Hi' }),
    });
    expect(await run({ url: shop.origin, mapping: echo, poll })).toMatchObject({ status: 'passed', response: 'Hi' });
    expect(shop.seen).toHaveLength(5);
  });

  test('may fail, and may never come', async () => {
    await using shop = await serve({
      'POST /': json({ id: 1, state: 'pending' }),
      'GET /runs/1': json({ state: 'failed' }),
      'POST /slow': json({ id: 2, state: 'pending' }),
      'GET /slow/runs/2': json({ state: 'pending' }),
    });
    expect(await run({ url: shop.origin, mapping: echo, poll })).toMatchObject({
      errorMessage: 'The service failed: state is "failed"',
    });
    const story = { limits: { agentTimeoutMs: 300 } };
    expect(await run({ url: `${shop.origin}/slow`, mapping: echo, poll }, { story })).toMatchObject({
      errorKind: 'timeout',
    });
  });
});
