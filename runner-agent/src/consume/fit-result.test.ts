import { ResultMessage } from '@proofmark/contracts/result-message';
import { expect, test } from 'vitest';
import { aCase, casePorts } from '../case/a-case.fixture.ts';
import { runCase } from '../run-case/run-case.ts';
import { fitResult, largestResultBytes } from './fit-result.ts';

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const outcome = await runCase(aCase(), casePorts(), new AbortController().signal);
const result = { testRunId: id(1), suiteRunId: id(2), attempt: 1, outcome };

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
