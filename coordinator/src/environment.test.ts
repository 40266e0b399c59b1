import { expect, test } from 'vitest';
import { readEnvironment } from './environment.ts';

const least = {
  DATABASE_URL: 'postgres://owner:secret@db:5432/proofmark',
  NATS_URL: 'nats://nats:4222',
  PUBLIC_URL: 'https://proofmark.example.com/',
};

test('the least environment gives defaults, with the logins of requests and loops derived from the owner', () => {
  const read = readEnvironment(least);
  expect(read).toMatchObject({
    ok: true,
    environment: {
      PORT: 8080,
      PUBLIC_URL: 'https://proofmark.example.com',
      OIDC_AUDIENCE: 'https://proofmark.example.com',
      PROOFMARK_APP_DATABASE_URL: 'postgres://proofmark_app:secret@db:5432/proofmark',
      PROOFMARK_WORKER_DATABASE_URL: 'postgres://proofmark_worker:secret@db:5432/proofmark',
      PROOFMARK_LEASE_MS: 25_000,
      PROOFMARK_HEARTBEAT_MS: 2000,
      PROOFMARK_ENROLL: 'installed',
    },
  });
});

test('all wrong and missing variables are told at once', () => {
  const read = readEnvironment({
    NATS_URL: 'localhost',
    PUBLIC_URL: '',
    PORT: 'eighty',
    OIDC_ISSUER: 'http://issuer.example.com',
  });
  expect(read.ok ? [] : read.problems.map((problem) => problem.split(':')[0])).toEqual([
    'DATABASE_URL',
    'NATS_URL',
    'PORT',
    'PUBLIC_URL',
    'OIDC_ISSUER',
  ]);
  expect(read.ok ? [] : read.problems).toContain('DATABASE_URL: is missing');
});

test('an App needs both its id and its key, and the key may be base64 of the PEM', () => {
  expect(readEnvironment({ ...least, GITHUB_APP_ID: '7' })).toEqual({
    ok: false,
    problems: ['GITHUB_APP_PRIVATE_KEY: must be given together with GITHUB_APP_ID'],
  });
  const pem = '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----';
  const read = readEnvironment({
    ...least,
    GITHUB_APP_ID: '7',
    GITHUB_APP_PRIVATE_KEY: Buffer.from(pem).toString('base64'),
  });
  expect(read.ok && read.environment.GITHUB_APP_PRIVATE_KEY).toBe(pem);
});

test('a secret file that cannot be read is named, without its path', () => {
  const read = readEnvironment({ ...least, PROOFMARK_SECRET_FILE: '/nowhere/secret' });
  expect(read).toEqual({ ok: false, problems: ['PROOFMARK_SECRET_FILE: cannot be read (ENOENT)'] });
});
