import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { aCase, definitionsOf, Row, unique } from './make-definitions.ts';
import { type RunningProduct, startRunningProduct } from './running-product.ts';

let running: RunningProduct;

beforeAll(async () => {
  running = await startRunningProduct();
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

const { mutate, remove, make, read, aSuite } = definitionsOf(() => running);

describe('test cases', () => {
  const fields =
    'id name kind status isEnabled tags difficulty sortOrder input expectedBehavior variables createdAt updatedAt';

  test('S1-28 S1-29 S1-30 have id and times from the server, and a later time after each change', async () => {
    const { suiteId } = await aSuite();
    const made = await make('TestCase', 'testCase', aCase(suiteId), fields);
    const Times = z.object({ createdAt: z.iso.datetime(), updatedAt: z.iso.datetime() });
    const before = Times.parse(made);
    const own = await running.ask(
      'mutation ($input: CreateTestCaseInput!) { createTestCase(input: $input) { __typename } }',
      {
        input: { ...aCase(suiteId), id: randomUUID() },
      },
    );
    expect(own.errors[0]?.message).toContain('"id"');
    let last = before.updatedAt;
    for (const tags of [['a'], ['b']]) {
      const changed = await mutate(
        'updateTestCase',
        { id: made.id, tags },
        `... on UpdateTestCaseSuccess { testCase { ${fields} } }`,
      );
      const times = Times.parse(changed.testCase);
      expect([times.createdAt, times.updatedAt > last]).toEqual([before.createdAt, true]);
      last = times.updatedAt;
    }
  });

  test('S2-21 S2-24 S2-27 S2-28 S1-44 keep what they were given, last in the suite unless they have a place', async () => {
    const { suiteId } = await aSuite();
    const first = await make(
      'TestCase',
      'testCase',
      aCase(suiteId, { name: 'first', tags: ['red-team', 'red-team'], difficulty: 'HARD' }),
      fields,
    );
    expect(first).toMatchObject({
      kind: 'single',
      status: 'ACTIVE',
      tags: ['red-team'],
      difficulty: 'HARD',
      sortOrder: 0,
    });
    expect(first.expectedBehavior).toEqual({
      mode: 'all',
      checks: [{ type: 'contains_phrases', phrases: ['17'], case_sensitive: false }],
    });
    await make('TestCase', 'testCase', aCase(suiteId, { name: 'last' }));
    await make(
      'TestCase',
      'testCase',
      aCase(suiteId, { name: 'between', sortOrder: 0, status: 'DRAFT', tags: ['special'] }),
    );
    const list = `query ($id: UUID!, $tag: String, $status: CaseStatus) { suite(id: $id) { testCases(tag: $tag, status: $status) { edges { node { name } } } } }`;
    const names = async (variables: object) => {
      const answer = await read(list, { id: suiteId, ...variables });
      return z
        .object({
          suite: z.object({
            testCases: z.object({ edges: z.array(z.object({ node: z.object({ name: z.string() }) })) }),
          }),
        })
        .parse(answer)
        .suite.testCases.edges.map(({ node }) => node.name);
    };
    expect(await names({})).toEqual(['first', 'between', 'last']);
    expect(await names({ status: 'DRAFT' })).toEqual(['between']);
    expect(await names({ tag: 'red-team' })).toEqual(['first']);
    const moved = await mutate(
      'updateTestCase',
      { id: first.id, sortOrder: 5, status: 'ARCHIVED', name: 'renamed' },
      `... on UpdateTestCaseSuccess { testCase { ${fields} } }`,
    );
    expect(moved.testCase).toMatchObject({ name: 'renamed', sortOrder: 5, status: 'ARCHIVED', tags: ['red-team'] });
    expect(await names({})).toEqual(['between', 'last', 'renamed']);
  });

  test.each([
    ['C20', { expectedBehavior: null }, '', 'required'],
    [
      'S2-32',
      { expectedBehavior: { checks: [{ type: 'contains' }] } },
      'expected_behavior.checks.0.type',
      'invalid_enum',
    ],
    [
      'S2-33',
      { expectedBehavior: { checks: [{ type: 'contains_phrases', phrases: [] }] } },
      'expected_behavior.checks.0.phrases',
      'too_short',
    ],
    [
      'S2-36',
      { expectedBehavior: { checks: [{ type: 'llm_judge', expectedAnswer: 'x' }] } },
      'expected_behavior.checks.0',
      'required',
    ],
    ['C02', { persona: { type: 'a', description: 'b', instructions: 'c' } }, 'input', 'exclusive'],
    ['S4-03', { variables: { Nothing: { locked: true } } }, 'variables.Nothing', 'unknown_variable'],
    ['S1-24', { maxTurns: 0 }, 'max_turns', 'out_of_range'],
  ])('%s %j is refused at its place', async (_row, wrong, path, code) => {
    const { suiteId } = await aSuite();
    const refused = await mutate('createTestCase', aCase(suiteId, wrong), '');
    expect(refused.problems).toEqual(expect.arrayContaining([expect.objectContaining({ path, code })]));
  });

  test('C01 have a name of their own in the suite, also when two names only look different', async () => {
    const { suiteId } = await aSuite();
    await make('TestCase', 'testCase', aCase(suiteId, { name: 'Café' }));
    expect(await mutate('createTestCase', aCase(suiteId, { name: 'Cafe\u0301' }), '')).toMatchObject({
      problems: [{ code: 'duplicate', path: 'name' }],
    });
  });

  test('S2-31 are hidden when they are deleted, and their results stay readable', async () => {
    const { suiteId } = await aSuite();
    const testCase = await make('TestCase', 'testCase', aCase(suiteId));
    const started = await mutate(
      'startStoredRun',
      { idempotencyKey: randomUUID(), testCaseId: testCase.id },
      '... on StartRunSuccess { run { id } }',
    );
    const { id: runId } = Row.parse(started.run);
    expect(await running.waitForEnd(runId)).toMatchObject({ status: 'completed', results: [{ status: 'passed' }] });
    expect(await remove('deleteTestCase', testCase.id)).toEqual({ __typename: 'DeleteTestCaseSuccess' });
    expect(await read('query ($id: UUID!) { testCase(id: $id) { id } }', { id: testCase.id })).toEqual({
      testCase: null,
    });
    const run = await read(
      'query ($id: UUID!) { run(id: $id) { suiteRuns { testRuns { edges { node { status response } } } } } }',
      { id: runId },
    );
    expect(run).toEqual({
      run: { suiteRuns: [{ testRuns: { edges: [{ node: { status: 'PASSED', response: 'We close at 17.' } }] } }] },
    });
    expect(await mutate('startStoredRun', { idempotencyKey: randomUUID(), testCaseId: testCase.id }, '')).toMatchObject(
      { __typename: 'NotFound' },
    );
  });

  test('S4-38 S4-82 a stored run is started with typed values over GraphQL, judged beforehand (S4-84) and repeated with rerunOf', async () => {
    const { suiteId } = await aSuite();
    await make('TestCase', 'testCase', aCase(suiteId));
    const values = { suiteId, variables: { Temperature: '0.5' } };
    const judged = await read(
      'query ($input: StoredValuesInput!) { validateVariables(input: $input) { valid problems { code path } } }',
      { input: values },
    );
    expect(judged).toEqual({
      validateVariables: { valid: false, problems: [{ code: 'invalid_type', path: 'variables.Temperature' }] },
    });
    const wrong = await mutate(
      'startStoredRun',
      { idempotencyKey: randomUUID(), ...values },
      '... on InvalidInput { inputProblems: problems { code path hint } }',
    );
    expect(wrong).toMatchObject({
      code: 'INVALID_INPUT',
      inputProblems: [{ code: 'invalid_type', path: 'variables.Temperature', hint: null }],
    });

    const start = await mutate(
      'startStoredRun',
      { idempotencyKey: randomUUID(), suiteId, variables: { Temperature: 0.5 } },
      '... on StartRunSuccess { run { id rerunOf } }',
    );
    const old = Row.parse(start.run);
    expect(old.rerunOf).toBeNull();
    await running.waitForEnd(old.id);
    await mutate('updateSuite', { id: suiteId, variables: { Temperature: 0.1 } }, '');
    const again = await mutate(
      'rerunRun',
      { idempotencyKey: randomUUID(), runId: old.id },
      '... on StartRunSuccess { run { id rerunOf } }',
    );
    const repeated = Row.parse(again.run);
    expect(repeated.rerunOf).toBe(old.id);
    await running.waitForEnd(repeated.id);
    const resolved =
      'query ($id: UUID!) { run(id: $id) { suiteRuns { testRuns { edges { node { status resolvedVariables { values sources } } } } } } }';
    const first = await read(resolved, { id: old.id });
    expect(JSON.stringify(first)).toContain('"Temperature":0.5');
    expect(await read(resolved, { id: repeated.id })).toEqual(first);
  });
});

test('S1-17 the pre-seeded tags are offered beside those in use', async () => {
  const { suiteId } = await aSuite();
  const tag = unique('aaa');
  await make('TestCase', 'testCase', aCase(suiteId, { tags: [tag, 'edge-case'] }));
  const answer = await read('{ tags(first: 100) { edges { node { name isPreseeded testCases } } } }');
  const tags = z
    .object({
      tags: z.object({
        edges: z.array(
          z.object({ node: z.object({ name: z.string(), isPreseeded: z.boolean(), testCases: z.number() }) }),
        ),
      }),
    })
    .parse(answer)
    .tags.edges.map(({ node }) => node);
  expect(tags.filter(({ isPreseeded }) => isPreseeded).map(({ name }) => name)).toEqual([
    'edge-case',
    'normal',
    'red-team',
  ]);
  expect(tags).toContainEqual({ name: tag, isPreseeded: false, testCases: 1 });
  expect(tags.map(({ name }) => name)).toEqual(tags.map(({ name }) => name).toSorted());
});
