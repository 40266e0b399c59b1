import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { ownLedger } from '../story.fixture.ts';
import { asWorker } from './transactions.ts';
import { type Columns, unnest, unnestPassing, unnestTaking, unnestUncounted } from './unnest.ts';

const ledger = await ownLedger();

/** What comes out is the same in each of its forms. */
async function through<Value>(type: Columns<Value>[string]['type'], values: readonly Value[]): Promise<unknown[]> {
  const columns: Columns<Value> = { value: { type, of: (value) => value } };
  const [held, passing, uncounted, taken] = await Promise.all(
    [unnest, unnestPassing, unnestUncounted, unnestTaking].map((form) =>
      asWorker(ledger.database, async (em) => {
        const { rows } = await sql<{ value: unknown }>`select u.value from ${form([...values], columns, 'u')}`.execute(
          em.getKysely(),
        );
        return rows.map(({ value }) => value);
      }),
    ),
  );
  expect(passing).toEqual(held);
  expect(uncounted).toEqual(held);
  expect(taken).toEqual(held);
  return held ?? [];
}

const texts = [
  ['one'],
  ['one', 'two'],
  [''],
  ['', ''],
  ['', null],
  [null],
  [null, null],
  [],
  ['{"a,b"}', '\\', `'; drop table runs; --`, 'NULL', 'null', '\n\t ', '\u{1F600}'],
  ['a\u001eb', 'c'],
  ['a\u001eb'],
  ['\u001e'],
  ['\u001d'],
  ['\u001d', null, 'c'],
];
it.each(texts.map((values) => [values]))(
  'brings the texts %j to Postgres as they are, in their order',
  async (values) => {
    expect(await through('text', values)).toEqual(values);
  },
);

it('replaces in a text what Postgres cannot hold', async () => {
  expect(await through('text', ['a\0b', '\ud800'])).toEqual(['a\u{FFFD}b', '\u{FFFD}']);
});

const contents = [
  { quote: '"', slash: '\\', marks: '\u001e\u001d', empty: '' },
  [],
  'text',
  3,
  null,
  [null, { a: [1] }],
];
it.each(['json', 'jsonb'] as const)('brings %s to Postgres as it is', async (type) => {
  expect(await through(type, contents)).toEqual(contents);
});

it.each<[Columns<unknown>[string]['type'], unknown[]]>([
  ['uuid', ['7f3b9c3e-0a52-4c1f-9b11-0a4b8f6a1d2e', null]],
  ['int4', [1, null, -2_147_483_648]],
  ['float8', [0.1, null, 1e-300, 12.5]],
  ['bool', [true, false, null]],
])('brings %s to Postgres', async (type, values) => {
  expect(await through(type, values)).toEqual(values);
});

it('brings times and large numbers to Postgres', async () => {
  const at = new Date('2026-01-02T03:04:05.678Z');
  const shown = '2026-01-02 03:04:05.678+00';
  expect(await through<unknown>('timestamptz', [at, at.toISOString(), null])).toEqual([shown, shown, null]);
  expect(await through<unknown>('int8', [9_007_199_254_740_991, 2n ** 60n])).toEqual([
    '9007199254740991',
    String(2n ** 60n),
  ]);
});

it('brings columns without any value beside those that have some, and as many rows', async () => {
  type Row = { id: number | null; note: string | null; more: unknown };
  const columns: Columns<Row> = {
    note: { type: 'text', of: ({ note }) => note },
    id: { type: 'int4', of: ({ id }) => id },
    more: { type: 'jsonb', of: ({ more }) => more },
  };
  const nothing = { note: null, more: null };
  for (const rows of [
    [
      { id: 1, ...nothing },
      { id: null, ...nothing },
      { id: 3, ...nothing },
    ],
    [
      { id: null, ...nothing },
      { id: null, ...nothing },
    ],
  ]) {
    const found = await asWorker(ledger.database, (em) =>
      sql<Row>`select u.* from ${unnest(rows, columns, 'u')}`.execute(em.getKysely()),
    );
    expect(found.rows).toEqual(rows.map(({ id }) => ({ note: null, id, more: null })));
  }
});

it('takes rows out of their list when their statement leaves, and sends none of them twice', async () => {
  type Row = { id: number; note: string };
  const columns: Columns<Row> = {
    id: { type: 'int4', of: ({ id }) => id },
    note: { type: 'text', of: ({ note }) => note },
  };
  for (const note of ['plain', 'cut\u001ehere']) {
    const rows = [
      { id: 1, note },
      { id: 2, note },
    ];
    const all = structuredClone(rows);
    const statement = sql<Row>`select u.* from ${unnestTaking(rows, columns, 'u')}`;
    expect(rows).toEqual(all);
    const found = await asWorker(ledger.database, (em) => statement.execute(em.getKysely()));
    expect(found.rows).toEqual(all);
    expect(rows).toEqual([]);
    const again = asWorker(ledger.database, (em) => statement.execute(em.getKysely()));
    await expect(again).rejects.toThrow('These rows have left with their statement.');
  }
});
