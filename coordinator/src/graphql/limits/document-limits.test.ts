import { getIntrospectionQuery, parse } from 'graphql';
import { expect, test } from 'vitest';
import { exceededLimits } from './document-limits.ts';

const codes = (query: string) => exceededLimits(parse(query)).map((error) => error.extensions.code);
const nested = (depth: number) => `${'{ a '.repeat(depth)}${'}'.repeat(depth)}`;

test('ten fields below each other are fine and eleven are too deep', () => {
  expect(codes(nested(10))).toEqual([]);
  expect(codes(nested(11))).toEqual(['QUERY_TOO_DEEP']);
});

test('depth is followed through fragments', () => {
  expect(codes(`{ a { ...f } } fragment f on Query ${nested(10)}`)).toEqual(['QUERY_TOO_DEEP']);
});

test('a fragment that spreads itself is refused', () => {
  expect(codes('{ ...f } fragment f on Query { a { ...f } }')).toEqual(['QUERY_TOO_DEEP']);
});

test('C54 the standard introspection query is allowed', () => {
  expect(codes(getIntrospectionQuery())).toEqual([]);
});

test('spreads that double in each fragment are refused at once', () => {
  const doubling = Array.from(
    { length: 60 },
    (_, at) => `fragment f${at} on Query { ...f${at + 1} x${at} { ...f${at + 1} } }`,
  ).join(' ');
  const startedAt = process.threadCpuUsage();
  expect(codes(`{ ...f0 } ${doubling} fragment f60 on Query { a }`)).toContain('QUERY_TOO_COMPLEX');
  expect(process.threadCpuUsage(startedAt).user / 1000).toBeLessThan(1000);
});

test('the 31st alias is one too many, __typename counts too', () => {
  const aliased = (count: number) => `{ ${Array.from({ length: count }, (_, at) => `a${at}: __typename`).join(' ')} }`;
  expect(codes(aliased(30))).toEqual([]);
  expect(codes(aliased(31))).toEqual(['TOO_MANY_ALIASES']);
});

test('a request holds at most five mutations, counted through fragments', () => {
  const five = 'a: m b: m c: m d: m e: m';
  expect(codes(`mutation { ${five} }`)).toEqual([]);
  expect(codes(`mutation { ...f ... { g: m } } fragment f on Mutation { ${five} }`)).toEqual(['TOO_MANY_ALIASES']);
});

test('directives are limited at one place and in all', () => {
  const at = (count: number) => `{ a ${'@skip(if: false) '.repeat(count)} }`;
  expect(codes(at(4))).toEqual([]);
  expect(codes(at(5))).toEqual(['TOO_MANY_DIRECTIVES']);
  expect(codes(`{ ${'a @skip(if: false) '.repeat(51)} }`)).toEqual(['TOO_MANY_DIRECTIVES']);
});
