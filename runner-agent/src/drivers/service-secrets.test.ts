import { describe, expect, test } from 'vitest';
import { turns } from './own-agent-story.fixture.ts';
import { bearer, echo, json, run, serve, token } from './service-story.fixture.ts';

describe('secrets stay where their owner sent them (M11, X6)', () => {
  test('a secret for another origin is refused before anything is sent, and the message says what allows it', async () => {
    await using shop = await serve({ '*': json({ reply: 'Hi' }) });
    const outcome = await run(
      { url: shop.origin, mapping: echo, headers: bearer },
      { origins: ['https://shop.example.com'] },
    );
    expect(outcome).toMatchObject({
      status: 'error',
      errorKind: 'agent',
      errorMessage: `Header Authorization: SHOP_TOKEN may not be sent to ${shop.origin}; whoever runs the cases allows that with PROOFMARK_KEY_ORIGINS=SHOP_TOKEN=${shop.origin}`,
    });
    expect(shop.seen).toEqual([]);
  });

  test('a variable that nobody listed is no secret, whatever a file asks for', async () => {
    await using shop = await serve({ '*': json({ reply: 'Hi' }) });
    const outcome = await run({ url: shop.origin, mapping: echo, headers: { X: { from_env: 'DATABASE_URL' } } });
    expect(outcome.errorMessage).toContain('DATABASE_URL is not a secret that may be sent from here');
    expect(shop.seen).toEqual([]);
  });

  test('a service that repeats the secret in answers, headers and errors does not bring it into the result', async () => {
    const forms = [token, Buffer.from(token).toString('base64'), encodeURIComponent(token), JSON.stringify(token)];
    const all = forms.join(' ');
    await using shop = await serve({
      'POST /fine': json({ reply: all, session: all }, { 'x-echo': Buffer.from(token).toString('base64') }),
      'POST /broken': (_, answer) => void answer.writeHead(500).end(all),
      'POST /moved': (_, answer) =>
        void answer.writeHead(302, { location: `https://elsewhere.example/?t=${token}` }).end(),
    });
    for (const path of ['/fine', '/broken', '/moved']) {
      const outcome = await run(
        { url: shop.origin + path, mapping: { ...echo, session: { header: 'x-echo' } }, headers: bearer },
        { origins: [shop.origin] },
      );
      const kept = JSON.stringify(outcome);
      for (const form of [token, ...forms.slice(1, 3), JSON.stringify(JSON.stringify(token)).slice(3, -3)])
        expect(kept).not.toContain(form.replace(/=+$/, ''));
    }
  });

  test('a redirect is not followed, wherever it leads', async () => {
    await using other = await serve({ '*': json({ reply: 'stolen' }) });
    await using shop = await serve({
      '*': (_, answer) => void answer.writeHead(307, { location: other.origin }).end(),
    });
    const outcome = await run(
      { url: shop.origin, mapping: echo, headers: bearer },
      { origins: [shop.origin, other.origin] },
    );
    expect(outcome).toMatchObject({
      status: 'error',
      errorMessage: expect.stringContaining('redirects elsewhere, which is not followed'),
    });
    expect(other.seen).toEqual([]);
  });

  test.each([
    ['a value', { 'X-Day': { $from: 'variables.Day' } }, token],
    ['a secret', { 'X-Day': { from_env: 'SHOP_TOKEN' } }, `${token}\r\nX-Evil: 1`],
  ])('%s with a line break is sent as no header', async (_, headers, secret) => {
    await using shop = await serve({ '*': json({ reply: 'Hi' }) });
    const outcome = await run(
      { url: shop.origin, mapping: echo, headers },
      { origins: [shop.origin], secret, story: { variables: { Day: 'monday\r\nX-Evil: 1' } } },
    );
    expect(outcome).toMatchObject({ status: 'error', errorMessage: expect.stringContaining('holds a line break') });
    expect(JSON.stringify(outcome)).not.toContain('shop-token');
    expect(shop.seen).toEqual([]);
  });

  test.each(['..', '.', ''])('a session of %j does not lead to another path', async (session) => {
    await using shop = await serve({ '*': json({ reply: 'Hi', session }) });
    const outcome = await run(
      { url: `${shop.origin}/a/{session}/b`, mapping: { ...echo, session: { path: 'session', first: 'x/../y' } } },
      { story: turns(2) },
    );
    expect(shop.seen.map(({ url }) => url)).toEqual(['/a/x%2F..%2Fy/b']);
    expect(outcome).toMatchObject({ status: 'error', errorMessage: expect.stringContaining('{session}') });
  });

  test('a place of another origin is refused', async () => {
    await using shop = await serve({ '*': json({ state: 'running' }) });
    const poll = { url: 'https://elsewhere.example/state', while: { path: 'state', in: ['running'] }, every_ms: 50 };
    const outcome = await run({ url: shop.origin, mapping: echo, poll });
    expect(outcome.errorMessage).toContain('https://elsewhere.example/state does not belong to');
  });
});

describe('a token by client credentials', () => {
  const oauth = (origin: string) => ({
    ...{
      token_url: `${origin}/token`,
      client_id: 'proofmark',
      client_secret: { from_env: 'SHOP_TOKEN' },
      scope: 'chat',
    },
  });

  test('is fetched once, sent, and fetched again when it is no longer taken', async () => {
    let issued = 0;
    await using shop = await serve({
      'POST /token': (seen, answer) =>
        json({ access_token: `access-${++issued}-0123456789`, expires_in: 3600 })(seen, answer),
      '*': (seen, answer) =>
        seen.headers.authorization === 'Bearer access-1-0123456789' && issued === 1 && shop.seen.length > 3
          ? json({}, {}, 401)(seen, answer)
          : json({ reply: `I was sent ${seen.headers.authorization}` })(seen, answer),
    });
    const outcome = await run(
      { url: `${shop.origin}/chat`, mapping: echo, oauth: oauth(shop.origin) },
      { origins: [shop.origin], story: turns(3) },
    );
    expect(shop.seen.map(({ url }) => url)).toEqual(['/token', '/chat', '/chat', '/chat', '/token', '/chat']);
    const basic = Buffer.from(`proofmark:${encodeURIComponent(token)}`).toString('base64');
    expect(shop.seen[0]).toMatchObject({
      headers: { authorization: `Basic ${basic}` },
      body: 'grant_type=client_credentials&scope=chat',
    });
    expect(outcome).toMatchObject({ status: 'passed', response: 'I was sent Bearer [masked]' });
    expect(JSON.stringify(outcome)).not.toContain('access-');
  });

  test('a server of tokens that redirects leads the client secret nowhere', async () => {
    await using other = await serve({ '*': json({ access_token: 'stolen' }) });
    await using shop = await serve({
      'POST /token': (_, answer) => void answer.writeHead(307, { location: other.origin }).end(),
      '*': json({ reply: 'Hi' }),
    });
    const outcome = await run(
      { url: `${shop.origin}/chat`, mapping: echo, oauth: oauth(shop.origin) },
      { origins: [shop.origin, other.origin] },
    );
    expect(outcome).toMatchObject({
      status: 'error',
      errorMessage: expect.stringContaining('redirects elsewhere, which is not followed'),
    });
    expect([other.seen, shop.seen.map(({ url }) => url)]).toEqual([[], ['/token']]);
    expect(JSON.stringify(outcome)).not.toContain(token);
  });

  test('a server that reads the client from the body gets it there', async () => {
    await using shop = await serve({
      'POST /token': (seen, answer) =>
        seen.headers.authorization
          ? json({ error: 'invalid_client' }, {}, 401)(seen, answer)
          : json({ access_token: 'a' })(seen, answer),
      '*': json({ reply: 'Hi' }),
    });
    const driver = { url: `${shop.origin}/chat`, mapping: echo, oauth: oauth(shop.origin) };
    expect(await run(driver, { origins: [shop.origin] })).toMatchObject({ status: 'passed' });
    expect(shop.seen[1]?.body).toContain(`client_id=proofmark&client_secret=${encodeURIComponent(token)}`);
  });

  test('its secret must be allowed at the agent as well, or a file could fetch a token for anybody', async () => {
    await using shop = await serve({ '*': json({ access_token: 'a' }) });
    await using other = await serve({ '*': json({ reply: 'stolen' }) });
    const outcome = await run(
      { url: other.origin, mapping: echo, oauth: oauth(shop.origin) },
      { origins: [shop.origin] },
    );
    expect(outcome.errorMessage).toContain(`oauth.client_secret: SHOP_TOKEN may not be sent to ${other.origin}`);
    expect([...shop.seen, ...other.seen]).toEqual([]);
  });
});
