import { expect, it } from 'vitest';
import { type PlannedLine, readPlanLines, writePlanLines } from './plan-lines.ts';

type Side = PlannedLine[number];

const shared = (setting: string, temperature: number): Side['shared'] => ({
  ...{ variant: 'head', setting, instrumentHash: 'how it is measured' },
  resolvedVariables: { values: { Temperature: temperature }, sources: { Temperature: 'type' } },
});

const side = (sortOrder: number, of: Side['shared']): Side => ({
  ...{ suiteRunId: 'suite run', testCaseId: `case ${sortOrder}`, line: null, shared: of, first: 1, last: 3 },
  testRun: { caseName: `Case ${sortOrder}`, sortOrder, caseKey: `key ${sortOrder}`, caseHash: `hash ${sortOrder}` },
  case: { hash: `content ${sortOrder}`, json: `{"case":${sortOrder}}` },
});

const usual = shared('a', 0);

it('reads back the lines that it has written', () => {
  const candidate = { ...shared('b', 1), variant: 'candidate' as const };
  const withFile = { ...side(3, usual), contents: [{ path: 'a.pdf', sha256: 'f00' }] };
  const lines = [[side(0, usual)], [side(1, usual)], [withFile], [side(4, usual), side(4, candidate)]];
  expect(readPlanLines(writePlanLines(lines))).toEqual(lines);
});

it('stores what sides share once, and reads it back as one', () => {
  const other = shared('b', 1);
  const text = writePlanLines([[side(0, usual)], [side(1, other)], [side(2, usual)], [side(3, other), side(3, usual)]]);
  expect(text.split(usual.instrumentHash)).toHaveLength(3);
  const read = readPlanLines(text).map((line) => line.map((one) => one.shared));
  expect(read).toEqual([[usual], [other], [usual], [other, usual]]);
  expect(new Set(read.flat()).size).toBe(2);
});

it('reads what coordinators stored before, each side with all that it shares', () => {
  const { shared: of, testRun, ...own } = side(0, usual);
  const { variant, setting, ...measured } = of;
  const before = JSON.stringify([[{ ...own, variant, setting, contents: [], testRun: { ...testRun, ...measured } }]]);
  expect(readPlanLines(before)).toEqual([[{ ...side(0, usual), contents: [] }]]);
});
