import { readFileSync } from 'node:fs';
import { buildSchema, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';

const schema = buildSchema(readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8'));

/** Every field of the schema, as `Type.field` with its description. */
const fields = Object.values(schema.getTypeMap())
  .filter((type) => !type.name.startsWith('__'))
  .flatMap((type) =>
    isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
      ? Object.values(type.getFields()).map(({ name, description }) => ({
          ...{ name, place: `${type.name}.${name}`, description: description ?? '' },
        }))
      : [],
  );

const saying = (name: RegExp, unit: RegExp) => ({
  all: fields.filter((field) => name.test(field.name)).length,
  silent: fields.filter((field) => name.test(field.name) && !unit.test(field.description)).map(({ place }) => place),
});

test('C09 every pass rate says that it is a percentage', () => {
  const rates = saying(/rate$/i, /0 to 100|percent/);
  expect(rates.silent).toEqual([]);
  expect(rates.all).toBeGreaterThan(3);
});

test('C23 every duration is in milliseconds, by its name and by its description', () => {
  const durations = saying(/Ms$/, /milliseconds/);
  expect(durations.silent).toEqual([]);
  expect(durations.all).toBeGreaterThan(2);
  expect(fields.filter(({ name }) => /(seconds|duration|latency|timeout)$/i.test(name))).toEqual([]);
});
