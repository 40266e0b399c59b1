import { expect, test } from 'vitest';
import { chooseEndpoint, readKeyRing } from './key-ring.ts';

const environment = {
  OPENAI_API_KEY: 'sk-main',
  OTHER_KEY: 'sk-other',
  PROOFMARK_KEY_ENVS: 'OPENAI_API_KEY,OTHER_KEY',
  PROOFMARK_KEY_ORIGINS: 'OTHER_KEY=https://other.example',
  PROOFMARK_URL_ALLOW: 'http://10.0.0.5:11434',
};

function choose(settings: { base_url?: string; api_key_env?: string }, { allowsLoopback = false, more = {} } = {}) {
  const ring = readKeyRing({ ...environment, ...more }, { allowsLoopback });
  if (!ring.ok) throw new Error(ring.problems.join('\n'));
  return chooseEndpoint(settings, ring.keys);
}

test('without a base URL the key of the default provider goes to that provider', () => {
  expect(choose({})).toEqual({ ok: true, baseUrl: 'https://api.openai.com/v1', key: 'sk-main', isTrusted: true });
});

test('a base URL of the operator gets the key as well', () => {
  const more = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' };
  expect(choose({}, { more })).toEqual({ ok: true, baseUrl: 'http://127.0.0.1:9/v1', key: 'sk-main', isTrusted: true });
});

test('a key goes to its own origin (M11)', () => {
  const settings = { base_url: 'https://other.example/v1', api_key_env: 'OTHER_KEY' };
  expect(choose(settings)).toMatchObject({ ok: true, key: 'sk-other' });
});

test('the usual key of a provider goes to that provider alone, once the operator lists it', () => {
  const settings = { base_url: 'https://api.anthropic.com/v1', api_key_env: 'ANTHROPIC_API_KEY' };
  const more = { ANTHROPIC_API_KEY: 'sk-ant', PROOFMARK_KEY_ENVS: 'OPENAI_API_KEY,OTHER_KEY,ANTHROPIC_API_KEY' };
  expect(choose(settings, { more })).toMatchObject({ ok: true, key: 'sk-ant' });
  expect(choose({ ...settings, base_url: 'https://evil.example/v1' }, { more })).toMatchObject({ ok: false });
  expect(choose(settings)).toEqual({
    ok: false,
    message:
      'ANTHROPIC_API_KEY is not a model key that this runner may use; its operator lists those in PROOFMARK_KEY_ENVS',
  });
});

test.each([
  [
    'a key for a foreign origin',
    { base_url: 'https://canary.example/v1', api_key_env: 'OPENAI_API_KEY' },
    'may not be sent to https://canary.example',
  ],
  [
    'a look-alike of the origin',
    { base_url: 'https://api.openai.com.evil.example/v1', api_key_env: 'OPENAI_API_KEY' },
    'may not be sent',
  ],
  [
    'another port of the origin',
    { base_url: 'https://other.example:444/v1', api_key_env: 'OTHER_KEY' },
    'may not be sent',
  ],
  ['a variable that is no model key', { api_key_env: 'DATABASE_URL' }, 'DATABASE_URL is not a model key'],
  ['plain http', { base_url: 'http://models.example/v1' }, 'must be https'],
  ['user information', { base_url: 'https://user:pass@models.example/v1' }, 'must be https without user information'],
  ['loopback', { base_url: 'http://127.0.0.1:8080/v1' }, 'not a public address'],
  ['loopback by name', { base_url: 'https://localhost./v1' }, 'not a public address'],
  ['loopback in octal', { base_url: 'https://0177.0.0.1/v1' }, 'not a public address'],
  ['mapped IPv6', { base_url: 'https://[::ffff:127.0.0.1]/v1' }, 'not a public address'],
  ['the metadata address', { base_url: 'https://169.254.169.254/v1' }, 'not a public address'],
  ['another scheme', { base_url: 'file:///etc/passwd' }, 'is not a URL'],
])('%s is refused', (_, settings, message) => {
  expect(choose(settings)).toEqual({ ok: false, message: expect.stringContaining(message) });
});

test('a public base URL without a named key is called without one (M11)', () => {
  expect(choose({ base_url: 'https://models.example/v1' })).toMatchObject({ ok: true, key: null, isTrusted: false });
});

test('a private origin that the operator allows is called without a key (M11)', () => {
  expect(choose({ base_url: 'http://10.0.0.5:11434/v1' })).toMatchObject({ ok: true, key: null });
});

test('loopback may be called where the run is the developer’s own', () => {
  expect(choose({ base_url: 'http://localhost:11434/v1' }, { allowsLoopback: true })).toMatchObject({
    ok: true,
    key: null,
  });
});

test('every problem of the settings is named at once', () => {
  const source = {
    OPENAI_BASE_URL: 'ftp://x',
    PROOFMARK_KEY_ENVS: 'DATABASE_URL,lower',
    PROOFMARK_KEY_ORIGINS: 'UNKNOWN=https://x',
    PROOFMARK_URL_ALLOW: 'nonsense',
    DATABASE_URL_FILE: '/does/not/exist',
  };
  expect(readKeyRing(source, { allowsLoopback: false })).toEqual({
    ok: false,
    problems: [
      'OPENAI_BASE_URL: ftp://x is not an http or https URL',
      'PROOFMARK_KEY_ENVS: DATABASE_URL cannot be the name of a model key',
      'PROOFMARK_KEY_ENVS: lower cannot be the name of a model key',
      'DATABASE_URL_FILE: /does/not/exist cannot be read',
      'PROOFMARK_KEY_ORIGINS: UNKNOWN=https://x is not NAME=https://host with a NAME of PROOFMARK_KEY_ENVS',
      'PROOFMARK_URL_ALLOW: nonsense is not an origin',
    ],
  });
});
