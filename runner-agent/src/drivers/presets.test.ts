import { describe, expect, test } from 'vitest';
import { turns } from './own-agent-story.fixture.ts';
import { type Answer, json, run, type Seen, serve, stream } from './service-story.fixture.ts';

const bodies = (seen: readonly Seen[]): unknown[] => seen.map(({ body }) => (body === '' ? null : JSON.parse(body)));
const inTurn = (...answers: Answer[]): Answer => {
  let next = 0;
  return (seen, answer) => answers[Math.min(next++, answers.length - 1)]?.(seen, answer);
};

describe('each preset asks a server as its documentation says, and understands its answer', () => {
  test('langgraph keeps a thread, and counts the calls of earlier turns once', async () => {
    const call = (id: string) => ({ id, name: 'look', args: { id } });
    const turn = (id: string) => [
      { type: 'human', content: 'x' },
      { type: 'ai', content: '', tool_calls: [call(id)] },
      { type: 'tool', tool_call_id: id, content: `found ${id}` },
      {
        type: 'ai',
        content: [{ type: 'text', text: `Answer ${id}` }],
        usage_metadata: { input_tokens: 3, output_tokens: 2 },
      },
    ];
    await using server = await serve({
      'POST /threads': json({ thread_id: 't-1' }),
      'POST /threads/t-1/runs/wait': inTurn(
        json({ messages: turn('a') }),
        json({ messages: [...turn('a'), ...turn('b')] }),
      ),
    });
    const outcome = await run(
      { url: server.origin, preset: 'langgraph', body: { assistant_id: 'shop' } },
      { story: turns(2) },
    );
    expect(bodies(server.seen)).toEqual([
      {},
      { assistant_id: 'shop', input: { messages: [{ role: 'user', content: 'Hello' }] } },
      { assistant_id: 'shop', input: { messages: [{ role: 'user', content: 'More.' }] } },
    ]);
    expect(outcome).toMatchObject({
      ...{ status: 'passed', response: 'Answer b', usage: { promptTokens: 6, completionTokens: 4 } },
      toolCalls: [
        { name: 'look', args: { id: 'a' }, result: 'found a', turn: 0 },
        { name: 'look', args: { id: 'b' }, result: 'found b', turn: 1 },
      ],
    });
  });

  test('langgraph tells an error of the graph with a good status', async () => {
    await using server = await serve({
      'POST /threads': json({ thread_id: 't-1' }),
      '*': json({ __error__: { error: 'ValueError', message: 'no such node' } }),
    });
    expect(await run({ url: server.origin, preset: 'langgraph' })).toMatchObject({
      errorMessage: 'The service failed: no such node',
    });
  });

  test('vercel-ui sends all messages as parts, and gathers text and tools of the stream', async () => {
    const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
    const answer = stream(
      event({ type: 'start', messageId: 'm' }),
      event({ type: 'tool-input-available', toolCallId: 'c', toolName: 'look', input: { id: 1 } }),
      event({ type: 'tool-output-available', toolCallId: 'c', output: { found: true } }),
      event({ type: 'text-start', id: '1' }) + event({ type: 'text-delta', id: '1', delta: 'From 9 ' }),
      event({ type: 'text-delta', id: '1', delta: 'to 17' }) + event({ type: 'data-weather', data: {} }),
      `${event({ type: 'finish' })}data: [DONE]\n\n`,
    );
    await using server = await serve({ '*': answer });
    const outcome = await run({ url: `${server.origin}/api/chat`, preset: 'vercel-ui' }, { story: turns(2) });
    expect(outcome).toMatchObject({
      response: 'From 9 to 17',
      toolCalls: [{ name: 'look', args: { id: 1 }, result: { found: true } }],
    });
    expect(bodies(server.seen)[1]).toMatchObject({
      trigger: 'submit-message',
      messages: [
        { role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
        { role: 'assistant', parts: [{ type: 'text', text: 'From 9 to 17' }] },
        { role: 'user', parts: [{ type: 'text', text: 'More.' }] },
      ],
    });
  });

  test.each([
    ['an error', 'data: {"type":"error","errorText":"no quota"}\n\n', 'The service failed: no quota'],
    ['an end too soon', 'data: {"type":"text-delta","id":"1","delta":"From"}\n\n', 'ended in the middle of the answer'],
  ])('vercel-ui takes %s for no answer', async (_, text, message) => {
    await using server = await serve({ '*': stream(text) });
    expect(await run({ url: server.origin, preset: 'vercel-ui' })).toMatchObject({
      status: 'error',
      errorMessage: expect.stringContaining(message),
    });
  });

  test('a2a takes a message at once, and asks for a task until it is done', async () => {
    const parts = [{ kind: 'text', text: 'Done' }];
    const task = (state: string) => ({
      jsonrpc: '2.0',
      result: { kind: 'task', id: 't', status: { state }, artifacts: [{ parts }] },
    });
    await using server = await serve({
      'POST /message': json({ jsonrpc: '2.0', result: { kind: 'message', parts } }),
      'POST /task': inTurn(json(task('working')), json(task('completed'))),
      'POST /failed': json(task('failed')),
      'POST /error': json({ jsonrpc: '2.0', error: { code: -32_601, message: 'Method not found' } }),
    });
    const ask = (path: string) => run({ url: server.origin + path, preset: 'a2a' });
    expect(await ask('/message')).toMatchObject({ status: 'passed', response: 'Done' });
    expect(await ask('/task')).toMatchObject({ status: 'passed', response: 'Done' });
    expect(bodies(server.seen)).toMatchObject([
      { method: 'message/send', params: { message: { role: 'user', parts: [{ text: 'When do you open?' }] } } },
      { method: 'message/send' },
      { method: 'tasks/get', params: { id: 't' } },
    ]);
    expect(await ask('/failed')).toMatchObject({ errorMessage: 'The service failed: result.status.state is "failed"' });
    expect(await ask('/error')).toMatchObject({ errorMessage: 'The service failed: Method not found' });
  });

  test('dify gets its conversation back', async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 2 };
    await using server = await serve({
      'POST /v1/chat-messages': json({ answer: 'Hi', conversation_id: 'c', metadata: { usage } }),
    });
    const outcome = await run({ url: `${server.origin}/v1`, preset: 'dify' }, { story: turns(2) });
    expect(outcome).toMatchObject({ response: 'Hi', usage: { promptTokens: 6, completionTokens: 4 } });
    expect(bodies(server.seen)).toMatchObject([
      { query: 'Hello', response_mode: 'blocking', inputs: {}, conversation_id: '' },
      { query: 'More.', conversation_id: 'c' },
    ]);
  });

  test('rasa may answer with several texts, and with none', async () => {
    await using server = await serve({
      'POST /webhooks/rest/webhook': inTurn(json([{ text: 'One' }, { image: 'x' }, { text: 'Two' }]), json([])),
    });
    const ask = () => run({ url: server.origin, preset: 'rasa' });
    expect([(await ask()).response, (await ask()).response]).toEqual(['One\nTwo', '']);
  });

  test('openai-chat sends the history, and reads calls and tokens', async () => {
    const message = {
      content: 'Hi',
      tool_calls: [{ id: 'c', function: { name: 'look', arguments: '{"id":1}' } }],
    };
    await using server = await serve({
      'POST /v1/chat/completions': json({
        model: 'm',
        choices: [{ message }],
        usage: { prompt_tokens: 3, completion_tokens: 2 },
      }),
    });
    const driver = { url: `${server.origin}/v1`, preset: 'openai-chat', body: { model: 'shop' } };
    expect(await run(driver)).toMatchObject({
      ...{ response: 'Hi', model: 'm', usage: { promptTokens: 3, completionTokens: 2 } },
      toolCalls: [{ name: 'look', args: { id: 1 } }],
    });
    expect(bodies(server.seen)[0]).toMatchObject({
      model: 'shop',
      messages: [{ role: 'user', content: 'When do you open?' }],
    });
  });
});
