import type { JobToken } from '@proofmark/client/job-token';
import { expect, test } from 'vitest';
import { chooseCredentials, runTokens } from './credentials.ts';

const place = { url: 'https://proofmark.example.com/', from: 'input' } as const;
const idTokens = { url: 'https://actions.example.com/token?v=1', bearer: 'request-token' };
const nothing = { 'api-token': null, 'oidc-audience': null };

test('the audience is the coordinator without its last slash, unless one is given', () => {
  const chosen = { inputs: nothing, place, idTokens, trigger: null };
  expect(chooseCredentials(chosen)).toEqual({ kind: 'job', idTokens, audience: 'https://proofmark.example.com' });
  const inputs = { ...nothing, 'oidc-audience': 'proofmark' };
  expect(chooseCredentials({ ...chosen, inputs })).toEqual({ kind: 'job', idTokens, audience: 'proofmark' });
});

test('an audience that works elsewhere is not used for an address out of a file', () => {
  const inputs = { ...nothing, 'oidc-audience': 'https://proofmark.example.com' };
  const fromFile = { url: 'https://evil.example.com', from: 'file' } as const;
  expect(chooseCredentials({ inputs, place: fromFile, idTokens, trigger: null }).kind).toBe('missing');
});

test('a run token is used until a minute before its end, then exchanged again', async () => {
  let nowMs = 0;
  const masked: string[] = [];
  let count = 0;
  const exchange = async () => {
    count += 1;
    const answer: JobToken = { token: `t${count}`, expiresAtMs: nowMs + 900_000, hasApp: true, maxBodyBytes: 1 };
    return { ok: true as const, answer };
  };
  const tokens = runTokens({ exchange, mask: (secret) => void masked.push(secret), now: () => nowMs });
  expect(tokens.current()).toBeNull();
  await tokens.bearer();
  nowMs = 830_000;
  expect(await tokens.bearer()).toEqual({ ok: true, answer: 't1' });
  nowMs = 840_000;
  expect(await tokens.bearer()).toEqual({ ok: true, answer: 't2' });
  expect(masked).toEqual(['t1', 't2']);
});
