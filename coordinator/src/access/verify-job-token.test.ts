import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobTokenVerifier, jobTokenVerifiers, type VerifyJobToken } from './verify-job-token.ts';

const issuer = 'https://token.actions.githubusercontent.com';
const audience = 'https://proofmark.example.com';
const claims = {
  jti: 'one',
  repository: 'shop/desk',
  repository_id: '1001',
  repository_owner_id: '2002',
  run_id: '3003',
  run_attempt: '1',
  event_name: 'pull_request',
  ref: 'refs/pull/7/merge',
  sha: 'a'.repeat(40),
};

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;
let keys: Keys;
let strangers: Keys;
let published: unknown[] = [];
let publishedElsewhere: unknown[] = [];
let fetches = 0;
let verify: VerifyJobToken;
let jwksUri: string;
const server = createServer((request, response) => {
  fetches++;
  const shown = request.url === '/other' ? publishedElsewhere : published;
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: shown }));
});

beforeAll(async () => {
  keys = await generateKeyPair('RS256');
  strangers = await generateKeyPair('RS256');
  published = [{ ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }];
  publishedElsewhere = [{ ...(await exportJWK(strangers.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  jwksUri = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/jwks`;
  verify = jobTokenVerifier({ issuer, audience, jwksUri, host: 'github.com' });
});
afterAll(() => server.close());

type Sign = { payload?: JWTPayload; header?: Record<string, unknown>; key?: Keys; without?: string[] };

const seconds = (fromNow: number) => Math.floor(Date.now() / 1000) + fromNow;

async function sign({ payload = {}, header = {}, key = keys, without = [] }: Sign = {}): Promise<string> {
  const whole: JWTPayload = { iss: issuer, aud: audience, iat: seconds(0), exp: seconds(300), ...claims, ...payload };
  const kept = Object.fromEntries(Object.entries(whole).filter(([name]) => !without.includes(name)));
  return await new SignJWT(kept).setProtectedHeader({ alg: 'RS256', kid: 'k1', ...header }).sign(key.privateKey);
}

test('a token of the issuer for us tells which repository, workflow run and event it is of', async () => {
  const verified = await verify(await sign());
  expect(verified).toMatchObject({
    ok: true,
    token: {
      jti: 'one',
      claims: {
        host: 'github.com',
        repositoryId: '1001',
        ownerId: '2002',
        workflowRunId: '3003',
        workflowRunAttempt: '1',
        event: 'pull_request',
      },
    },
  });
});

const unauthenticated = { ok: false, code: 'UNAUTHENTICATED' };

test.each<[string, Sign]>([
  ['another issuer', { payload: { iss: `${issuer}/` } }],
  ['another audience', { payload: { aud: 'https://other.example.com' } }],
  ['a list of audiences with ours on it', { payload: { aud: [audience] } }],
  ['an end that is over', { payload: { exp: seconds(-61) } }],
  ['a beginning that is to come', { payload: { nbf: seconds(90) } }],
  ['an age of more than ten minutes', { payload: { iat: seconds(-700), exp: seconds(3600) } }],
  ['a time as text', { payload: JSON.parse('{"exp":"soon"}') }],
  ['no jti', { without: ['jti'] }],
  ['no iat', { without: ['iat'] }],
  ['a repository id that is a number', { payload: { repository_id: 1001 } }],
  ['a repository id that is a name', { payload: { repository_id: 'shop/desk' } }],
  ['no attempt', { without: ['run_attempt'] }],
  ['an embedded key', { header: { jwk: { kty: 'RSA' } } }],
  ['a URL of keys', { header: { jku: 'https://evil.example.com/jwks' } }],
  ['a URL of a certificate', { header: { x5u: 'https://evil.example.com/cert' } }],
  ['no key id', { header: { kid: undefined } }],
])('C4 a token with %s is refused', async (_what, wrong) => {
  expect(await verify(await sign(wrong))).toEqual(unauthenticated);
});

test('C4 a token that somebody else signed is refused', async () => {
  expect(await verify(await sign({ key: strangers }))).toEqual(unauthenticated);
});

test('C4 other algorithms, unsigned tokens, other forms and giants are refused', async () => {
  const [, payload = '', signature = ''] = (await sign()).split('.');
  const head = (header: object) => Buffer.from(JSON.stringify(header)).toString('base64url');
  const hmac = await new SignJWT({ ...claims, iss: issuer, aud: audience })
    .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(Buffer.from('a secret that the issuer does not have'));
  const tokens = [
    hmac,
    `${head({ alg: 'none', kid: 'k1' })}.${payload}.`,
    `${head({ alg: 'RS256', kid: 'k1', crit: ['b64'] })}.${payload}.${signature}`,
    'a.b',
    'a.b.c',
    '',
    'x'.repeat(20_000),
  ];
  for (const token of tokens) expect(await verify(token)).toEqual(unauthenticated);
});

test('C5 unknown key ids fetch the keys again once at most, and never from elsewhere', async () => {
  await verify(await sign());
  const before = fetches;
  for (let count = 0; count < 20; count++)
    expect(await verify(await sign({ header: { kid: `unknown-${count}` } }))).toEqual(unauthenticated);
  expect(fetches - before).toBeLessThanOrEqual(1);
});

test('C5 a rotated key works after one look at the keys', async () => {
  const rotating = jobTokenVerifier({ issuer, audience, jwksUri, host: 'github.com', refetchMs: 0 });
  expect(await rotating(await sign())).toMatchObject({ ok: true });
  const next = await generateKeyPair('RS256');
  const before = { published, fetches };
  published = [{ ...(await exportJWK(next.publicKey)), kid: 'k2', alg: 'RS256', use: 'sig' }];
  expect(await rotating(await sign({ key: next, header: { kid: 'k2' } }))).toMatchObject({ ok: true });
  expect(fetches - before.fetches).toBe(1);
  expect(await rotating(await sign())).toEqual(unauthenticated);
  published = before.published;
});

test('keys that cannot be fetched are our trouble and not a wrong token', async () => {
  const offline = jobTokenVerifier({ issuer, audience, jwksUri: 'http://127.0.0.1:9/jwks', host: 'github.com' });
  expect(await offline(await sign())).toEqual({ ok: false, code: 'UNAVAILABLE' });
});

test('of several servers the one whose issuer signed a token is its host, and no server speaks for another', async () => {
  const enterprise = 'https://github.example.com/_services/token';
  const both = jobTokenVerifiers([
    { issuer, audience, jwksUri, host: 'github.com' },
    { issuer: enterprise, audience, jwksUri: jwksUri.replace('/jwks', '/other'), host: 'github.example.com' },
  ]);
  expect(await both(await sign())).toMatchObject({ ok: true, token: { claims: { host: 'github.com' } } });
  const other = await sign({ payload: { iss: enterprise }, key: strangers });
  expect(await both(other)).toMatchObject({ ok: true, token: { claims: { host: 'github.example.com' } } });
  expect(await both(await sign({ key: strangers }))).toEqual(unauthenticated);
  expect(await both(await sign({ payload: { iss: enterprise } }))).toEqual(unauthenticated);
  expect(await both(await sign({ payload: { iss: `${enterprise}/` }, key: strangers }))).toEqual(unauthenticated);
  expect(await both(await sign({ without: ['iss'] }))).toEqual(unauthenticated);
  expect(await both('no.token.')).toEqual(unauthenticated);
});
