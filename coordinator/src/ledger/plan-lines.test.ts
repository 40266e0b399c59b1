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
  const read = readPlanLines(writePlanLines(lines));
  expect(read.map((line) => line.map(({ contents: _contents, ...one }) => one))).toEqual(
    lines.map((line) => line.map(({ contents: _contents, ...one }: Side) => one)),
  );
  expect(read.map((line) => line.map(({ contents }) => contents))).toEqual([[[]], [[]], [withFile.contents], [[], []]]);
});

it('stores each side with all of it, as the version before does', () => {
  const { variant, setting, ...measured } = usual;
  const { shared: _shared, testRun, ...own } = side(0, usual);
  expect(JSON.parse(writePlanLines([[side(0, usual)]]))).toEqual([
    [{ ...own, variant, setting, contents: [], testRun: { ...testRun, ...measured } }],
  ]);
});
