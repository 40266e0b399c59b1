import { describe, expect, test } from 'vitest';
import { judged, messages, openai, review } from '../load/sample-files.fixture.ts';

describe('means of judgement (C20)', () => {
  test.each([
    ['nothing', '{ name: a, input: hi }', ['5 required cases.0']],
    ['an empty list of tools', '{ name: a, input: hi, expected_tool_calls: [] }', ['5 required cases.0']],
    [
      'no outcome',
      '{ name: a, persona: { type: x, description: y, instructions: z }, expected_outcomes: {} }',
      ['5 required cases.0'],
    ],
    ['a tool', '{ name: a, input: hi, expected_tools: [refund] }', []],
    ['an outcome', '{ name: a, initial_message: hi, expected_outcomes: { done: true } }', []],
    ['a rubric of its own', '{ name: a, initial_message: hi, evaluation_criteria_override: Be strict }', []],
    ['nothing, as a draft', '{ name: a, input: hi, status: draft }', ['warning 4 invalid_value cases']],
    ['nothing, disabled', '{ name: a, input: hi, is_enabled: false }', ['warning 4 invalid_value cases']],
  ])('a case that is judged by %s', (_, testCase, expected) => {
    expect(review(judged(`  - ${testCase}`))).toEqual(expected);
  });

  test('metrics of the suite judge every case, unless the case selects none that is enabled', () => {
    const metrics =
      'evaluations: { metrics: [{ metric: relevance, model: llama }, { metric: fluency, model: llama, enabled: false }] }';
    const cases = 'cases:\n  - { name: a, input: hi }\n  - { name: b, input: hi, evaluations: [fluency] }';
    expect(review(openai(`${metrics}\n${cases}`))).toEqual(['6 required cases.1']);
  });

  test.each([
    ['faithfulness', 'there is no metric `faithfulness` of type standard'],
    ['exact_match', 'there is no metric `exact_match`, did you mean `equality`?'],
    ['vibes', 'there is no metric `vibes`'],
  ])('a metric that there is none of is told what it may be: %s', (metric, told) => {
    const text = openai(
      `evaluations: { metrics: [{ metric: ${metric}, model: llama }] }\ncases: [{ name: a, input: hi, ground_truth: x }]`,
    );
    expect(messages(text).split('\n')).toContain(told);
  });

  test('a metric that the suite does not configure is named with its case (S0-13, C47)', () => {
    const text = openai(
      'evaluations: { metrics: [{ metric: relevance, model: llama }] }\ncases:\n  - { name: Hours, input: hi, evaluations: [relevence] }',
    );
    expect(messages(text)).toContain(
      'case `Hours` lists the metric `relevence`, which `evaluations` of the suite does not configure, did you mean `relevance`?',
    );
  });
});

describe('legal but vacuous', () => {
  test.each([
    ['only forbidden tools', 'expected_tool_calls: [{ tool: refund, forbidden: true }]'],
    [
      'only forbidden tools beside an empty map of outcomes',
      'expected_outcomes: {}, expected_tool_calls: [{ tool: refund, forbidden: true }]',
    ],
    [
      'only what must not be said',
      'expected_behavior: { checks: [{ type: not_contains, phrases: [x] }, { type: latency, max_ms: 10 }] }',
    ],
    ['a pattern that nothing matches too', 'expected_behavior: { checks: [{ type: regex, pattern: "a*" }] }'],
    [
      'one of several that always holds',
      'expected_behavior: { mode: any, checks: [{ type: equals, value: x }, { type: length, max: 9 }] }',
    ],
  ])('%s: an agent that does nothing would pass', (_, fields) => {
    expect(messages(openai(`cases:\n  - { name: a, input: hi, ${fields} }`))).toBe(
      'an agent that does nothing would pass the case `a`',
    );
  });

  test('a ground truth that fails the case’s own checks', () => {
    const text = openai(`cases:
  - name: a
    input: hi
    ground_truth: 9 to 17
    expected_behavior: { checks: [{ type: contains_phrases, phrases: ["18"] }, { type: not_contains, phrases: ["17"] }, { type: regex, pattern: "^x" }, { type: equals, value: "9 TO 17" }, { type: starts_with, value: to }, { type: contains_phrases, phrases: ["9 TO"] }, { type: starts_with, value: "9 TO" }] }`);
    expect(review(text)).toEqual(
      [0, 1, 2, 3, 4].map((index) => `warning 7 invalid_value cases.0.expected_behavior.checks.${index}`),
    );
  });

  test('tools that the agent does not have, or has in another case', () => {
    const text = openai(
      'mocks: [{ tool: refunds, returns: 1 }]\ncases:\n  - { name: a, input: hi, expected_tools: [Refund] }',
    );
    expect(messages(text)).toBe(
      "the agent declares no tool `refunds`, did you mean `refund`?\n`Refund` and the agent's tool `refund` differ only in case",
    );
  });

  test('tools of one agent whose names differ only in case', () => {
    const text = `name: S\nagent: { name: a, instructions: x, ai_configuration: gpt-4o, tools: [{ name: refund }, { name: Refund }] }
cases:\n  - { name: a, input: hi, expected_tools: [refund] }\n`;
    expect(messages(text)).toBe('the tools `refund` and `Refund` differ only in case');
  });

  test('a conversation longer than the limit of the project', () => {
    expect(messages(judged('  - { name: a, initial_message: hi, max_turns: 41, expected_tools: [refund] }'))).toBe(
      '`max_turns` is cut to 40, the limit of the project',
    );
  });
});

describe('patterns and schemas of users are tried before a run needs them', () => {
  test('patterns of matchers, in mocks and in expectations', () => {
    const text =
      openai(`mocks: [{ tool: refund, when: { id: { $regex: "(" } }, returns: 1 }, { tool: refund, sequence: [{ returns: 1 }], returns: 2 }]
cases:
  - { name: a, input: hi, expected_tool_calls: [{ tool: refund, expected_params: { id: { $regex: '(?<=a)b' }, n: { $range: [2, 1] }, m: { $literal: { $regex: "(" } } } }] }`);
    expect(review(text)).toEqual([
      '3 invalid_format mocks.0.when.id.$regex',
      '3 exclusive mocks.1.sequence',
      '5 invalid_format cases.0.expected_tool_calls.0.expected_params.id.$regex',
      '5 out_of_range cases.0.expected_tool_calls.0.expected_params.n.$range',
    ]);
  });

  test('a change of the state of mocks needs a value to put there, unless it removes', () => {
    const patches = '[{ op: add, path: [a] }, { op: remove, path: [a] }, { op: replace, path: [b], value: null }]';
    const text = openai(`mocks: [{ tool: refund, returns: 1, set: ${patches} }]
cases:
  - { name: a, input: hi, expected_tools: [refund] }`);
    expect(review(text)).toEqual(['3 required mocks.0.set.0.value']);
  });

  test('a JSON Schema that would check less than it says is refused', () => {
    const schema = (text: string): string =>
      messages(
        openai(
          `cases:\n  - { name: a, input: hi, expected_behavior: { checks: [{ type: json_schema, schema: ${text} }] } }`,
        ),
      );
    expect(schema('{ type: object, properties: { a: { type: integer, minimum: 1 } }, required: [a] }')).toBe('');
    expect(schema('{ required: [a] }')).toBe('in the schema: `required` needs `type: object` beside it');
    expect(schema('{ type: object, properties: { a: { type: string, pattern: "(a+)+" } } }')).toBe(
      'at /properties/a: keyword `pattern` is not supported',
    );
    expect(schema('{ type: objct }')).toContain('objct');
  });
});
