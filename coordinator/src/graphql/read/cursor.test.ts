import { expect, test } from 'vitest';
import { readCursor, writeCursor } from './cursor.ts';

const scope = { key: Buffer.from('a key for tests'), tenantId: '0b0a', list: 'runs' };

test('a cursor gives back the position it was written for', () => {
  const position = ['2026-01-31 12:00:00.123456+00', '7f'];
  expect(readCursor(scope, writeCursor(scope, position))).toEqual(position);
});

test('a cursor of another tenant, another list, another key or another text opens nothing', () => {
  const cursor = writeCursor(scope, ['1']);
  expect(readCursor({ ...scope, tenantId: 'other' }, cursor)).toBeNull();
  expect(readCursor({ ...scope, list: 'suites' }, cursor)).toBeNull();
  expect(readCursor({ ...scope, key: Buffer.from('another') }, cursor)).toBeNull();
  for (const text of ['', 'x', 'MTIz', `${cursor}AA`]) expect(readCursor(scope, text)).toBeNull();
});
