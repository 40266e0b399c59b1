import { z } from 'zod';
import type { Tolerance, Vector } from './vector.ts';

const Fields = z.record(z.string(), z.unknown());
const Family = z.looseObject({ vectors: z.array(Fields).optional(), defaults: Fields.optional() });

/** Fields of a family that are asked; all others are the answer. A vector with `expected` needs no entry. */
const inputFields: Readonly<Record<string, readonly string[]>> = {
  wilson: ['k', 'n', 'conf'],
  mcnemarExact: ['b', 'c'],
  passAtK: ['n', 'c', 'k'],
  passHatK: ['n', 'c', 'k'],
  newcombeUnpaired: ['k1', 'n1', 'k2', 'n2', 'conf'],
  newcombePaired: ['a', 'b', 'c', 'd', 'conf'],
  benjaminiHochberg: ['p'],
  fisherCase: ['x', 'n', 'y', 'r'],
  betaBinomial: ['x', 'n', 'y', 'r'],
  eValue: ['b', 'c'],
  'power.repeats': ['m', 'meanWithinVar', 'delta', 'alpha', 'power'],
  'power.miller': ['omega2', 'sA2', 'KA', 'sB2', 'KB', 'delta', 'alpha', 'power'],
};

/** Families of plain lists: the arguments in order, then the value. */
const listFields: Readonly<Record<string, readonly string[]>> = {
  'quantiles.normal': ['p'],
  'quantiles.t': ['p', 'df'],
  'quantiles.betaInc': ['a', 'b', 'x'],
};

const tolerance: Tolerance = { relative: 0, absolute: 1e-9, byField: { probRegression: 1e-7 } };

function fieldsOf(family: string, vector: unknown): Record<string, unknown> {
  const names = listFields[family];
  if (!names || !Array.isArray(vector)) return Fields.parse(vector);
  const entries = names.map((name, i) => [name, vector[i]] as const);
  return { ...Object.fromEntries(entries), expected: { value: vector[names.length] } };
}

function split(family: string, vector: Record<string, unknown>): Pick<Vector, 'input' | 'expected'> {
  const { name: _name, note: _note, expected, ...rest } = vector;
  if (expected !== undefined) return { input: rest, expected };
  const asked = new Set(inputFields[family]);
  const entries = Object.entries(rest);
  return {
    input: Object.fromEntries(entries.filter(([field]) => asked.has(field))),
    expected: Object.fromEntries(entries.filter(([field]) => !asked.has(field))),
  };
}

function expand(file: string, family: string, list: readonly unknown[], defaults: object): Vector[] {
  return list.map((item, i) => {
    const fields = fieldsOf(family, item);
    const name = typeof fields.name === 'string' ? `${family}: ${fields.name}` : `${family} ${i + 1}`;
    const vector = split(family, { ...defaults, ...fields });
    return { file, name, kind: `statistics.${family}`, ...vector, tolerance };
  });
}

/** The vectors of a file of families, each with its own shape; a family of several lists becomes one kind per list. */
export function familyVectors(file: string, content: Readonly<Record<string, unknown>>): Vector[] {
  const families = Object.entries(content).filter(([name]) => !name.startsWith('_'));
  return families.flatMap(([name, value]) => {
    const family = Family.parse(value);
    if (family.vectors) return expand(file, name, family.vectors, family.defaults ? { defaults: family.defaults } : {});
    return Object.entries(family).flatMap(([part, list]) =>
      Array.isArray(list) ? expand(file, `${name}.${part}`, list, {}) : [],
    );
  });
}
