import { createServer, type IncomingMessage } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { ExchangeTokenDocument, RunProgressDocument } from './operations/documents.ts';
import { jobTokenOf } from './operations/job-token.ts';
import { progressOf } from './operations/run.ts';
import { refused, sendOperation } from './send-operation.ts';

type Answer = { status?: number; headers?: Record<string, string>; body: string | ((asked: string) => string) };

const open: { close: () => unknown }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

async function serve(answer: Answer): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    void request
      .setEncoding('utf8')
      .toArray()
      .then((parts) => {
        const body = typeof answer.body === 'string' ? answer.body : answer.body(parts.join(''));
        response.writeHead(answer.status ?? 200, answer.headers).end(body);
      });
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`, requests };
}

const bearer = async () => ({ ok: true as const, answer: 'pmr_token' });
const progress = {
  document: RunProgressDocument,
  variables: { id: '00000000-0000-4000-8000-000000000000' },
  read: ({ run }: { run: Parameters<typeof progressOf>[0] | null }) => run && progressOf(run),
};
const exchange = { document: ExchangeTokenDocument, variables: {}, read: jobTokenOf };

test('the token goes in the authorization header and nowhere else', async () => {
  const { url, requests } = await serve({ body: '{"data":{"run":null}}' });
  expect(await sendOperation({ url, bearer }, progress)).toEqual({ ok: true, answer: null });
  expect(requests[0]?.url).toBe('/graphql');
  expect(requests[0]?.headers.authorization).toBe('Bearer pmr_token');
});

test('a GraphQL error keeps its code and message', async () => {
  const { url } = await serve({
    status: 403,
    body: JSON.stringify({
      errors: [{ message: 'This repository has no rights.', extensions: { code: 'FORBIDDEN' } }],
    }),
  });
  expect(await sendOperation({ url, bearer }, exchange)).toEqual({
    ok: false,
    error: { code: 'FORBIDDEN', message: 'This repository has no rights.', isTransient: false, retryAfterMs: null },
  });
});

test('a busy coordinator is transient and says how long to wait', async () => {
  const { url } = await serve({ status: 503, headers: { 'retry-after': '5' }, body: '<html>' });
  const sent = await sendOperation({ url, bearer }, exchange);
  expect(sent).toMatchObject({ ok: false, error: { code: 'UNREACHABLE', isTransient: true, retryAfterMs: 5000 } });
});

test('nobody listening is UNREACHABLE and names the address', async () => {
  const sent = await sendOperation({ url: 'http://127.0.0.1:9', bearer }, exchange);
  expect(sent).toMatchObject({ ok: false, error: { code: 'UNREACHABLE', isTransient: true } });
  expect(sent.ok ? '' : sent.error.message).toContain('http://127.0.0.1:9');
});

test('a redirect is not followed, because it would carry the token away', async () => {
  const other = await serve({ body: '{"data":{"run":null}}' });
  const { url } = await serve({ status: 307, headers: { location: `${other.url}graphql` }, body: '' });
  const sent = await sendOperation({ url, bearer }, progress);
  expect(sent).toMatchObject({ ok: false, error: { code: 'UNEXPECTED_ANSWER', isTransient: false } });
  expect(other.requests).toHaveLength(0);
});

test('an answer of another form is said to be one', async () => {
  const { url } = await serve({ body: '{"data":{"run":{"status":"ASLEEP"}}}' });
  const sent = await sendOperation({ url, bearer }, progress);
  expect(sent).toMatchObject({ ok: false, error: { code: 'UNEXPECTED_ANSWER', isTransient: false } });
});

test('without a token nothing is sent', async () => {
  const { url, requests } = await serve({ body: '{}' });
  const refusal = refused('FORBIDDEN', 'not enrolled');
  expect(await sendOperation({ url, bearer: async () => refusal }, progress)).toEqual(refusal);
  expect(requests).toHaveLength(0);
});

test('a page that is no GraphQL at all is no coordinator', async () => {
  const { url } = await serve({ body: '<html>hello</html>' });
  const sent = await sendOperation({ url, bearer }, progress);
  expect(sent).toMatchObject({ ok: false, error: { code: 'UNEXPECTED_ANSWER' } });
});

test('an operation goes as its hash, and as its text to a coordinator of another version', async () => {
  const asked: unknown[] = [];
  const { url } = await serve({
    body: (body) => {
      const { query, extensions } = JSON.parse(body);
      asked.push(query ?? extensions.persistedQuery.sha256Hash);
      const unknown = { message: 'never seen', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } };
      return JSON.stringify(query === undefined ? { errors: [unknown] } : { data: { run: null } });
    },
  });
  const endpoint = { url, bearer };
  const { sha256, text } = RunProgressDocument;
  expect(await sendOperation(endpoint, progress)).toEqual({ ok: true, answer: null });
  expect(asked).toEqual([sha256, text]);
  // It is not asked in vain again.
  await sendOperation(endpoint, progress);
  expect(asked).toEqual([sha256, text, text]);
});
