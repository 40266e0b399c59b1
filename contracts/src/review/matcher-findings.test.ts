import { describe, expect, test } from 'vitest';
import { problemsOf } from '../load/sample-files.fixture.ts';

const agent = 'agent: { name: a, driver: { type: scripted, replies: [{ reply: hi }] }, tools: [{ name: refund }] }';

/** What is said about parameters that a case expects, as code, path below them and message. */
const expectedParams = (params: string): string[] =>
  problemsOf(
    `name: S\n${agent}\ncases:\n  - { name: a, input: hi, expected_tool_calls: [{ tool: refund, expected_params: ${params} }] }\n`,
  ).map(({ code, path, message }) => `${code} ${path.split('expected_params.')[1]}: ${message}`);

const mock = (entry: string): string[] =>
  problemsOf(
    `name: S\n${agent}\nmocks: [{ tool: refund, ${entry} }]\ncases:\n  - { name: a, input: hi, expected_tools: [refund] }\n`,
  ).map(({ code, path, message }) => `${code} ${path}: ${message}`);

describe('matchers of parameters', () => {
  test.each([
    ['{ id: { $regx: "A" } }', ['unknown_field id.$regx: unknown matcher `$regx`, did you mean `$regex`?']],
    ['{ id: { $rang: [1, 2] } }', ['unknown_field id.$rang: unknown matcher `$rang`, did you mean `$range`?']],
    ['{ id: { $unheardOf: 1 } }', ['unknown_field id.$unheardOf: unknown matcher `$unheardOf`']],
    ['{ list: [{ $inn: [1] }] }', ['unknown_field list.0.$inn: unknown matcher `$inn`, did you mean `$in`?']],
    [
      '{ id: { $in: [{ $regx: a }] } }',
      ['unknown_field id.$in.0.$regx: unknown matcher `$regx`, did you mean `$regex`?'],
    ],
    ['{ id: { $regex: "(" } }', ['invalid_format id.$regex: pattern not supported: missing closing ): `(`']],
    ['{ id: { $any: false } }', ['invalid_value id.$any: `$any` must be true']],
    ['{ id: { $absent: yes } }', ['invalid_value id.$absent: `$absent` must be true']],
    ['{ id: { $in: a } }', ['invalid_type id.$in: `$in` must be a list of values']],
    ['{ id: { $in: [] } }', ['too_short id.$in: `$in` must have at least one value']],
    ['{ id: { $fuzzy: [a] } }', ['invalid_type id.$fuzzy: `$fuzzy` must be a string or a number']],
    [
      '{ id: { $regex: a, other: 1 } }',
      ['exclusive id.$regex: `$regex` is a matcher: no other key may stand beside it'],
    ],
    [
      '{ $any: true }',
      ['invalid_value $any: `$any` stands in place of the value of a parameter: write `name: { $any: … }`'],
    ],
  ])('%s is refused, because it would be compared as data', (params, expected) => {
    expect(expectedParams(params)).toEqual(expected);
  });

  test.each([
    '{ a: { $any: true }, b: { $absent: true }, c: { $regex: "A-\\\\d+" }, d: { $fuzzy: "1,000" } }',
    '{ a: { $range: [1, null] }, b: { $in: [1, x] }, c: { $contains: { id: { $range: [1, 2] } } } }',
    '{ a: { $literal: { $regx: 1, $set: { $any: 5 } } } }',
    '{ cost: "$5", currency: $ }',
  ])('%s is accepted', (params) => {
    expect(expectedParams(params)).toEqual([]);
  });

  test('the known ones are listed, and the way to write such data', () => {
    const [problem] = problemsOf(
      `name: S\n${agent}\nmocks: [{ tool: refund, when: { id: { $regx: a } } }]\ncases:\n  - { name: a, input: hi, expected_tools: [refund] }\n`,
    );
    expect(problem).toMatchObject({ line: 3, column: 39, path: 'mocks.0.when.id.$regx' });
    expect(problem?.hint).toBe(
      'Matchers are $any, $absent, $regex, $fuzzy, $range, $in, $contains, $literal. Data whose keys start with `$` goes into `{ $literal: … }`.',
    );
  });
});

describe('canned answers', () => {
  test.each([
    [
      'returns: { id: { $form: args.id } }',
      'unknown_field mocks.0.returns.id.$form: unknown template `$form`, did you mean `$from`?',
    ],
    [
      'returns: { id: { $from: arg.id } }',
      'invalid_value mocks.0.returns.id.$from: `$from` must start with args, state, previous, variables, call, did you mean `args`?',
    ],
    ['returns: { $concat: text }', 'invalid_type mocks.0.returns.$concat: `$concat` must be a list'],
    [
      'sequence: [{ returns: { $concat: [a, { $from: stat.x }] } }]',
      'invalid_value mocks.0.sequence.0.returns.$concat.1.$from: `$from` must start with args, state, previous, variables, call, did you mean `state`?',
    ],
    [
      'set: [{ op: replace, path: [orders, { $from: arg.id }], value: 1 }], returns: 1',
      'invalid_value mocks.0.set.0.path.1.$from: `$from` must start with args, state, previous, variables, call, did you mean `args`?',
    ],
  ])('%s is refused, because the agent would get it as it is written', (entry, expected) => {
    expect(mock(entry)).toEqual([expected]);
  });

  test('data with keys of its own that start with a dollar sign is kept', () => {
    expect(mock('returns: { $ref: "#/a", query: { $gt: 5 } }')).toEqual([]);
    expect(mock('returns: { was: { $from: "previous.orders[args.order_id].status" }, n: { $from: call } }')).toEqual(
      [],
    );
  });
});
