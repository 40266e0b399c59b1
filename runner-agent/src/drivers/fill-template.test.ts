import { expect, test } from 'vitest';
import { readPath } from './fill-template.ts';

const roots = {
  args: { id: 'A-1', 'dotted.key': 'd', list: [10, [20, 30]], which: 1, constructor: 'own' },
  state: { orders: { 'A-1': { status: 'shipped' } }, byNumber: { 7: 'seven' } },
  call: 3,
};

test.each([
  ['call', 3],
  ['args.id', 'A-1'],
  ['args.list[0]', 10],
  ['args.list.1[1]', 30],
  ['args.list[args.which][0]', 20],
  ['args["dotted.key"]', 'd'],
  ["args['dotted.key']", 'd'],
  ['state.orders[args.id].status', 'shipped'],
  ['state.byNumber[7]', 'seven'],
  ['args.constructor', 'own'],
])('%s is %j', (path, value) => {
  expect(readPath(path, roots)).toEqual({ ok: true, value });
});

test.each([
  '',
  'nothing',
  'args.',
  'args..id',
  'args.id.length',
  'args.list.length',
  'args.list[-1]',
  'args.list[2]',
  'args.list[0',
  'args.list[0]]',
  'args[]',
  'args.toString',
  'state.__proto__',
  'state.orders[args.nope]',
  'args id',
])('%s leads nowhere', (path) => {
  expect(readPath(path, roots).ok).toBe(false);
});

test('a path of thousands of brackets is refused before it is read', () => {
  expect(readPath('args['.repeat(20_000), roots).ok).toBe(false);
});
