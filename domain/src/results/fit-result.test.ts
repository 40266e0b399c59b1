import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { ResultMessage, TestRunResult } from '@proofmark/contracts/result-message';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitResult as fitWithin } from './fit-result.ts';
import { totalCostUsd } from './totals.ts';
import { largeOnesOf, type Schema, valuesOf } from './values-of-schema.fixture.ts';

const largestResultBytes = 512 * 1024;
const fitResult = (result: TestRunResult) => fitWithin(result, largestResultBytes);

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const outcome = CaseOutcome.parse({
  ...{ status: 'passed', errorKind: null, errorMessage: null, testInput: 'When?', response: 'From 9 to 17' },
  ...{ executionTimeMs: 5, startedAt: '2026-01-31T12:00:00.000Z' },
  transcript: [
    { role: 'user', text: 'When?' },
    { role: 'agent', text: 'From 9 to 17' },
  ],
});
const result = { chunkId: id(1), at: 0, attempt: 1, outcome };

const file = (characters: number) => ({
  original: { path: 'a.pdf', type: 'pdf' as const },
  markdown_content: 'x'.repeat(characters),
  metadata: { pages: 3 },
  cached_path: null,
  processing_time_ms: 1,
  error: null,
});

/** The result as the coordinator reads it. */
function read(json: string) {
  const message = {
    v: 1,
    kind: 'results',
    tenantId: id(3),
    runId: id(4),
    sessionId: id(5),
    results: [JSON.parse(json)],
  };
  return ResultMessage.parse(message).results[0]?.outcome;
}

test('a result that fits is sent as it is', () => {
  const fitted = fitResult({ ...result, outcome: { ...outcome, files: [file(10_000)] } });

  expect(read(fitted)).toMatchObject({ flags: [], files: [{ markdown_content: 'x'.repeat(10_000) }] });
});

test('what nobody has set is not sent, and whoever reads the result fills it in again', () => {
  const fitted = fitResult(result);

  expect(Object.keys(JSON.parse(fitted).outcome)).toEqual([
    ...['status', 'errorKind', 'errorMessage', 'testInput', 'response', 'transcript', 'executionTimeMs', 'startedAt'],
  ]);
  expect(read(fitted)).toEqual(outcome);
});

test.each([
  ['no problem with a tool that had to be called', { tools: { matched: true, problems: [] } }],
  ['a problem alone', { tools: { matched: null, problems: ['never called'] } }],
  ['a price of nothing', { costUsd: 0, latencyMs: 0 }],
  ['a retry, a flag and a cut', { retryCount: 1, flags: ['evidence_cut'], truncated: true, degraded: true }],
])('%s is sent', (_what, told) => {
  expect(read(fitResult({ ...result, outcome: { ...outcome, ...told } }))).toEqual({ ...outcome, ...told });
});

test('the text of files is cut before anything else, and the cut is shown', () => {
  const fitted = fitResult({ ...result, outcome: { ...outcome, files: [file(300_000), file(300_000), file(5)] } });

  expect(Buffer.byteLength(fitted)).toBeLessThan(largestResultBytes);
  expect(read(fitted)).toMatchObject({
    flags: ['evidence_cut'],
    transcript: outcome.transcript,
    files: [
      { markdown_content: 'x'.repeat(2_000), metadata: { pages: 3, truncated: true } },
      { metadata: { truncated: true } },
      { markdown_content: 'xxxxx', metadata: { pages: 3 } },
    ],
  });
});

test('long turns are kept whole while they fit, and cut before the transcript goes', () => {
  const turn = (characters: number) => ({ role: 'agent' as const, text: 'y'.repeat(characters) });
  const sent = (transcript: ReturnType<typeof turn>[]) =>
    read(fitResult({ ...result, outcome: { ...outcome, transcript } }));
  expect(sent([turn(300_000)])).toMatchObject({ flags: [], transcript: [turn(300_000)] });
  expect(sent([turn(300_000), turn(300_000)])).toMatchObject({
    flags: ['evidence_cut'],
    transcript: [turn(20_000), turn(20_000)],
  });
});

test('a transcript too large for a message is left out, the verdict stays whole', () => {
  const turns = Array.from({ length: 40 }, () => ({ role: 'agent' as const, text: 'y'.repeat(20_000) }));

  expect(read(fitResult({ ...result, outcome: { ...outcome, transcript: turns } }))).toMatchObject({
    status: outcome.status,
    transcript: [],
    flags: ['evidence_cut'],
  });
});

test('answers of simulated tools go last, and how the mocks were used stays', () => {
  const recorded = Array.from({ length: 40 }, (_, index) => ({
    ...{ key: String(index).padStart(64, '0'), tool: 'search', args: {}, result: 'z'.repeat(19_000) },
  }));
  const mocks = { unusedEntries: [1], unmatchedCalls: ['refund'] };
  const sent = (entries: typeof recorded) =>
    read(fitResult({ ...result, outcome: { ...outcome, mocks: { ...mocks, recorded: entries } } }));

  expect(sent(recorded.slice(0, 10))?.mocks?.recorded).toHaveLength(10);
  expect(sent(recorded)).toMatchObject({ status: outcome.status, flags: ['evidence_cut'] });
  expect(sent(recorded)?.mocks).toEqual(mocks);
});

const call = {
  ...{ id: 'call_1', name: 'search', args: {}, argsError: null, result: null, error: null },
  ...{ source: 'reported' as const, turn: 0, durationMs: 1 },
};
const huge = 'z'.repeat(1_200_000);

test.each([
  ['the name of a tool', { toolCalls: [{ ...call, name: huge }] }],
  ['the id of a call', { toolCalls: [{ ...call, id: huge }] }],
  ['what was wrong with the arguments', { toolCalls: [{ ...call, argsError: huge }] }],
  ['the name of the model', { model: huge }],
  ['an error', { status: 'error' as const, errorKind: 'agent' as const, errorMessage: huge }],
  ['the input', { testInput: huge }],
  ['a problem with tools', { tools: { matched: false, problems: [huge] } }],
])('%s that is longer than a message is cut, and the verdict stays', (_what, changes) => {
  const fitted = fitResult({ ...result, outcome: { ...outcome, ...changes } });

  expect(Buffer.byteLength(fitted)).toBeLessThanOrEqual(largestResultBytes);
  const { status = 'passed' }: Partial<CaseOutcome> = changes;
  expect(read(fitted)).toMatchObject({ status, flags: ['evidence_cut'] });
});

test('a result of which nothing more can go becomes an error that says so and tells what it cost', () => {
  const checks = Array.from({ length: 20_000 }, (_, checkIndex) => ({
    ...{ checkIndex, checkType: 'contains_phrases', status: 'pass' as const, passed: true, details: {}, error: null },
  }));
  const measuring = [{ role: 'judge' as const, calls: 2, usage: null, costUsd: 0.5 }];
  const fitted = fitResult({ ...result, outcome: { ...outcome, checks, costUsd: 0.25, measuring } });

  expect(read(fitted)).toMatchObject({
    ...{ status: 'error', errorKind: 'limit', costUsd: 0.75, flags: ['evidence_cut'] },
    errorMessage: 'Result too large: more than 524288 bytes, also without its evidence',
  });
});

test('no character is cut in half', () => {
  const fitted = fitResult({ ...result, outcome: { ...outcome, model: `x${'😀'.repeat(600_000)}` } });

  expect(read(fitted)?.model?.isWellFormed()).toBe(true);
});

test('a conversation that is longer than the longest string is cut, too', () => {
  const turn = { role: 'agent' as const, text: 'y'.repeat(8_000_000) };
  const transcript = Array.from({ length: 80 }, () => turn);

  expect(read(fitResult({ ...result, outcome: { ...outcome, transcript } }))).toMatchObject({
    ...{ status: 'passed', transcript: [], flags: ['evidence_cut'] },
  });
});

test('F32 whatever an outcome may hold, it fits, is read again, and its test run and its cost stay', () => {
  const schema = CaseOutcome as unknown as Schema; // zod's own types hide what a definition holds
  const anyOutcome = valuesOf(schema, { longest: 6_000 });
  const budgets = fc.constantFrom(4_096, 65_536, largestResultBytes);
  fc.assert(
    fc.property(anyOutcome, budgets, (any, mostBytes) => {
      const written = TestRunResult.parse({ ...result, outcome: any });
      const fitted = fitWithin(written, mostBytes);
      expect(Buffer.byteLength(fitted)).toBeLessThanOrEqual(mostBytes);
      const { outcome: kept, ...ids } = TestRunResult.parse(JSON.parse(fitted));
      expect(ids).toEqual({ chunkId: id(1), at: 0, attempt: 1 });
      expect(totalCostUsd(kept)).toBe(totalCostUsd(written.outcome));
    }),
    { numRuns: 500 },
  );
});

const schemaOfOutcome = CaseOutcome as unknown as Schema; // zod's own types hide what a definition holds
const completed = { status: 'passed', testInput: 'When?', response: 'From 9 to 17' };
const broken = { status: 'error', errorKind: 'agent', errorMessage: 'broken' };
const large = largeOnesOf(schemaOfOutcome).flatMap(({ path, value }) => {
  const taken = [completed, broken].map((base) => CaseOutcome.safeParse({ ...base, ...(value as object) })); // outcomes are objects
  return taken.flatMap(({ data }) => (data === undefined ? [] : [{ path, outcome: data }])).slice(0, 1);
});

test('every text and every list that an outcome may hold is tried alone', () => {
  const paths = largeOnesOf(schemaOfOutcome).map(({ path }) => path);
  // The states that a test run goes through are few by their own rule.
  expect(paths.filter((path) => !large.some((one) => one.path === path))).toEqual(['.progress[]']);
  expect(paths.length).toBeGreaterThan(60);
});

test.each(large)('F32 $path may be larger than a message', ({ outcome: any }) => {
  const fitted = fitResult({ ...result, outcome: any });
  expect(Buffer.byteLength(fitted)).toBeLessThanOrEqual(largestResultBytes);
  expect(totalCostUsd(TestRunResult.parse(JSON.parse(fitted)).outcome)).toBe(totalCostUsd(any));
});
