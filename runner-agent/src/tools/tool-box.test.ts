import { expect, test } from 'vitest';
import { aCase, type CaseStory } from '../case/a-case.fixture.ts';
import { MockedTools } from './tool-box.ts';

const going = new AbortController().signal;
const request = (name: string, args = {}) => ({ id: 'c1', name, args, argsError: null });
const playsNothing = () => Promise.reject(new Error('No tool is simulated here'));
const clock = { monotonicMs: () => 5 };

function box(story: CaseStory): MockedTools {
  return new MockedTools(
    aCase({ agent: { tools: [{ name: 'get' }, { name: 'pay' }] }, ...story }),
    clock,
    playsNothing,
  );
}

test('a call is kept with its answer, its mock and its turn', async () => {
  const tools = box({
    mocks: [
      { tool: 'pay', returns: 1 },
      { tool: 'get', returns: { ok: true } },
    ],
  });
  tools.startTurn(2);

  await tools.call(request('get', { id: 1 }), going);

  expect(tools.calls).toEqual([
    {
      id: 'c1',
      name: 'get',
      args: { id: 1 },
      argsError: null,
      result: { ok: true },
      error: null,
      source: 'mock',
      entry: 1,
      turn: 2,
      durationMs: 0,
    },
  ]);
  expect(tools.mockUse).toEqual({ unusedEntries: [0], unmatchedCalls: [] });
});

test('a tool that the agent does not declare is answered with an error and recorded (S0-04)', async () => {
  const tools = box({ mocks: [{ tool: 'drop_tables', returns: 'dropped' }] });

  await tools.call(request('drop_tables'), going);

  expect(tools.calls[0]).toMatchObject({ source: 'none', result: { error: { code: 'unknown_tool' } } });
});

test('a turn that is tried again finds the state, the queue and the calls of its start', async () => {
  const tools = box({
    mockSettings: { state: { balance: 1 } },
    mocks: [
      { tool: 'get', returns: { $from: 'state.balance' }, times: 'always' },
      { tool: 'pay', returns: 'paid', set: [{ op: 'replace', path: ['balance'], value: 0 }] },
    ],
  });
  await tools.call(request('get'), going);
  tools.startTurn(1);
  await tools.call(request('pay'), going);

  tools.rewindTurn();

  await tools.call(request('get'), going);
  await tools.call(request('pay'), going);
  expect(tools.calls.map(({ result }) => result)).toEqual([1, 1, 'paid']);
});

test('a test run that starts over forgets every call and every change', async () => {
  const tools = box({ mocks: [{ tool: 'pay', returns: 'paid' }] });
  await tools.call(request('pay'), going);
  await tools.call(request('pay'), going);
  expect(tools.flags).toEqual(['unmatched_tool_call']);

  tools.startOver();

  expect(tools).toMatchObject({ calls: [], flags: [], mockUse: { unusedEntries: [0], unmatchedCalls: [] } });
  await tools.call(request('pay'), going);
  expect(tools.calls[0]?.result).toBe('paid');
});

test('an unmatched call is an error object and a flag by default, so that the conversation goes on', async () => {
  const tools = box({});

  const called = await tools.call(request('get'), going);

  expect(called).toMatchObject({ ok: true, value: { source: 'none', result: { error: { code: 'no_mock' } } } });
  expect(tools.mockUse).toEqual({ unusedEntries: [], unmatchedCalls: ['get'] });
  expect(tools.flags).toEqual(['unmatched_tool_call']);
});

test('`unmatched: invalid` ends the test run as a fault of the mocks', async () => {
  const called = await box({ mockSettings: { unmatched: 'invalid' } }).call(request('get'), going);

  expect(called).toMatchObject({ ok: false, failure: { kind: 'mock', retryable: false } });
});

test('a template that leads nowhere ends the test run as a fault of the mocks', async () => {
  const tools = box({ mocks: [{ tool: 'get', returns: { $from: 'args.nope' } }] });

  expect(await tools.call(request('get'), going)).toMatchObject({ ok: false, failure: { kind: 'mock' } });
});

test.each([
  ['a template that leads nowhere', { mocks: [{ tool: 'get', returns: { $from: 'args.nope' } }] }],
  ['`unmatched: invalid`', { mockSettings: { unmatched: 'invalid' as const } }],
])('a call that broke the mocks was still made: %s', async (_, story) => {
  const tools = box(story);

  await tools.call(request('get', { id: 1 }), going);

  expect(tools.calls).toMatchObject([
    { name: 'get', args: { id: 1 }, source: 'none', error: expect.stringContaining('mock_fault: ') },
  ]);
});

test.each(['live', 'mixed'] as const)('in mode %s a call without a live tool says so', async (mode) => {
  const tools = box({ mockSettings: { mode }, mocks: [{ tool: 'pay', returns: 'canned', times: 'always' }] });

  await tools.call(request('get'), going);
  await tools.call(request('pay'), going);

  const [live, canned] = tools.calls;
  expect(live?.result).toMatchObject({ error: { code: 'no_live_tool' } });
  expect(canned?.source).toBe(mode === 'mixed' ? 'mock' : 'none');
  expect(tools.flags).toEqual(['no_live_tool']);
});

test('the 33rd call of a turn and the 201st of a test run end it with kind limit', async () => {
  const tools = box({ mocks: [{ tool: 'get', times: 'always' }] });
  for (let turn = 0; turn < 7; turn += 1) {
    tools.startTurn(turn);
    for (let call = 0; call < 32 && tools.calls.length < 200; call += 1) await tools.call(request('get'), going);
    if (turn === 0)
      expect(await tools.call(request('get'), going)).toMatchObject({ ok: false, failure: { kind: 'limit' } });
  }

  expect(tools.calls).toHaveLength(200);
  expect(await tools.call(request('get'), going)).toMatchObject({
    ok: false,
    failure: { kind: 'limit', message: 'The agent made more than 200 tool calls in one test run' },
  });
});

test('a try that was given up can neither call nor change anything any more', async () => {
  const gone = new AbortController();
  const tools = box({ mocks: [{ tool: 'get', returns: 1 }] });
  gone.abort(new Error('over'));

  await expect(tools.call(request('get'), gone.signal)).rejects.toThrow('over');

  expect(tools.calls).toEqual([]);
});
