import { compilePattern } from '@proofmark/contracts/pattern';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { translateRows } from './translate-rows.ts';

const Cases = z.array(
  z.looseObject({
    name: z.string(),
    input: z.string(),
    expected_behavior: z.object({ checks: z.array(z.looseObject({ type: z.string() })) }),
  }),
);

/** The cases of rows, and what is told of them. */
function translated(format: string, file: string, text: string) {
  const made = translateRows(format, file, text);
  return { cases: Cases.parse(made.ok ? made.cases : []), told: made.remarks.map(({ message }) => message) };
}

const lines = (...rows: object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const inspect = (...rows: object[]) => translated('inspect', 'rows.jsonl', lines(...rows));
const checksOf = ({ cases }: ReturnType<typeof translated>) => cases.map((one) => one.expected_behavior.checks);

const Regex = z.object({ type: z.literal('regex'), pattern: z.string(), case_sensitive: z.boolean() });

/** Whether an answer holds in every pattern of the only case. */
function holds(answer: string, { cases: [only] }: ReturnType<typeof translated>): boolean {
  const patterns = z.array(Regex).min(1).parse(only?.expected_behavior.checks);
  return patterns.every(({ pattern, case_sensitive }) => {
    const compiled = compilePattern(pattern, { ignoreCase: !case_sensitive });
    if (!compiled.ok) throw new Error(compiled.message);
    return compiled.pattern.isIn(answer);
  });
}

describe('choices of Inspect', () => {
  const choices = ['red', 'green', 'blue', 'grey'];

  test.each([
    ['ANSWER: A, C', true],
    ['It is so.\nAnswer: **C,A**\nFine.', true],
    ['answer : ac.', true],
    ['ANSWER: A', false],
    ['ANSWER: C', false],
    ['ANSWER: A, B, C', false],
    ['ANSWER: A, C, D', false],
    ['ANSWER: A\nC', false],
    ['A, C', false],
  ])('%j to the choices A and C is right: %s', (answer, isRight) => {
    for (const target of [['A', 'C'], ['C', 'A'], 'AC'])
      expect(holds(answer, inspect({ input: 'Which?', choices, target }))).toBe(isRight);
  });

  test.each([
    ['ANSWER: B', true],
    ['Answer: **b**', true],
    ['ANSWER: A', false],
    ['ANSWER: Blue', false],
  ])('%j to the choice B is right: %s', (answer, isRight) => {
    expect(holds(answer, inspect({ input: 'Which?', choices, target: 'B' }))).toBe(isRight);
  });

  test('several letters are asked for only where several are right', () => {
    const [one, two] = inspect(
      { input: 'Which?', choices, target: 'B' },
      { input: 'Which?', choices, target: ['A', 'C'] },
    ).cases;
    expect(one?.input).toContain("'ANSWER: $LETTER' (without quotes) where LETTER is one of A,B,C,D.");
    expect(two?.input).toContain('where multiple answers may be correct.');
    expect(two?.input).toContain("'ANSWER: $LETTERS' (without quotes) where LETTERS is one or more of A,B,C,D.");
  });

  test.each([[''], ['red'], ['E'], [['A', 'E']]])('the target %j is no letter of a choice', (target) => {
    const { cases, told } = inspect({ input: 'Which?', choices, target });
    expect([cases, told]).toEqual([[], ['its target is no letter of a choice']]);
  });
});

test('an object among targets, or as a choice, is no text', () => {
  const rows = inspect(
    { input: 'Which?', target: [{ text: 'red' }] },
    { input: 'Which?', choices: [null], target: 'A' },
  );
  expect(rows.cases).toEqual([]);
  expect(rows.told).toEqual(['its target or its choices have a form that is not known (and 1 more row)']);
  expect(checksOf(inspect({ input: 'How many?', target: [7, true] }))).toMatchObject([[{ pattern: '7|true' }]]);
});

describe('texts that look like JSON', () => {
  test('are texts in a file of JSON', () => {
    const made = inspect(
      { input: 'Give the primes as a list', target: '[2, 3, 5]' },
      { input: '{"a": 1}', target: 'x' },
      { input: '[{"role": "user", "content": "Hi"}]', target: 'x' },
    );
    expect(checksOf(made)[0]).toEqual([{ type: 'contains_phrases', phrases: ['[2, 3, 5]'], case_sensitive: false }]);
    expect(made.cases.map(({ input }) => input)).toEqual([
      'Give the primes as a list',
      '{"a": 1}',
      '[{"role": "user", "content": "Hi"}]',
    ]);
    expect(translated('openai-evals', 'rows.jsonl', lines({ input: '[1]', ideal: '[2]' })).cases).toMatchObject([
      { input: '[1]', expected_behavior: { checks: [{ phrases: ['[2]'] }] } },
    ]);
  });

  test('are lists in the cells of a table, and a question only where it is a talk', () => {
    const made = translated(
      'inspect',
      'rows.csv',
      'input,target\n"[{""role"":""user"",""content"":""Hi""}]","[""a"",""b""]"\n"[1, 2]",x\n[],x\n"{""a"":1}","{""b"":2}"\n',
    );
    expect(made.cases.map(({ input }) => input)).toEqual(['Hi', '[1, 2]', '[]', '{"a":1}']);
    expect(checksOf(made)).toMatchObject([
      [{ type: 'regex', pattern: 'a|b' }],
      [{ phrases: ['x'] }],
      [{ phrases: ['x'] }],
      [{ phrases: ['{"b":2}'] }],
    ]);
  });
});

test.each([
  ['inspect', 'target'],
  ['openai-evals', 'ideal'],
])('an empty text, which every answer contains, is no %s, and told', (format, column) => {
  const made = translated(
    format,
    'rows.jsonl',
    lines(
      { input: 'Say x', [column]: ['', 'x'] },
      { input: 'Say y', [column]: [' '] },
      { input: 'Say z', [column]: '' },
    ),
  );
  expect(checksOf(made)).toMatchObject([
    [{ type: 'contains_phrases', phrases: ['x'] }],
    [{ type: 'length', min: 1 }],
    [{ type: 'length', min: 1 }],
  ]);
  expect(made.told).toContain(`an empty ${column} is left out: every answer contains it (and 1 more row)`);
});

test('names that rows have, and numbers that they get, come once each', () => {
  const made = inspect(...['X', 'X', 'X (2)', 'X', 'Row 6', ''].map((id) => ({ id, input: 'Hi' })));
  expect(made.cases.map(({ name }) => name)).toEqual(['X', 'X (2)', 'X (2) (2)', 'X (3)', 'Row 6', 'Row 6 (2)']);
});
