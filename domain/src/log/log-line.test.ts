import { expect, test } from 'vitest';
import { describeError, maskedLine, reasonOf, secretsOfUrl, waitingLines } from './log-line.ts';

test('an error is its type, message, code, stack and cause, and nothing that a library hangs on it', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', address: '127.0.0.1' });
  const error = Object.assign(new TypeError('cannot store', { cause }), { parameters: ['a secret'], query: 'insert' });
  expect(describeError(error)).toEqual({
    type: 'TypeError',
    message: 'cannot store',
    stack: expect.stringContaining('log-line.test.ts'),
    cause: {
      ...{ type: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
      stack: expect.stringContaining('ECONNREFUSED'),
    },
  });
});

test('a thrown text, a circle of causes and a very long message are told in bounds', () => {
  expect(describeError('no')).toEqual({ type: 'string', message: 'no' });
  const circle = new Error('round');
  circle.cause = circle;
  expect(JSON.stringify(describeError(circle)).match(/"round"/g)).toHaveLength(6);
  expect(describeError(new Error('x'.repeat(9_000))).message).toHaveLength(2_001);
});

test('a reason is one line, also of a name with several addresses', () => {
  expect(reasonOf(new Error('first\n  second'))).toBe('first second');
  expect(reasonOf(new AggregateError([new Error('::1 refused'), new Error('127.0.0.1 refused')]))).toBe(
    '::1 refused; 127.0.0.1 refused',
  );
  expect(reasonOf(undefined)).toBe('undefined');
});

test('a secret is masked as it is, as JSON writes it and as a URL writes it', () => {
  const secret = 'pass"word/of 1';
  const line = JSON.stringify({ message: `got ${secret}`, url: `https://a:${encodeURIComponent(secret)}@b` });
  expect(maskedLine(`${line}\n`, [secret])).toBe('{"message":"got [masked]","url":"https://a:[masked]@b"}\n');
});

test('what is shaped like a key is masked although nobody named it, and short words stay', () => {
  expect(maskedLine(`{"a":"pmk_${'x'.repeat(43)} 1234"}`, ['1234'])).toBe('{"a":"[redacted] 1234"}\n');
});

test.each([
  ['postgres://user:secret-word@host:5432/db', ['secret-word']],
  ['nats://token-of-nats@host:4222', ['token-of-nats']],
  ['nats://host:4222', []],
  ['no url', []],
  [undefined, []],
])('of %s the secrets are %j', (url, secrets) => {
  expect(secretsOfUrl(url)).toEqual(secrets);
});

test('O9 O14 nothing in a line is obeyed by the screen that shows it, and it reads back the same', () => {
  const said = 'C1 \u009B31m \u0085 DEL \u007F bidi \u202E\u2066 zero\u200Bwidth \u{E0041} \u2028 ESC \u001B[2J 👩‍🚒';
  const line = maskedLine(JSON.stringify({ msg: said }), []);
  expect(line).not.toMatch(/(?![\n\u200D])[\p{Cc}\p{Cf}\p{Zl}]/u);
  expect(JSON.parse(line)).toEqual({ msg: said });
});

test('a wait is told at once, then every ten seconds, then when it is over', () => {
  const { failed, over } = waitingLines('Postgres');
  const tries = [0, 500, 9_500, 10_000, 10_500, 25_000].map((nowMs) => failed('refused', nowMs));
  expect(tries).toEqual([
    'Waiting for Postgres: refused',
    null,
    null,
    'Still waiting for Postgres after 10 s: refused',
    null,
    'Still waiting for Postgres after 25 s: refused',
  ]);
  expect(over(26_400)).toBe('Postgres is there after 26 s');
});

test('another reason is told soon, but two that alternate do not fill the log', () => {
  const { failed } = waitingLines('Postgres');
  const reasons = ['refused', 'shutting down', 'refused', 'shutting down'];
  const lines = reasons.map((reason, index) => failed(reason, index * 1_000));
  expect(lines).toEqual([
    'Waiting for Postgres: refused',
    null,
    null,
    'Still waiting for Postgres after 3 s: shutting down',
  ]);
});

test('what was there at once is not mentioned, and a second wait begins anew', () => {
  const { failed, over, isWaiting } = waitingLines('NATS');
  expect([isWaiting(), over(0)]).toEqual([false, null]);
  failed('refused', 0);
  expect(isWaiting()).toBe(true);
  over(1_000);
  expect(failed('refused', 2_000)).toBe('Waiting for NATS: refused');
});
