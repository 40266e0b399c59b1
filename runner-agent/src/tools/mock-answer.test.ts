import type { JsonValue } from '@proofmark/contracts/canonical-json';
import { MockEntry, MockSettings } from '@proofmark/contracts/mocks';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { answerFromMocks, freshMemory, type MockAnswer, unusedEntries } from './mock-answer.ts';

interface Story {
  mocks: z.input<typeof MockEntry>[];
  state?: { [key: string]: JsonValue };
  variables?: Record<string, string | number>;
}

/** Asks one call after another of the same memory. */
function mocked({ mocks: given, state = {}, variables = {} }: Story) {
  const mocks = given.map((mock) => MockEntry.parse(mock));
  let memory = freshMemory(mocks, MockSettings.parse({ state }));
  return {
    call(tool: string, args: { [key: string]: JsonValue } = {}): MockAnswer {
      const answer = answerFromMocks(mocks, memory, { tool, args, variables });
      if (answer.kind !== 'broken') memory = answer.memory;
      return answer;
    },
    results(tool: string, ...calls: { [key: string]: JsonValue }[]): unknown[] {
      return calls.map((args) => {
        const answer = this.call(tool, args);
        return answer.kind === 'answer' ? answer.result : answer.kind;
      });
    },
    get state() {
      return memory.state;
    },
    get unused() {
      return unusedEntries(memory);
    },
  };
}

test('the first entry with uses left answers: once by default, a number of times, or always (S1-10, C12)', () => {
  const tools = mocked({
    mocks: [
      { tool: 'get', returns: 'once' },
      { tool: 'get', returns: 'twice', times: 2 },
      { tool: 'get', returns: 'always', times: 'always' },
      { tool: 'get', returns: 'never reached' },
    ],
  });

  expect(tools.results('get', {}, {}, {}, {}, {})).toEqual(['once', 'twice', 'twice', 'always', 'always']);
  expect(tools.unused).toEqual([3]);
});

test('a queue that is used up leaves a call unmatched', () => {
  const tools = mocked({ mocks: [{ tool: 'get', returns: 1 }] });

  expect(tools.results('get', {}, {})).toEqual([1, 'unmatched']);
});

test('an entry answers only calls that its `when` describes, as a subset and with matchers', () => {
  const tools = mocked({
    mocks: [
      { tool: 'get', when: { id: { $regex: 'A-\\d+' } }, returns: 'by pattern', times: 'always' },
      { tool: 'get', when: { id: 'B', place: { $absent: true } }, returns: 'without place' },
      { tool: 'get', when: { id: { $in: ['B', 'C'] } }, returns: 'one of' },
    ],
  });

  expect(tools.results('get', { id: 'A-17', more: 1 }, { id: 'B', place: 'x' }, { id: 'B' }, { id: 'xA-17' })).toEqual([
    'by pattern',
    'one of',
    'without place',
    'unmatched',
  ]);
});

test('a sequence gives one step per call and is then used up', () => {
  const tools = mocked({
    mocks: [
      { tool: 'get', sequence: [{ fault: { kind: 'http_error', status: 503 } }, { returns: { status: 'lost' } }] },
      { tool: 'get', returns: 'afterwards' },
    ],
  });

  expect(tools.call('get')).toMatchObject({
    entry: 0,
    result: { error: { code: 'http_503', message: 'The tool answered with status 503' } },
    error: 'http_503: The tool answered with status 503',
  });
  expect(tools.results('get', {}, {}, {})).toEqual([{ status: 'lost' }, 'afterwards', 'unmatched']);
});

test.each([
  ['timeout', { error: { code: 'timeout', message: 'The tool did not answer in time' } }],
  ['http_error', { error: { code: 'http_500', message: 'The tool answered with status 500' } }],
  ['malformed', '{"broken": '],
  ['empty', null],
  ['slow', { ok: true }],
] as const)('the fault %s answers after its delay', (kind, result) => {
  const tools = mocked({ mocks: [{ tool: 'get', returns: { ok: true }, fault: { kind, delay_ms: 70 } }] });

  expect(tools.call('get')).toMatchObject({ kind: 'answer', result, delayMs: 70 });
});

test('templates put values in with their types and join texts', () => {
  const tools = mocked({
    mocks: [
      {
        tool: 'refund',
        returns: {
          id: { $from: 'args.id' },
          list: [{ $from: 'args.list[1]' }],
          day: { $from: 'variables.Day' },
          call: { $from: 'call' },
          text: { $concat: ['Refund ', { $from: 'args.n' }, ' of ', { $from: 'args.id' }, ': ', true, null] },
          'a literal $from': { $from: 'args.id', beside: 'another key' },
        },
      },
    ],
    variables: { Day: 'Monday' },
  });

  expect(tools.results('refund', { id: 'A-1', n: 2, list: [1, { deep: 2 }] })).toEqual([
    {
      id: 'A-1',
      list: [{ deep: 2 }],
      day: 'Monday',
      call: 1,
      text: 'Refund 2 of A-1: truenull',
      'a literal $from': { $from: 'args.id', beside: 'another key' },
    },
  ]);
});

test('values that look like templates are never expanded again', () => {
  const tools = mocked({ mocks: [{ tool: 'echo', returns: { $from: 'args.text' } }] });

  expect(tools.results('echo', { text: { $from: 'state.secret' } })).toEqual([{ $from: 'state.secret' }]);
});

test('state is changed before the answer, and `previous` is what it was', () => {
  const tools = mocked({
    state: { orders: { 'A-1': { status: 'shipped' } } },
    mocks: [
      {
        tool: 'refund',
        times: 'always',
        set: [{ op: 'replace', path: ['orders', { $from: 'args.id' }, 'status'], value: 'refunded' }],
        returns: {
          was: { $from: 'previous.orders[args.id].status' },
          is: { $from: 'state.orders[args.id].status' },
        },
      },
    ],
  });

  expect(tools.results('refund', { id: 'A-1' }, { id: 'A-1' })).toEqual([
    { was: 'shipped', is: 'refunded' },
    { was: 'refunded', is: 'refunded' },
  ]);
});

test('a tool that fails changes no state, one that is slow does', () => {
  const set = [{ op: 'add' as const, path: ['done', '-'], value: { $from: 'call' } }];
  const tools = mocked({
    state: { done: [] },
    mocks: [
      {
        tool: 'pay',
        set,
        sequence: [{ fault: { kind: 'timeout' } }, { fault: { kind: 'slow' } }, { returns: 'paid' }],
      },
    ],
  });

  tools.results('pay', {}, {}, {});

  expect(tools.state).toEqual({ done: [2, 3] });
});

test('a path that leads nowhere is a fault of the mock that names entry and path, never null', () => {
  const tools = mocked({ mocks: [{ tool: 'get', returns: { $from: 'args.order.id' } }] });

  expect(tools.call('get', { order: {} })).toEqual({
    kind: 'broken',
    message: 'The mock of get (mocks.0) refers to args.order.id, which does not exist',
  });
});

test.each([
  ['replace', ['orders', 'A-9'], 'orders.A-9'],
  ['remove', ['orders', 'A-9'], 'orders.A-9'],
  ['add', ['nowhere', 'x', 'y'], 'nowhere.x.y'],
  ['add', ['list', 'first'], 'list.first'],
  ['add', ['list', 7], 'list.7'],
] as const)('%s at %j is a failing patch', (op, path, missing) => {
  const set = [{ op, path: [...path], value: 1 }];
  const tools = mocked({ state: { orders: {}, list: [1] }, mocks: [{ tool: 'get', set, returns: 'done' }] });

  expect(tools.call('get')).toMatchObject({ kind: 'broken', message: expect.stringContaining(missing) });
});

test('a patch without a value is a fault, unless it removes', () => {
  const patched = (op: 'add' | 'remove') =>
    mocked({ state: { a: 1 }, mocks: [{ tool: 'get', set: [{ op, path: ['a'] }], returns: 'done' }] });

  expect(patched('add').call('get').kind).toBe('broken');
  expect(patched('remove').results('get', {})).toEqual(['done']);
});

test('lists are patched by position, and `-` is their end', () => {
  const set = [
    { op: 'add' as const, path: ['list', 0], value: 'first' },
    { op: 'add' as const, path: ['list', '-'], value: 'last' },
    { op: 'remove' as const, path: ['list', '1'] },
  ];
  const tools = mocked({ state: { list: ['a', 'b'] }, mocks: [{ tool: 'get', set }] });

  tools.call('get');

  expect(tools.state).toEqual({ list: ['first', 'b', 'last'] });
});

test('names that every object has are ordinary keys in paths, patches and templates', () => {
  const state = JSON.parse('{ "__proto__": { "constructor": "own" } }');
  const tools = mocked({
    state,
    mocks: [
      {
        tool: 'get',
        set: [{ op: 'add', path: ['__proto__', 'polluted'], value: true }],
        returns: { $from: 'state.__proto__.constructor' },
      },
      { tool: 'get', returns: { $from: 'args.constructor' } },
    ],
  });

  expect(tools.results('get', {}, {})).toEqual(['own', 'broken']);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('asking leaves the given memory as it was, so that a turn can be put back', () => {
  const mocks = [MockEntry.parse({ tool: 'get', set: [{ op: 'add', path: ['n'], value: 1 }], returns: 1 })];
  const memory = freshMemory(mocks, MockSettings.parse({ state: { kept: true } }));
  const before = structuredClone(memory);

  answerFromMocks(mocks, memory, { tool: 'get', args: {}, variables: {} });

  expect(memory).toEqual(before);
});
