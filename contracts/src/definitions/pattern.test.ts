import { expect, test } from 'vitest';
import { compilePattern } from './pattern.ts';

const compiled = (source: string, options?: { ignoreCase: boolean }) => {
  const result = compilePattern(source, options);
  if (!result.ok) throw new Error(result.message);
  return result.pattern;
};

test('a pattern is found anywhere, or matches the whole text', () => {
  expect([compiled('b+').isIn('abba'), compiled('b+').matches('abba'), compiled('a.*a').matches('abba')]).toEqual([
    true,
    false,
    true,
  ]);
  expect([compiled('ABBA').isIn('abba'), compiled('ABBA', { ignoreCase: true }).isIn('abba')]).toEqual([false, true]);
});

test.each(['(?=a)', '(a)\\1', '(', 'a{1001}', 'x'.repeat(1001)])(
  '%.20s is not supported, and the message says so',
  (source) => {
    const result = compilePattern(source);
    expect(result.ok ? '' : result.message).toMatch(/^(?:pattern not supported|must have at most 1000 characters)/);
  },
);

test('a pattern that explodes elsewhere is linear here', () => {
  const start = process.threadCpuUsage();
  expect(compiled('^(a+)+$').isIn(`${'a'.repeat(5_000)}b`)).toBe(false);
  // Processor time: a busy machine is no reason to fail.
  expect(process.threadCpuUsage(start).user / 1000).toBeLessThan(1_000);
});
