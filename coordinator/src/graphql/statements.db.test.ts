import type { GraphQLField, GraphQLObjectType, GraphQLOutputType } from 'graphql';
import { getNamedType, isLeafType, isListType, isNonNullType, isObjectType } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import type { Caller } from '../access/caller.ts';
import { ownLedger } from '../story.fixture.ts';
import { type Ask, asker } from './ask.fixture.ts';
import { schema } from './schema.ts';
import { type World, worldOf } from './world.fixture.ts';

/** Objects of which there are many, and the fields that lead to them. */
interface Place {
  name: string;
  type: GraphQLObjectType;
  steps: GraphQLField<unknown, unknown>[];
}

const isPage = (type: GraphQLObjectType): boolean => /(Connection|Edge)$/.test(type.name);
const isMany = (type: GraphQLOutputType): boolean => isListType(isNonNullType(type) ? type.ofType : type);

type Step = Place & { isBelowList: boolean };

/** Where a field leads; null for a plain value. A page is one list, from its field to its node. */
function stepTo(from: Step, field: GraphQLField<unknown, unknown>): (Step & { isList: boolean }) | null {
  const type = getNamedType(field.type);
  if (!isObjectType(type) || type.name === 'PageInfo') return null;
  const name = isPage(from.type) ? from.name : `${from.type.name}.${field.name}`;
  const isList = isMany(field.type) || isPage(from.type);
  return { name, type, steps: [...from.steps, field], isList, isBelowList: from.isBelowList || isList };
}

/** Every list of the schema by the shortest way to it, and every object that is reached only below one. */
function placesOf(query: GraphQLObjectType): Place[] {
  const places = new Map<string, Place>();
  const seen = new Set<string>();
  let open: Step[] = [{ name: '', type: query, steps: [], isBelowList: false }];
  while (open.length > 0) {
    const steps = open.flatMap((from) =>
      Object.values(from.type.getFields()).flatMap((field) => stepTo(from, field) ?? []),
    );
    for (const { isList, ...place } of steps) {
      const key = isList ? place.name : place.type.name;
      if (!isPage(place.type) && place.isBelowList && !places.has(key)) places.set(key, place);
    }
    const isNew = ({ type, isBelowList, name }: Step): boolean => {
      const key = `${type.name} ${isBelowList} ${isPage(type) ? name : ''}`;
      return !seen.has(key) && seen.add(key).has(key);
    };
    open = steps.filter(isNew);
  }
  return [...places.values()];
}

const leavesOf = (type: GraphQLOutputType, depth = 3): string => {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (!isObjectType(named)) return '{ __typename }';
  const fields = Object.values(named.getFields());
  if (isPage(named) && depth > 0)
    return `{ ${fields
      .filter(({ name }) => name === 'edges' || name === 'node')
      .map((field) => `${field.name} ${leavesOf(field.type, depth - 1)}`)
      .join(' ')} }`;
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type))).map(({ name }) => name);
  return `{ ${leaves.length === 0 ? '__typename' : leaves.join(' ')} }`;
};

function written(field: GraphQLField<unknown, unknown>, world: World, size: number): string {
  const given = field.args.flatMap((argument) => {
    if (argument.name === 'first') return [`first: ${size}`];
    if (!isNonNullType(argument.type) || argument.defaultValue !== undefined) return [];
    if (argument.name === 'format') return ['format: CSV'];
    return [`${argument.name}: ${world.argument(field.name, argument.name)}`];
  });
  return given.length === 0 ? field.name : `${field.name}(${given.join(', ')})`;
}

/** The query for one more selection at a place: as many rows of the last list as asked for, few of those before. */
function queryFor({ steps }: Place, selection: string, world: World, size: number): string {
  const last = steps.findLastIndex(({ args }) => args.some(({ name }) => name === 'first'));
  return `{ ${steps.toReversed().reduce((inner, step, at) => {
    const isLast = steps.length - 1 - at === last;
    return `${written(step, world, isLast ? size : 2)} { ${inner} }`;
  }, selection)} }`;
}

let ask: Ask;
let few: World;
let many: World;

beforeAll(async () => {
  const ledger = await ownLedger();
  ask = asker(ledger);
  few = await worldOf(ledger, 1);
  many = await worldOf(ledger, 100);
});

const caller = ({ tenant }: World): Caller => ({ ...tenant.caller, scopes: new Set(['admin', 'queries:large']) });

/** How many rows a place had, and how many statements they took: of as many rows as the limit of a request lets through. */
async function measured(place: Place, selection: string, world: World) {
  for (const size of [100, 40, 10, 4]) {
    const asked = await ask(caller(world), queryFor(place, selection, world, size));
    const [problem] = asked.errors;
    if (problem?.extensions?.code === 'QUERY_TOO_COMPLEX') continue;
    if (problem !== undefined) throw new Error(`${queryFor(place, selection, world, size)}: ${problem.message}`);
    return { statements: asked.statements, rows: rowsAt(place, asked.data) };
  }
  throw new Error(`Even four rows are too many: ${selection}`);
}

function rowsAt({ steps }: Place, data: unknown): number {
  let rows: unknown[] = [data];
  for (const { name } of steps) rows = rows.flatMap((row) => Object(row)[name] ?? []);
  return rows.length;
}

const places = placesOf(schema.getQueryType() ?? expect.fail('the schema has no queries'));

/** What there is to ask of an object: all plain values at once, and whatever leads on, with its own plain values. */
function selectionsOf({ type }: Place): string[] {
  const fields = Object.values(type.getFields());
  const isPlain = (field: GraphQLField<unknown, unknown>) => isLeafType(getNamedType(field.type));
  return [
    fields
      .filter(isPlain)
      .map(({ name }) => name)
      .join(' ') || '__typename',
    ...fields.filter((field) => !isPlain(field)).map((field) => `${written(field, few, 2)} ${leavesOf(field.type)}`),
  ];
}

const seenOften = new Set<string>();

test.each(places.map((place) => ({ name: place.name, place })))(
  '$name takes as many statements for a hundred rows as for one, whatever is asked of them',
  async ({ place }) => {
    const more: string[] = [];
    for (const selection of selectionsOf(place)) {
      const [one, hundred] = [await measured(place, selection, few), await measured(place, selection, many)];
      if (hundred.rows > one.rows && hundred.rows > 1) seenOften.add(place.name);
      // What the smaller world finds among the rows that it has read already may take the larger one a statement.
      if (hundred.statements > one.statements + 1)
        more.push(`${selection}: ${one.statements} for ${one.rows}, ${hundred.statements} for ${hundred.rows}`);
    }
    expect(more).toEqual([]);
  },
);

test('headlines alone, which are read without cases, take as many statements for a hundred runs as for one', async () => {
  const headlines = '{ runs(first: 100) { edges { node { feedback { outcome headline suitesAffected } } } } }';
  const [one, hundred] = [await ask(caller(few), headlines), await ask(caller(many), headlines)];
  expect([one.errors, hundred.errors]).toEqual([[], []]);
  expect(Object(hundred.data).runs.edges).toHaveLength(100);
  expect(hundred.statements).toBeLessThanOrEqual(one.statements + 1);
});

/** Those that are the same for every tenant; and those that stand in a row which other places read a hundred of. */
const mayBeLone = [
  ...['Query.runners', 'Query.settings', 'RunComparison.onlyBase', 'RunComparison.onlyHead'],
  ...[
    'Run.changes',
    'SuiteRun.agentChanges',
    'TextChange.hunks',
    'SuiteRun.agentSnapshot',
    'SuiteRun.passRateInterval',
    'SuiteRun.download',
    'SuiteRun.resolvedVariables',
    'SuiteRun.takenFrom',
    'Suite.judge',
    'Suite.testType',
  ],
  ...['Verdict.judge', 'Verdict.unmeasured', 'VariableValidation.problems', 'RunFeedback.checks'],
];

test('every list that a tenant fills has more rows in the larger world', () => {
  const lone = places.filter((place) => !seenOften.has(place.name)).map(({ name }) => name);
  expect(lone.filter((name) => !mayBeLone.includes(name))).toEqual([]);
});
