import { expect, test } from 'vitest';
import { describeError, reasonOf } from './describe-error.ts';

test('an error is its type, message, code, stack and cause, and nothing that a library hangs on it', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', address: '127.0.0.1' });
  const error = Object.assign(new TypeError('cannot store', { cause }), { parameters: ['a secret'], query: 'insert' });
  expect(describeError(error)).toEqual({
    type: 'TypeError',
    message: 'cannot store',
    stack: expect.stringContaining('describe-error.test.ts'),
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
