import { expect, test } from 'vitest';
import { caseRowsOf, rowOfCase } from './row-stretches.ts';

const planned = (names: readonly string[]) => names.map((caseName, sortOrder) => ({ caseName, sortOrder }));

test('rows that follow each other line by line are one stretch, and each case is found at its line again', () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `case ${at}`);
  const positions = new Map(
    names.flatMap((name, at) => {
      // The first two are written by hand; a cell of row 500 has a line break; the last hundred stand in another file.
      if (at < 2) return [];
      const row = at >= 900 ? { file: 'b.jsonl', line: at - 899 } : { file: 'a.csv', line: at + (at > 500 ? 1 : 0) };
      return [[name, { row }] as const];
    }),
  );
  const rows = caseRowsOf(planned(names), positions);
  expect(rows).toEqual({
    files: ['a.csv', 'b.jsonl'],
    stretches: [
      [2, 499, 0, 2],
      [501, 399, 0, 502],
      [900, 100, 1, 1],
    ],
  });
  for (const [at, name] of names.entries()) expect(rows && rowOfCase(rows, at), name).toEqual(positions.get(name)?.row);
});

test('repetitions and chosen cases change nothing, and cases without rows keep none', () => {
  const positions = new Map([
    ['a', { row: { file: 'a.csv', line: 2 } }],
    ['c', { row: { file: 'a.csv', line: 4 } }],
  ]);
  const cases = [
    { caseName: 'a', sortOrder: 0 },
    { caseName: 'c', sortOrder: 2 },
  ];
  const rows = caseRowsOf([...cases, ...cases], positions);
  expect([0, 1, 2].map((at) => rows && rowOfCase(rows, at)?.line)).toEqual([2, undefined, 4]);
  expect(caseRowsOf(cases, new Map())).toBeNull();
});

test('a file whose rows all take another number of lines keeps its first ten thousand', () => {
  const names = Array.from({ length: 10_050 }, (_, at) => `case ${at}`);
  const positions = new Map(names.map((name, at) => [name, { row: { file: 'a.csv', line: 2 + at * 2 } }]));
  const rows = caseRowsOf(planned(names), positions);
  expect(rows?.stretches).toHaveLength(10_000);
  expect([9_999, 10_000].map((at) => rows && rowOfCase(rows, at)?.line)).toEqual([20_000, undefined]);
});
