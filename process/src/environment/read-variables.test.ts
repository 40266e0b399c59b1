import { PoolName, PoolNames } from '@proofmark/contracts/pool';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readVariables } from './read-variables.ts';
import {
  amountUsd,
  brokerAddresses,
  flag,
  hostName,
  milliseconds,
  oneOf,
  safeAddress,
  webAddress,
  wholeNumber,
} from './variable-kinds.ts';

const table = z.object({
  SLOTS: wholeNumber(1, 10, 8).default(8),
  ADDRESS: webAddress('https://example.com'),
  TOKEN: z.string().min(3, 'must have at least 3 characters').optional(),
});

describe('reading a table of variables', () => {
  it('gives values, defaults among them', () => {
    expect(readVariables(table, { ADDRESS: 'https://a.example.com/' })).toEqual({
      values: { SLOTS: 8, ADDRESS: 'https://a.example.com' },
      complete: { SLOTS: 8, ADDRESS: 'https://a.example.com' },
      problems: [],
    });
  });

  it('names every wrong variable at once, with its value and what to write, and keeps those that are right', () => {
    expect(readVariables(table, { SLOTS: 'many', TOKEN: 'abcdef' })).toEqual({
      values: { TOKEN: 'abcdef' },
      complete: undefined,
      problems: [
        'SLOTS: "many" must be a whole number from 1 to 10, such as 8',
        'ADDRESS: is missing; it must be a URL like https://example.com',
      ],
    });
  });

  it('takes an empty variable for an absent one', () => {
    expect(readVariables(table, { SLOTS: '', ADDRESS: '' })).toMatchObject({
      values: { SLOTS: 8 },
      problems: ['ADDRESS: is missing; it must be a URL like https://example.com'],
    });
  });

  it('reads a secret from the file that is named for it, and says so when it cannot', () => {
    const files = new Map([['/run/token', 'abcdef\n']]);
    const readFile = (path: string) => {
      const text = files.get(path);
      return text === undefined ? ({ ok: false, reason: 'ENOENT' } as const) : ({ ok: true, text } as const);
    };
    const read = (given: Record<string, string>) =>
      readVariables(table, { ADDRESS: 'https://a', ...given }, { secrets: ['TOKEN'], readFile });
    expect(read({ TOKEN_FILE: '/run/token' }).complete).toMatchObject({ TOKEN: 'abcdef' });
    expect(read({ TOKEN_FILE: '/run/token', TOKEN: 'abcdef' }).problems).toEqual([
      'TOKEN_FILE: is given together with TOKEN; leave one of them out',
    ]);
    expect(read({ TOKEN_FILE: '/nowhere' }).problems).toEqual([
      'TOKEN_FILE: cannot be read (ENOENT); it must be the path of a file that this process may read',
    ]);
  });

  it('never shows a secret, nor the login of a URL, and cuts what is long', () => {
    const { problems } = readVariables(
      table,
      { TOKEN: 'x1', ADDRESS: 'ftp://user:hunter2@example.com', SLOTS: '9'.repeat(90) },
      { secrets: ['TOKEN'] },
    );
    expect(problems).toEqual([
      `SLOTS: "${'9'.repeat(60)}…" must be a whole number from 1 to 10, such as 8`,
      'ADDRESS: "ftp://***@example.com" must be a URL like https://example.com',
      'TOKEN: its value, which is not shown, must have at least 3 characters',
    ]);
  });
});

describe('a kind of variable', () => {
  it.each([
    [
      'a whole number',
      wholeNumber(0, 100, 5),
      ['0', '100', '007'],
      ['', '-1', '101', '1.5', '1e1', ' 5', '0x5', 'NaN'],
    ],
    ['milliseconds', milliseconds(5), ['1', '86400000'], ['0', '86400001', '5s']],
    ['an amount', amountUsd(100), ['0', '1.00', '100'], ['', '-1', '101', '1e1', '1,00', '.5', ' 1']],
    ['a pool', PoolName, ['default', 'a-B_1'], ['', 'a.b', 'a b', 'x'.repeat(33)]],
    ['some pools', PoolNames, ['default', 'a,b', 'a,a'], ['', ',', 'a,', 'a, b', Array(17).fill('a').join(',')]],
    ['a flag', flag, ['0', '1', 'true', 'false'], ['', 'yes', 'TRUE', '2']],
    ['a word', oneOf(['a', 'b', 'c']), ['a', 'c'], ['A', 'd', '']],
    ['an address', webAddress('https://x'), ['http://a', 'https://a:1/b'], ['', 'a', 'ftp://a', '//a']],
    [
      'a safe address',
      safeAddress('https://x'),
      ['https://a', 'http://localhost:1', 'http://127.0.0.1', 'http://[::1]:2'],
      ['http://a', 'http://localhost.evil.com', 'http://127.0.0.1.evil.com'],
    ],
    ['a host', hostName, ['0.0.0.0', '::', 'db-1.internal'], ['', 'a b', 'http://a']],
    [
      'brokers',
      brokerAddresses,
      ['nats://a:1', 'tls://a', 'nats://a:1,nats://b:2'],
      ['', 'a:4222', 'http://a', 'nats://a, nats://b', 'nats://a,'],
    ],
  ])('%s takes what it means and nothing else', (_what, kind, right, wrong) => {
    expect(right.filter((text) => !kind.safeParse(text).success)).toEqual([]);
    expect(wrong.filter((text) => kind.safeParse(text).success)).toEqual([]);
    for (const text of wrong) expect(kind.safeParse(text).error?.issues[0]?.message).toMatch(/^must /);
  });
});
