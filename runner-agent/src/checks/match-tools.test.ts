import type { ToolCall } from '@proofmark/contracts/case-outcome';
import { ToolExpectation } from '@proofmark/contracts/test-case';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { matchTools } from './match-tools.ts';

const called = (name: string, args: ToolCall['args'] = {}): ToolCall => ({
  id: 'c',
  name,
  args,
  argsError: null,
  result: null,
  error: null,
  source: 'mock',
  turn: 0,
  durationMs: 1,
});
const expects = (...entries: z.input<typeof ToolExpectation>[]) => entries.map((entry) => ToolExpectation.parse(entry));

test('no expectation gives null, an empty list is met (S0-74, S0-84, C11)', () => {
  expect(matchTools(null, [called('a')]).matched).toBeNull();
  expect(matchTools([], [called('a')]).matched).toBe(true);
});

test('a strict entry gets the only call that fits it, although a loose one comes first', () => {
  const entries = expects({ tool: 'get', expected_params: null }, { tool: 'get', expected_params: { id: 1 } });
  expect(matchTools(entries, [called('get', { id: 1 }), called('get', { id: 2 })]).matched).toBe(true);
});

test('three entries are rearranged along a chain of moves', () => {
  const entries = expects(
    { tool: 't', expected_params: null },
    { tool: 't', expected_params: { a: 1 } },
    { tool: 't', expected_params: { a: 1, b: 1 } },
  );
  expect(matchTools(entries, [called('t', { a: 1, b: 1 }), called('t', { a: 1 }), called('t')]).matched).toBe(true);
});

test('one call answers one entry only', () => {
  const entries = expects({ tool: 'get' }, { tool: 'get' });
  expect(matchTools(entries, [called('get')])).toEqual({
    matched: false,
    problems: ['get was called 1 time(s), but another expectation needs each of these calls'],
  });
});

test('a call that was not made, and one with other parameters, are named with the keys that differ (S0-129, S1-49)', () => {
  const entries = expects({ tool: 'refund', expected_params: { order: 'A-1', amount: 5 } }, { tool: 'close' });
  expect(matchTools(entries, [called('refund', { order: 'A-2', amount: 5 }), called('refund', {})])).toEqual({
    matched: false,
    problems: [
      'refund was called, but order differed in the closest call: {"order":"A-2","amount":5}',
      'close was not called',
    ],
  });
});

test('a forbidden entry forbids only the calls that it describes (S1-09, C11)', () => {
  const entries = expects({ tool: 'delete', expected_params: { all: true }, forbidden: true });
  expect(matchTools(entries, [called('delete', { all: false })]).matched).toBe(true);
  expect(matchTools(entries, [called('delete', { all: true })])).toEqual({
    matched: false,
    problems: ['delete was called with the forbidden parameters, which is forbidden'],
  });
});

test('C03 order and further calls do not matter, a missing one does (S0-129)', () => {
  const entries = expects({ tool: 'find' }, { tool: 'refund' });
  const match = (...names: string[]) =>
    matchTools(
      entries,
      names.map((name) => called(name)),
    ).matched;
  expect(match('refund', 'log', 'find')).toBe(true);
  expect(match('refund', 'log')).toBe(false);
});

test('S1-37 S1-38 no parameters accept any call of the tool, given ones are those that count', () => {
  const call = called('refund', { order: 'A-1', reason: 'late' });
  expect(matchTools(expects({ tool: 'refund', expected_params: null }), [call]).matched).toBe(true);
  expect(matchTools(expects({ tool: 'refund', expected_params: { order: 'A-1' } }), [call]).matched).toBe(true);
  expect(matchTools(expects({ tool: 'refund', expected_params: { order: 'A-2' } }), [call]).matched).toBe(false);
});

test('a call that is both required and forbidden fails', () => {
  const entries = expects({ tool: 'delete' }, { tool: 'delete', forbidden: true });
  expect(matchTools(entries, [called('delete')]).matched).toBe(false);
});

test('names are compared exactly: part of a name or another case is another tool', () => {
  expect(matchTools(expects({ tool: 'get' }), [called('get_secret'), called('GET')]).matched).toBe(false);
});

test('a call with unreadable arguments matches only entries without parameters', () => {
  const broken = { ...called('get', 'x{'), argsError: 'The arguments are not JSON' };
  expect(matchTools(expects({ tool: 'get' }), [broken]).matched).toBe(true);
  expect(matchTools(expects({ tool: 'get', expected_params: { id: 1 } }), [broken]).matched).toBe(false);
});
