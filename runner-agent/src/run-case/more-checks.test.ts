import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { Check } from '@proofmark/contracts/checks';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { aCase, type CaseStory, casePorts } from '../case/a-case.fixture.ts';
import { runCase } from './run-case.ts';

type CheckInput = z.input<typeof Check>;

/** What a scripted agent's reply is worth by these checks. */
async function judge(reply: string, checks: CheckInput[], { agent, ...story }: CaseStory = {}): Promise<CaseOutcome> {
  const work = aCase({
    agent: { driver: { type: 'scripted', replies: [{ reply }] }, ...agent },
    case: { expected_behavior: { checks } },
    ...story,
  });
  return runCase(work, casePorts(), new AbortController().signal);
}

const yes: CheckInput = { type: 'equals', value: 'yes' };
const no: CheckInput = { type: 'equals', value: 'no' };
/** A check that cannot be made: no agent of data costs anything that is known. */
const unknown: CheckInput = { type: 'cost', max_usd: 1 };

test.each<[string, CheckInput, string, 'pass' | 'fail', string?]>([
  ['an end', { type: 'ends_with', value: 'REGARDS' }, 'Kind regards \n', 'pass'],
  ['another end', { type: 'ends_with', value: 'regards' }, 'regards, me', 'fail', 'The response ends with "rds, me"'],
  ['one of several', { type: 'one_of', values: ['yes', 'no'] }, ' No ', 'pass'],
  [
    'none of several',
    { type: 'one_of', values: ['yes', 'no'] },
    'maybe',
    'fail',
    'The response is "maybe", none of "yes", "no"',
  ],
  [
    'one of several in another case',
    { type: 'one_of', values: ['yes'], case_sensitive: true },
    'Yes',
    'fail',
    'The response is "Yes", none of "yes"',
  ],
  ['JSON among words', { type: 'contains_json' }, 'Here: {"a": "}"} and so on', 'pass'],
  ['no JSON', { type: 'contains_json' }, 'Here: {a} [b', 'fail', 'The response holds no JSON'],
  [
    'JSON of a schema among others',
    { type: 'contains_json', schema: { type: 'object', required: ['b'] } },
    '[1] {"a":1} {"b":2}',
    'pass',
  ],
  [
    'JSON of another schema',
    { type: 'contains_json', schema: { type: 'array' } },
    '{"b":2}',
    'fail',
    'No JSON in the response fits the schema',
  ],
  ['half a million brackets', { type: 'contains_json' }, '['.repeat(500_000), 'fail', 'The response holds no JSON'],
  ['a number', { type: 'number', value: 3.14, tolerance: 0.01 }, '3.145', 'pass'],
  [
    'another number',
    { type: 'number', value: 100, relative_tolerance: 0.1 },
    '120',
    'fail',
    '120 is not near enough to 100',
  ],
  ['a number in JSON', { type: 'number', value: 5, path: 'sum' }, '{"sum": 5}', 'pass'],
  ['no number', { type: 'number', value: 5 }, 'five', 'fail', '"five" is not a number'],
  ['few other characters', { type: 'levenshtein', value: 'Berlin', max_distance: 1 }, 'Berlim', 'pass'],
  [
    'many other characters',
    { type: 'levenshtein', value: 'Berlin', max_distance: 1 },
    'Paris',
    'fail',
    'The response differs from "Berlin" by more than 1 characters',
  ],
  ['what must not be', { type: 'not', check: no }, 'yes', 'pass'],
  ['what must not be and is', { type: 'not', check: yes }, 'yes', 'fail', 'The check equals passed, and must not'],
  ['all of a group', { type: 'group', checks: [yes, no] }, 'yes', 'fail', '1 of 2 passed, not equals'],
  ['any of a group', { type: 'group', mode: 'any', checks: [yes, no] }, 'yes', 'pass'],
  ['enough of a group', { type: 'group', at_least: 2, checks: [yes, no, { type: 'length', min: 1 }] }, 'yes', 'pass'],
  [
    'not enough of a group',
    { type: 'group', at_least: 2, checks: [yes, no, { type: 'length', min: 9 }] },
    'yes',
    'fail',
    '1 of 3 passed, not equals, length',
  ],
  ['enough weight', { type: 'group', threshold: 0.75, weights: [3, 1], checks: [yes, no] }, 'yes', 'pass'],
  [
    'not enough weight',
    { type: 'group', threshold: 0.75, weights: [2, 1], checks: [yes, no] },
    'yes',
    'fail',
    '1 of 2 passed, not equals',
  ],
  [
    'groups inside of each other',
    { type: 'not', check: { type: 'group', mode: 'any', checks: [no, { type: 'not', check: yes }] } },
    'yes',
    'pass',
  ],
])('%s', async (_, check, reply, status, reasoning) => {
  const { checks } = await judge(reply, [check]);
  expect(checks[0]).toMatchObject({
    status,
    error: null,
    ...(reasoning === undefined ? {} : { details: { reasoning } }),
  });
});

test('a group tells what each of its checks says', async () => {
  const { checks } = await judge('yes', [{ type: 'group', threshold: 0.7, checks: [yes, no] }]);
  expect(checks[0]?.details).toEqual({
    ...{ reasoning: '1 of 2 passed, not equals', score: 0.5, threshold: 0.7 },
    components: [
      { name: 'equals', status: 'pass' },
      { name: 'equals', status: 'fail', reasoning: 'The response is not "no"' },
    ],
  });
});

describe('what cannot be judged decides only where nothing else can', () => {
  test.each<[string, CheckInput, 'pass' | 'fail' | 'error']>([
    ['not', { type: 'not', check: unknown }, 'error'],
    ['all, one failed', { type: 'group', checks: [unknown, no] }, 'fail'],
    ['all, the other passed', { type: 'group', checks: [unknown, yes] }, 'error'],
    ['any, one passed', { type: 'group', mode: 'any', checks: [unknown, yes] }, 'pass'],
    ['enough without it', { type: 'group', at_least: 1, checks: [unknown, yes] }, 'pass'],
    ['enough only with it', { type: 'group', at_least: 2, checks: [unknown, yes] }, 'error'],
    ['not enough even with it', { type: 'group', at_least: 2, checks: [unknown, no] }, 'fail'],
    ['weight enough without it', { type: 'group', threshold: 0.5, checks: [unknown, yes] }, 'pass'],
    ['weight enough only with it', { type: 'group', threshold: 0.9, checks: [unknown, yes] }, 'error'],
    ['not weight enough even with it', { type: 'group', threshold: 0.9, checks: [unknown, no] }, 'fail'],
  ])('%s', async (_, check, status) => {
    const { checks } = await judge('yes', [check]);
    expect(checks[0]?.status).toBe(status);
  });
});

describe('calls of tools that fit what the agent declares', () => {
  const tools = [
    { name: 'refund', parameters: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } },
  ];
  const calling = (
    name: string,
    args: Record<string, string | number>,
    declared: NonNullable<CaseStory['agent']>['tools'] = tools,
  ): CaseStory => ({
    agent: {
      driver: { type: 'scripted', replies: [{ reply: 'Done', tool_calls: [{ name, args }] }] },
      tools: declared,
    },
  });

  test.each<[string, CaseStory, object]>([
    ['a call as declared', calling('refund', { id: 'A-1' }), { status: 'pass' }],
    [
      'arguments of another type',
      calling('refund', { id: 1 }),
      { status: 'fail', details: { reasoning: `refund: its schema does not accept "{"id":1}"` } },
    ],
    [
      'a tool that there is not',
      calling('delete', {}),
      { status: 'fail', details: { reasoning: 'delete: is no tool of the agent' } },
    ],
    [
      'nothing declared',
      calling('refund', {}, []),
      { status: 'error', error: 'The agent declares no tools that a call could be compared with' },
    ],
    [
      'a schema that cannot be used',
      calling('refund', {}, [{ name: 'refund', parameters: { type: 'string', pattern: 'x' } }]),
      { status: 'error', error: expect.stringContaining('The schema of refund cannot be used') },
    ],
  ])('%s', async (_, story, expected) => {
    expect((await judge('Done', [{ type: 'valid_tool_calls' }], story)).checks[0]).toMatchObject(expected);
  });

  test('only the tool that is named counts', async () => {
    const { checks } = await judge('Done', [{ type: 'valid_tool_calls', tool: 'refund' }], calling('delete', {}));
    expect(checks[0]).toMatchObject({ status: 'pass' });
  });
});
