import { expect, test } from 'vitest';
import { toChatBody } from './to-chat-body.ts';

const settings = { configuration: 'main', provider: 'openai', model: 'm' };

test('a picture goes into the message of the user as a data URL, after its text', () => {
  const images = [{ mediaType: 'image/png', bytes: Buffer.from([1, 2, 3]) }];

  const body = toChatBody(settings, { messages: [{ role: 'user', content: 'What is this?', images }] });

  expect(body.messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
      ],
    },
  ]);
});

test('a message without pictures stays a text, and nothing of ours reaches the provider', () => {
  const body = toChatBody(settings, { messages: [{ role: 'user', content: 'Hi', images: [] }] });

  expect(body).toEqual({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
});

test('what the configuration says counts before what the request would have, zero included', () => {
  const request = { messages: [], defaults: { seed: 0, temperature: 0.7, maxTokens: 800 } };
  expect(toChatBody(settings, request)).toMatchObject({ seed: 0, temperature: 0.7, max_tokens: 800 });
  const own = { ...settings, seed: 7, temperature: 0, max_tokens: 50, reasoning_effort: 'low' };
  expect(toChatBody(own, request)).toMatchObject({ seed: 7, temperature: 0, max_tokens: 50, reasoning_effort: 'low' });
});

test('fields that only the server knows are sent as they are, and never instead of what Proofmark writes', () => {
  const extra_body = {
    top_p: 0.9,
    thinking: { type: 'enabled', budget_tokens: 1024 },
    response_format: { type: 'text' },
  };
  expect(toChatBody({ ...settings, extra_body }, { messages: [] })).toEqual({
    model: 'm',
    messages: [],
    ...extra_body,
  });
  const schema = { name: 'verdict', schema: {} };
  const judged = toChatBody({ ...settings, extra_body }, { messages: [], schema });
  expect(judged.response_format).toMatchObject({ type: 'json_schema' });
});
