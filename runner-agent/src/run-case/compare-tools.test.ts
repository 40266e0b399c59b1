import { expect, test } from 'vitest';
import { aCase, type CaseStory, casePorts } from '../case/a-case.fixture.ts';
import { runCase } from './run-case.ts';

const going = new AbortController().signal;
const agent = {
  tools: [{ name: 'refund' }],
  driver: { type: 'scripted' as const, replies: [{ tool_calls: [{ name: 'refund', args: { id: 2 } }], reply: '9' }] },
};
const passes = { expected_behavior: { checks: [{ type: 'contains_phrases' as const, phrases: ['9'] }] } };
const run = async (story: CaseStory) => await runCase(aCase({ agent, case: passes, ...story }), casePorts(), going);

test('with `unmatched: fail` a call that no mock fits fails the test run, also without any expectation', async () => {
  const { status, tools, flags } = await run({ mockSettings: { unmatched: 'fail' } });

  expect({ status, tools, flags }).toEqual({
    status: 'failed',
    tools: { matched: false, problems: ['refund was called, but no mock fits the call'] },
    flags: ['unmatched_tool_call'],
  });
});

test('with `unmatched: error` the same call is flagged, and the checks decide', async () => {
  const { status, tools, flags } = await run({});

  expect({ status, matched: tools.matched, flags }).toEqual({
    status: 'passed',
    matched: null,
    flags: ['unmatched_tool_call'],
  });
});

test('with `unmatched: invalid` nobody is blamed for what the mocks lack', async () => {
  expect(await run({ mockSettings: { unmatched: 'invalid' } })).toMatchObject({ status: 'error', errorKind: 'mock' });
});

test('calls are compared with what is expected also when the agent failed afterwards (S0-84)', async () => {
  const replies = [{ tool_calls: [{ name: 'refund' }], reply: '', error: 'The agent broke' }];
  const outcome = await run({
    agent: { tools: [{ name: 'refund' }], driver: { type: 'scripted', replies } },
    mocks: [{ tool: 'refund', returns: 1, times: 'always' }],
    case: { ...passes, expected_tool_calls: [{ tool: 'refund' }] },
  });

  expect(outcome).toMatchObject({ status: 'error', errorKind: 'agent', tools: { matched: true, problems: [] } });
  expect(outcome.checks).toEqual([]);
});
