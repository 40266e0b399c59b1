import { expect, test } from 'vitest';
import { maskedLine, secretsOfUrl } from './masked-line.ts';

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
