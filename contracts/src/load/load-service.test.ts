import { describe, expect, test } from 'vitest';
import { okCase, problemsOf } from './sample-files.fixture.ts';

const shop = 'url: "https://shop.example/chat", mapping: { request: {}, response: text }';
const found = (driver: string): string[] =>
  problemsOf(`name: S\nagent: { name: a, driver: { type: http, ${driver} } }\ncases:\n${okCase}\n`).map(
    ({ path, message }) => `${path.replace('agent.driver.', '')}: ${message}`,
  );

test.each([
  [
    'headers of texts, secrets and values',
    `${shop}, headers: { X-A: text, Authorization: { from_env: SHOP_TOKEN, prefix: "Bearer " }, X-B: { $from: session } }`,
  ],
  ['a query of texts, numbers and values', `${shop}, query: { a: x, b: 1, c: { $from: variables.Temperature } }`],
  [
    'a preset with keys of its own',
    'url: "https://x.example", preset: langgraph, body: { assistant_id: shop }, mapping: { response: "messages[-1].text" }',
  ],
  ['polling', `${shop}, poll: { url: "/runs/{start.id}", while: { path: state, in: [pending] } }`],
  ['a limit', `${shop}, limits: { requests_per_minute: 60 }`],
  [
    'certificates',
    `${shop}, tls: { ca: { from_env: SHOP_CA }, cert: { from_env: SHOP_CERT }, key: { from_env: SHOP_KEY } }`,
  ],
])('%s are taken', (_, driver) => {
  expect(found(driver)).toEqual([]);
});

describe('what could bring a secret where it does not belong, or a header of somebody else, is refused', () => {
  test.each([
    [
      'a user in the address',
      'url: "https://me:pw@shop.example/chat"',
      'url: must hold no user and no password: an address is kept in logs on its way',
    ],
    [
      'a secret in the address',
      'url: "https://shop.example/chat?api_key=x"',
      'url: must hold no secret, and `api_key` looks like one: an address is kept in logs on its way',
    ],
    [
      'a secret in the query',
      `${shop}, query: { q: { from_env: SHOP_TOKEN } }`,
      'query.q: must hold no secret: an address is kept in logs on its way',
    ],
    [
      'a header with a line break',
      `${shop}, headers: { X-A: "a\\r\\nX-B: b" }`,
      'headers.X-A: must be one line of plain characters: a line break would begin another header',
    ],
    [
      'a prefix with a line break',
      `${shop}, headers: { X-A: { from_env: T, prefix: "a\\n" } }`,
      'headers.X-A.prefix: must be one line of plain characters: a line break would begin another header',
    ],
    [
      'a header of the connection',
      `${shop}, headers: { Host: x }`,
      'headers.Host: is a header that the request decides itself',
    ],
    ['a name with a space', `${shop}, headers: { "X A": x }`, 'headers.X A: the name is none that a header can have'],
    [
      'two sources',
      `${shop}, headers: { X-A: { from_env: T, $from: session } }`,
      'headers.X-A: needs one of from_env, $from and $concat',
    ],
  ])('%s', (_, driver, expected) => {
    expect(found(driver)).toEqual([expected]);
  });
});

describe('what would fail in every turn is said before the first one', () => {
  test.each([
    [
      'a path that is none',
      'url: "https://x.example", mapping: { request: {}, response: "a..b" }',
      'mapping.response: is not a path such as reply.text, messages[-1].content or parts[*].text',
    ],
    ['no response', 'url: "https://x.example", mapping: { request: {} }', 'mapping.response: `response` is missing'],
    ['no request', 'url: "https://x.example", mapping: { response: a }', 'mapping.request: `request` is missing'],
    [
      'a value that there is not',
      `${shop}, headers: { X-A: { $from: sesion } }`,
      'headers.X-A.$from: `$from` must start with input, session, turn, history, messages, ui_messages, message_id, conversation_id, seed, variables, instructions, tools, files, did you mean `session`?',
    ],
    [
      'a place that there is not',
      'url: "https://x.example/{sesion}", preset: rasa',
      'url: `{sesion}` must start with input, session, turn, history, messages, ui_messages, message_id, conversation_id, seed, variables, instructions, tools, files, did you mean `session`?',
    ],
    [
      'a stream without a path',
      `${shop}, stream: { format: sse }`,
      'stream: sse and ndjson need `text`, the other formats have none',
    ],
    ['an unknown key', `${shop}, header: { X-A: x }`, 'header: unknown key `header`, did you mean `headers`?'],
    [
      'an unknown preset',
      'url: "https://x.example", preset: langraph',
      'preset: must be one of langgraph, vercel-ui, a2a, dify, rasa, openai-chat; did you mean `langgraph`?',
    ],
    [
      'a stream of our own protocol',
      'url: "https://x.example", stream: { format: text }',
      'stream: `stream` needs a `mapping` or a `preset` beside it',
    ],
  ])('%s', (_, driver, expected) => {
    expect(found(driver)).toEqual([expected]);
  });
});
