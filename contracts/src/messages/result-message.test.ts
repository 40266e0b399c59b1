import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ResultMessage } from './result-message.ts';

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
  fc.constantFrom<unknown>(undefined, null, '', 'x', -1, 0, 0.5, 1e9, 64, [], {}, true, id, 'error', { more: 1 }),
  // A key that a record must never hand on.
  fc.constantFrom<unknown>(...['{"__proto__":1}', '{"a":1,"__proto__":{"b":1}}'].map((text) => JSON.parse(text))),
);

const compiled = z.compile(ResultMessage, { strict: true });
const whole = JSON.parse(JSON.stringify(result));

test('the compiled schema makes the same of a result as the schema', () => {
  expect(compiled.safeParse(whole).error).toBeUndefined();
  expect(JSON.stringify(compiled.parse(whole))).toBe(JSON.stringify(ResultMessage.parse(whole)));
});

test('it takes what the schema takes, whatever stands in one place of a message', () => {
  let [taken, refused] = [0, 0];
  fc.assert(
    fc.property(fc.constantFrom(...pathsOf(whole)), others, (path, other) => {
      const spoilt = withOther(whole, path, other);
      const quick = compiled.safeParse(spoilt);
      const strict = ResultMessage.safeParse(spoilt);
      expect(quick.success).toBe(strict.success);
      expect(quick.data).toStrictEqual(strict.data);
      taken += Number(quick.success);
      refused += Number(!strict.success);
    }),
    { numRuns: 3000 },
  );
  expect(Math.min(taken, refused)).toBeGreaterThan(100);
});
