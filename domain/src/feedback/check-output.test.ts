import { expect, test } from 'vitest';
import { suiteButtons, suiteCheck } from './check-output.ts';
import type { CellReport, SuiteReport } from './run-report.ts';
import { broken, good, sampleCell, sampleRunReport, sampleSuiteReport } from './sample-run-report.fixture.ts';

const sample: SuiteReport = sampleSuiteReport('Support', sampleCell(good, broken));

function buttonsOf(changes: Partial<CellReport>, verdict: object = {}): string[] {
  const [cell] = sample.cells;
  if (cell?.verdict == null) throw new Error('the sample has a judged cell');
  const suite: SuiteReport = { ...sample, cells: [{ ...cell, verdict: { ...cell.verdict, ...verdict }, ...changes }] };
  return suiteButtons(suite).map(({ identifier }) => identifier);
}

const baseline = { rung: 1, label: 'merge base' };
const suspicion = { word: 'suspected', reason: null, confirmation: null, baseline };
const noCases = { cases: [] };

test('a suspicion can be confirmed once, and not against a base that proves nothing (3.3)', () => {
  expect(buttonsOf(noCases, suspicion)).toEqual(['confirm', 'rerun_baseline']);
  expect(buttonsOf(noCases, { ...suspicion, reason: 'old_base' })).toEqual(['rerun_baseline']);
  expect(buttonsOf(noCases, { ...suspicion, confirmation: { isConfirmed: false } })).toEqual(['rerun_baseline']);
});

test('failed cases can run again wherever there are some, and the base where it was compared and not found fine', () => {
  const failed = sample.cells.flatMap(({ cases }) => cases).find(({ firstFailure }) => firstFailure !== null);
  if (failed === undefined) throw new Error('the sample has a failed case');
  expect(buttonsOf({ cases: [failed] }, { word: 'unchanged', baseline })).toEqual(['rerun_failed']);
  expect(buttonsOf(noCases, { word: 'regressed', baseline })).toEqual(['rerun_baseline']);
  expect(buttonsOf(noCases, { word: 'no-baseline', baseline: null })).toEqual([]);
});

test('a check that is running has none, and no text is longer than GitHub takes', () => {
  expect(buttonsOf({ conclusion: null }, suspicion)).toEqual([]);
  for (const { label, description, identifier } of suiteButtons(sample)) {
    expect(label.length).toBeLessThanOrEqual(20);
    expect(description.length).toBeLessThanOrEqual(40);
    expect(identifier.length).toBeLessThanOrEqual(20);
  }
});

test('a text that is too long is cut after a line, ends what that line stands in, and leads to the rest (3.3)', () => {
  const names = Array.from({ length: 30 }, (_, at) => `Case ${at}`);
  const cell = sampleCell(
    Object.fromEntries(names.map((name) => [name, 3])),
    Object.fromEntries(names.map((name) => [name, 0])),
  );
  const headAnswer = 'Öffnungszeiten: werktags, und '.repeat(3).concat('\n').repeat(40);
  const cases = cell.cases.map((one) => ({ ...one, headAnswer }));
  const { text } = suiteCheck(sampleRunReport([]), sampleSuiteReport('Support', { ...cell, cases }));
  expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(64_000);
  expect(text).toMatch(
    /\n```\n\n<\/details>\n\n… cut here, \[the full report\]\(https:\/\/proofmark\.example\.com\/runs\/run-1\) has the rest$/,
  );
  expect((text.match(/^```/gm) ?? []).length % 2).toBe(0);
  expect(text.match(/<details>/g)).toHaveLength(text.match(/<\/details>/g)?.length ?? 0);
});

test('of many cells the worst come first, and no more than 30 (3.9)', () => {
  const cells = Array.from({ length: 32 }, (_, at) =>
    sampleCell(good, at === 31 ? broken : good, { cellKey: `Model=m${at}` }),
  );
  const [, , first, ...rest] = suiteCheck(sampleRunReport([]), sampleSuiteReport('Support', ...cells)).summary.split(
    '\n',
  );
  expect(first).toMatch(/^\| <code>Model&#61;m31<\/code> .*\*\*regressed\*\*/);
  expect(rest[29]).toBe('| +2 more | | | | |');
});
