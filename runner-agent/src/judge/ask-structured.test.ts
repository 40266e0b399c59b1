import { expect, test } from 'vitest';
import { parseWholeJson } from './ask-structured.ts';

const fenced = (text: string) => parseWholeJson(text, { allowsFence: true });

test('the whole message is the value', () => {
  expect(parseWholeJson(' {"a": 1}\n')).toEqual({ a: 1 });
  expect(parseWholeJson('Here: {"a": 1}')).toBeUndefined();
  expect(parseWholeJson('```json\n{"a": 1}\n```')).toBeUndefined();
  expect(parseWholeJson('[['.repeat(100_000))).toBeUndefined();
});

test('one fenced block at the end is the value where it is allowed', () => {
  expect(fenced('```json\n{"a": 1}\n```')).toEqual({ a: 1 });
  expect(fenced('Here it is:\n```\n{"a": "`code`"}\n```  \n')).toEqual({ a: '`code`' });
  expect(fenced('{"a": 1}')).toEqual({ a: 1 });
});

test.each([
  ['a brace before it', 'It said {"a": 2}.\n```json\n{"a": 1}\n```'],
  ['a second block', '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```'],
  ['text behind it', '```json\n{"a": 1}\n```\nDone.'],
  ['no end', '```json\n{"a": 1}\n'],
  ['another language', '```yaml\n{"a": 1}\n```'],
  ['two values', '```json\n{"a": 1}\n{"a": 2}\n```'],
  ['a flood of fences', '`'.repeat(100_000)],
])('a block with %s is not', (_name, text) => {
  expect(fenced(text)).toBeUndefined();
});
