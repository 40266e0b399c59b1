import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ResultMessage } from './result-message.ts';
import { TaskMessage, UsualTaskMessage } from './task-message.ts';

const id = '7d444840-9dc0-41d1-b245-5ffdce74fad2';

const outcome = {
  ...{ status: 'failed', errorKind: null, errorMessage: null, testInput: 'Hi', response: 'Hello' },
  files: [{ original: { path: 'a.txt', type: 'text' }, markdown_content: 'A', processing_time_ms: 1 }],
  checks: [{ checkIndex: 0, checkType: 'equals', status: 'fail', passed: false, details: { missingPhrases: ['9'] } }],
  toolCalls: [{ id: '1', name: 'x', args: { a: [1] }, result: null, source: 'mock', turn: 0, durationMs: 1 }],
  metrics: [{ metric_name: 'groundedness', score: 0.5, scale: 1, passed: true, evaluation_time_ms: 1 }],
  outcomes: {
    ...{ passed: false, score: 0, error: null },
    criteria: [{ id: 'a', requirement: 'b', reasoning: 'c', status: 'failed' }],
  },
  transcript: [{ role: 'user', text: 'Hi', turn: 0 }],
  measuring: [{ role: 'judge', calls: 1, usage: { promptTokens: 1, completionTokens: 2 }, costUsd: null }],
  progress: [{ state: 'PENDING', atMs: 0 }],
  ...{ executionTimeMs: 1, startedAt: '2026-01-31T12:00:00.000Z', flags: ['a'] },
};
const result = {
  ...{ v: 1, kind: 'results', tenantId: id, runId: id, sessionId: id },
  results: [{ chunkId: id, at: 0, attempt: 1, outcome }],
};

const testCase = {
  ...{ name: 'Hours', kind: 'single', input: 'When?', tags: ['slow'], user_context: { ['__proto__']: 1, a: [null] } },
  expected_behavior: { checks: [{ type: 'contains_phrases', phrases: ['17'] }] },
  turns: [{ user: 'When?', expected_behavior: { mode: 'any', checks: [{ type: 'regex', pattern: 'a+' }] } }],
  expected_tool_calls: [{ tool: 'hours', expected_params: { day: 1 } }],
  variables: { Day: { defaultValue: 'Monday' } },
};
const setting = {
  ...{ suiteName: 'Shop', suitePath: 'a.suite.yaml', variant: 'head', cellKey: '' },
  agent: {
    name: 'Agent',
    instructions: '',
    ai_configuration: null,
    driver: { type: 'scripted', replies: [{ reply: 'Yes' }] },
  },
  model: { configuration: 'small', provider: 'openai', model: 'm', base_url: 'https://a.example/v1' },
  instrument: { judge: null, embedding: null, simulator: null, evaluations: null, mocks: [], mockSettings: {} },
  limits: { caseTimeoutMs: 1, agentTimeoutMs: 1, maxTurns: 1 },
};
const task = {
  ...{ v: 1, kind: 'task', tenantId: id, runId: id, chunkId: id, publishGen: 0, settings: [setting] },
  cases: [{ case: testCase, resolvedVariables: { values: { Day: 'Monday' }, sources: { Day: 'run' } } }],
  turns: [[{ at: 0, testRunId: id, setting: 0, case: 0, repetition: 1, seed: 'a' }]],
};

type Path = (string | number)[];

const pathsOf = (value: unknown, path: Path = []): Path[] => [
  path,
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, part]) => pathsOf(part, [...path, Array.isArray(value) ? Number(key) : key]))
    : []),
];

/** The JSON of a message with something else, or nothing, in this place. */
function withOther(message: object, path: Path, other: unknown): unknown {
  const copy: unknown = structuredClone({ message });
  const whole: Path = ['message', ...path];
  const holder = whole.slice(0, -1).reduce((at, key) => (at as Record<string | number, unknown>)[key], copy);
  (holder as Record<string | number, unknown>)[whole.at(-1) ?? ''] = other;
  return JSON.parse(JSON.stringify(copy)).message;
}

const others = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(undefined, null, '', 'x', -1, 0, 0.5, 1e9, 64, [], {}, true, id, { type: 'not' }, 'scripted'),
  // A key that a record must never hand on.
  fc.constantFrom<unknown>(...['{"__proto__":1}', '{"a":1,"__proto__":{"b":1}}'].map((text) => JSON.parse(text))),
  fc.constantFrom({ type: 'not', check: { type: 'is_json' } }, { type: 'is_json', more: 1 }, { type: 'is_json' }),
);

describe.each([
  ['result', result, ResultMessage, z.compile(ResultMessage, { strict: true })],
  ['task', task, TaskMessage, z.compile(UsualTaskMessage, { strict: true })],
] as const)('a %s that is read quickly', (_name, message, schema, usual) => {
  const whole = JSON.parse(JSON.stringify(message));

  test('is what the schema makes of it', () => {
    expect(usual.safeParse(whole).error).toBeUndefined();
    expect(JSON.stringify(usual.parse(whole))).toBe(JSON.stringify(schema.parse(whole)));
  });

  test('is taken only where the schema takes it, whatever stands in one of its places', () => {
    let [taken, refused] = [0, 0];
    fc.assert(
      fc.property(fc.constantFrom(...pathsOf(whole)), others, (path, other) => {
        const spoilt = withOther(whole, path, other);
        const quick = usual.safeParse(spoilt);
        const strict = schema.safeParse(spoilt);
        if (quick.success) expect(quick.data).toStrictEqual(strict.data);
        taken += Number(quick.success);
        refused += Number(!strict.success);
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(taken, refused)).toBeGreaterThan(100);
  });
});

test('a task with a check that holds another is left to the schema, and so is one of a newer version', () => {
  const nested = withOther(task, ['cases', 0, 'case', 'expected_behavior', 'checks', 0], {
    type: 'not',
    check: { type: 'is_json' },
  });
  expect(TaskMessage.safeParse(nested).success).toBe(true);
  expect(UsualTaskMessage.safeParse(nested).success).toBe(false);
});
