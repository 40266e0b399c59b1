import { expect, test } from 'vitest';
import { z } from 'zod';
import { definitionSchemas } from '../authored/definition-schemas.ts';
import { ABSession } from './ab-session.ts';
import { TestReport } from './test-report.ts';

/** The keys that a JSON Schema knows, at every depth. */
function keysOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'properties' in schema ? Object.keys(Object(schema.properties)) : [];
  return [...own, ...Object.values(schema).flatMap(keysOf)];
}

/** What the seed of variables and test types writes in its own files, and the operators of a mock, which are no names. */
const otherwise = ['schemaVersion', 'displayName', 'dataType', 'valueSource', 'possibleValues'];
const ofVariables = ['defaultValue', 'restrictedValues', 'dependsOn'];
const operators = ['$from', '$concat'];

const files: Record<string, object> = {
  ...definitionSchemas(),
  report: z.toJSONSchema(TestReport, { io: 'input', unrepresentable: 'any' }),
  session: z.toJSONSchema(ABSession, { io: 'input', unrepresentable: 'any' }),
};

test.each(Object.keys(files))('C10 the keys of a file are in snake_case: %s', (name) => {
  const keys = new Set(keysOf(files[name]));
  expect(keys.size).toBeGreaterThan(5);
  for (const known of [...otherwise, ...ofVariables, ...operators]) keys.delete(known);
  expect([...keys].filter((key) => !/^[a-z][a-z0-9_]*$/.test(key))).toEqual([]);
});

const response = {
  ...{ response: 'a', prompt_tokens: 1, completion_tokens: 1, latency_ms: 1, model: 'm' },
  timestamp: '2026-01-01T00:00:00Z',
};
const result = { question: 'q', baseline: response, context_tokens: 0, timestamp: response.timestamp, session_id: 's' };
const session = { session_id: 's', start_time: response.timestamp };

test('C10 S3-28 S3-86 what the seed calls docstratum is read as the candidate, and is written as nothing else', () => {
  const theirs = { ...result, docstratum: { ...response, response: 'theirs' } };
  const read = ABSession.parse({ ...session, docstratum_model: 'd', results: [theirs] });
  expect(read).toMatchObject({ candidate_model: 'd', results: [{ candidate: { response: 'theirs' } }] });
  expect(JSON.stringify(read)).not.toContain('docstratum');
});

test('C10 where a file has both names, the name of the product counts', () => {
  const both = { ...result, docstratum: { ...response, response: 'theirs' }, candidate: response };
  const read = ABSession.parse({ ...session, docstratum_model: 'd', candidate_model: 'c', results: [both] });
  expect(read).toMatchObject({ candidate_model: 'c', results: [{ candidate: { response: 'a' } }] });
});
