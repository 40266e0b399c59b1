import { describe, expect, test } from 'vitest';
import { problemsOf, suiteOf } from '../load/sample-files.fixture.ts';
import { ABTestResult } from '../results/ab-session.ts';
import { validateFileInput, validateTestCase } from './validate.ts';

const errors = (value: object): string[] => {
  const result = validateTestCase(value);
  return result.valid ? [] : result.errors.map(({ path, code }) => `${code} ${path}`);
};
const normalized = (value: object): unknown => {
  const result = validateTestCase(value);
  return result.valid ? result.normalized : result.errors;
};
const persona = { type: 'polite-customer', description: 'Bought five days ago', instructions: 'Be brief' };

describe('a single-turn case', () => {
  test('S0-07 S0-16 may leave its name out, but not empty', () => {
    expect(normalized({ input: 'q' })).toMatchObject({ name: 'case#1' });
    expect(errors({ name: '', input: 'q' })).toEqual(['too_short name']);
  });

  test('S0-08 S0-14 needs an input that is not empty', () => {
    expect(errors({ name: 'a', input: '' })).toEqual(['too_short input']);
    expect(errors({ name: 'a', ground_truth: 'x' })).toEqual(['required input']);
    expect(errors({ name: 'a', input: 5 })).toEqual(['invalid_type input']);
  });

  test('S0-09 S0-10 keeps tools, ground truth, files and metrics in their order, and has none of them by default', () => {
    const files = [
      { path: 'docs/b.pdf', type: 'pdf' },
      { path: 'docs/a.txt', type: 'text' },
    ];
    const given = { expected_tools: ['b', 'a'], ground_truth: 'Mon–Fri', files, evaluations: ['relevance', 'f1'] };
    expect(normalized({ name: 'a', input: 'q', ...given })).toMatchObject(given);
    expect(normalized({ name: 'a', input: 'q' })).toMatchObject({
      expected_tools: null,
      ground_truth: null,
      files: [],
      evaluations: null,
    });
  });
});

describe('a case file of seed 001', () => {
  test('S1-01 declares version 1.0.0, and another version is refused', () => {
    expect(errors({ schema_version: '1.0.0', name: 'a', persona })).toEqual([]);
    expect(errors({ schema_version: '2.0.0', name: 'a', persona })).toEqual(['invalid_enum schema_version']);
  });

  test('S1-14 S1-15 S1-16 S1-18 S1-20 S1-23 S1-25 S1-26 may be nothing but a name, and everything else has its default', () => {
    expect(normalized({ name: 'Draft idea' })).toMatchObject({
      kind: 'simulated',
      description: null,
      difficulty: 'normal',
      tags: [],
      status: 'active',
      persona: null,
      initial_message: null,
      user_context: null,
      max_turns: null,
      expected_outcomes: null,
      expected_tool_calls: null,
      evaluation_criteria_override: null,
    });
  });

  test('S1-14 S1-20 S1-21 S1-24 S1-27 keeps what it says about itself and its conversation', () => {
    const given = {
      description: 'A customer wants a refund',
      persona,
      initial_message: 'I want my money back',
      max_turns: 8,
      evaluation_criteria_override: 'Be strict',
    };
    expect(normalized({ name: 'a', ...given })).toMatchObject({ kind: 'simulated', ...given });
  });

  test.each([
    ['difficulty', 'medium'],
    ['status', 'deleted'],
  ])('S1-15 S1-18 a %s of %s is refused', (key, value) => {
    expect(errors({ name: 'a', persona, [key]: value })).toEqual([`invalid_enum ${key}`]);
  });

  test('C14 knows two difficulties, while a result of an A/B session may call it anything', () => {
    const answer = {
      ...{ response: 'x', prompt_tokens: 1, completion_tokens: 1, latency_ms: 1, model: 'm' },
      timestamp: '2026-01-01T00:00:00Z',
    };
    const pair = { question: 'q', baseline: answer, candidate: answer, context_tokens: 0, session_id: 's' };
    const metadata = { difficulty: 'medium' };
    expect(ABTestResult.parse({ ...pair, timestamp: answer.timestamp, metadata }).metadata).toEqual(metadata);
    expect(errors({ name: 'a', persona, difficulty: 'medium' })).toEqual(['invalid_enum difficulty']);
  });

  test.each(['type', 'description', 'instructions'])(
    'S1-31 S1-32 S1-33 a persona without %s is refused there',
    (key) => {
      const { [key]: _left, ...rest }: Record<string, string> = persona;
      expect(errors({ name: 'a', persona: rest })).toEqual([`required persona.${key}`]);
    },
  );

  test('S1-35 S1-36 a tool call names its tool, and its parameters are a map or nothing', () => {
    const calls = (...expected_tool_calls: object[]) => ({ name: 'a', persona, expected_tool_calls });
    expect(errors(calls({ expected_params: {} }))).toEqual(['required expected_tool_calls[0].tool']);
    expect(errors(calls({ tool: 'refund', expected_params: 'all' }))).toEqual([
      'invalid_type expected_tool_calls[0].expected_params',
    ]);
    expect(normalized(calls({ tool: 'refund' }, { tool: 'close', expected_params: { id: 1 } }))).toMatchObject({
      expected_tool_calls: [
        { tool: 'refund', expected_params: null },
        { tool: 'close', expected_params: { id: 1 } },
      ],
    });
  });

  test('S1-05 S1-23 S1-25 context and outcomes are maps of anything, and come back as they were', () => {
    const free = { orderId: 'A-1', nested: { camelCase: [1, null, { deep: true }] } };
    expect(normalized({ name: 'a', persona, user_context: free, expected_outcomes: free })).toMatchObject({
      user_context: free,
      expected_outcomes: free,
    });
    expect(errors({ name: 'a', persona, expected_outcomes: ['refunded'] })).toEqual(['invalid_type expected_outcomes']);
  });

  test('S1-02 S1-03 the prompt and the tools of the agent are no business of a case', () => {
    expect(errors({ name: 'a', persona, agent_system_prompt: 'You are', agent_tools: [] })).toEqual([
      'forbidden_field agent_system_prompt',
      'forbidden_field agent_tools',
    ]);
  });

  test('S1-09 C11 a tool that must not be called says so, and an empty list expects nothing', () => {
    const calls = [{ tool: 'delete_account', forbidden: true }];
    expect(normalized({ name: 'a', persona, expected_tool_calls: calls })).toMatchObject({
      expected_tool_calls: [{ tool: 'delete_account', forbidden: true }],
    });
    expect(normalized({ name: 'a', persona, expected_tool_calls: [] })).toMatchObject({ expected_tool_calls: [] });
  });
});

describe('expected tools', () => {
  const single = (fields: object) => ({ name: 'a', input: 'hi', ...fields });

  test('a name asks whether the tool was used, so twice is once; an entry with parameters asks for one call each', () => {
    expect(normalized(single({ expected_tools: ['get', 'pay', 'get'] }))).toMatchObject({
      expected_tool_calls: [
        { tool: 'get', expected_params: null },
        { tool: 'pay', expected_params: null },
      ],
    });
    expect(normalized(single({ expected_tool_calls: [{ tool: 'get' }, { tool: 'get' }] }))).toMatchObject({
      expected_tool_calls: [{ tool: 'get' }, { tool: 'get' }],
    });
  });

  test('no list expects nothing, an empty one is an expectation that is always met', () => {
    expect(normalized(single({}))).toMatchObject({ expected_tool_calls: null });
    expect(normalized(single({ expected_tools: [] }))).toMatchObject({ expected_tool_calls: [] });
  });

  test('both forms at once, and more than 200 entries, are refused', () => {
    expect(errors(single({ expected_tools: ['get'], expected_tool_calls: [{ tool: 'get' }] }))).toEqual([
      'exclusive expected_tools',
    ]);
    const many = Array.from({ length: 201 }, (_, at) => `t${at}`);
    expect(errors(single({ expected_tools: many }))).toEqual(['too_many expected_tools']);
    expect(errors(single({ expected_tool_calls: many.map((tool) => ({ tool })) }))).toEqual([
      'too_many expected_tool_calls',
    ]);
    expect(errors(single({ expected_tools: many.slice(1) }))).toEqual([]);
  });

  test('a case brings no canned answers of its own (S1-10, C12)', () => {
    expect(errors(single({ mocks: [{ tool: 'get', returns: 1 }] }))).toEqual(['unknown_field mocks']);
  });
});

describe('a file', () => {
  test.each(['image', 'pdf', 'text', 'excel', 'word', 'powerpoint', 'csv'])(
    'S0-19 S0-27 of type %s is fine',
    (type) => {
      expect(validateFileInput({ path: 'docs/f', type })).toMatchObject({ valid: true });
    },
  );

  test('S0-19 S0-27 of another type is refused with the types that there are', () => {
    const suite = suiteOf('cases: [{ name: a, input: q, ground_truth: x, files: [{ path: f, type: video }] }]');
    const problem = problemsOf(suite).find(({ path }) => path === 'cases.0.files.0.type');
    const text = `${problem?.message} ${problem?.hint}`;
    expect(problem).toMatchObject({ severity: 'error', code: 'invalid_enum' });
    for (const type of ['image', 'pdf', 'text', 'excel', 'word', 'powerpoint', 'csv']) expect(text).toContain(type);
  });

  test('S0-26 has a path or a URL, and may be described', () => {
    expect(validateFileInput({ path: 'docs/a.pdf', type: 'pdf', description: 'The contract' })).toMatchObject({
      valid: true,
      normalized: { path: 'docs/a.pdf', description: 'The contract' },
    });
    expect(validateFileInput({ url: 'https://example.org/a.pdf', type: 'pdf' })).toMatchObject({ valid: true });
    expect(validateFileInput({ type: 'pdf' })).toMatchObject({ valid: false });
    expect(validateFileInput({ path: 'a', url: 'https://example.org/a', type: 'pdf' })).toMatchObject({ valid: false });
  });
});
