import { TestCase } from '@proofmark/contracts/test-case';
import { expect, it } from 'vitest';
import { leanCase, wholeCase } from './lean-case.ts';

const plain = TestCase.parse({ name: 'Hours', kind: 'single', input: 'When are you open?' });

it('what nobody has set is neither stored nor sent, and both ways of reading fill it in again', () => {
  expect(leanCase(plain)).toEqual({ name: 'Hours', kind: 'single', input: 'When are you open?' });
  expect(wholeCase(leanCase(plain))).toEqual(plain);
  expect(TestCase.parse(leanCase(plain))).toEqual(plain);
});

it.each([
  ['no tools at all', { expected_tool_calls: [] }],
  ['an outcome that is free-form', { expected_outcomes: {} }],
  ['a case that is put aside', { is_enabled: false, status: 'draft' as const, difficulty: 'hard' as const }],
  ['an empty text', { input: '', description: '' }],
  ['tags and no files', { tags: ['slow'], files: [] }],
  ['several messages', { turns: [{ user: 'Hello', expected_behavior: null, expected_tool_calls: null }] }],
])('%s is kept', (_what, set) => {
  const whole = TestCase.parse({ ...plain, ...set });
  expect(wholeCase(leanCase(whole))).toEqual(whole);
  expect(TestCase.parse(JSON.parse(JSON.stringify(leanCase(whole))))).toEqual(whole);
});
