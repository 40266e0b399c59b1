import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CoordinatorClient } from '@proofmark/client/coordinator-client';
import { refused } from '@proofmark/client/send-operation';
import { expect, test } from 'vitest';
import { makeScratchDirectory } from '../../../tests/stack/scratch-directory.ts';
import { keepResult } from './keep-result.ts';

const runId = '6f1f7a52-5c43-4a5e-9d0b-2f7f6d8d0a11';

type Asked = Pick<CoordinatorClient, 'runResult' | 'suiteRunResult' | 'suiteRunTestRuns'>;

const suiteRun = {
  ...{ id: runId, suiteName: 'Hours', suitePath: 'hours.suite.yaml', agentName: 'Desk', cellKey: '' },
  ...{ variant: 'head', purpose: 'first', status: 'completed', verdict: null, failureReason: null },
  ...{ totalCases: 3, passedCases: 2, failedCases: 1, erroredCases: 0, skippedCases: 0 },
};

/** A coordinator whose run has one suite run, of which it says no report. */
const withoutReport = (code: string): Asked =>
  ({
    runResult: async () => ({ ok: true, answer: { id: runId, status: 'completed', suiteRuns: [suiteRun] } }),
    suiteRunResult: async () => refused(code, 'Ask for a download.'),
    suiteRunTestRuns: async () => ({ ok: true, answer: null }),
  }) as unknown as Asked; // the parts that are read

async function kept(code: string) {
  const resultsDirectory = await makeScratchDirectory('kept');
  const ports = { client: withoutReport(code), version: '1.0.0', runUrl: 'https://proofmark.example' };
  return await keepResult({ ...ports, runId, suites: [], resultsDirectory });
}

test('a report that is too long to be read is told, and costs neither the verdict nor the rest', async () => {
  const found = await kept('QUERY_TOO_COMPLEX');
  expect(found).toMatchObject({
    ok: true,
    answer: {
      incomplete: ['No report is kept of Hours: Ask for a download.'],
      suiteRuns: [{ suiteName: 'Hours', totals: { passed: 2, failed: 1 }, report: { ok: false } }],
    },
  });
  if (!found.ok || found.answer === null) throw new Error('kept above');
  const file = JSON.parse(await readFile(join(found.answer.folder, 'run.json'), 'utf8'));
  expect(file.suite_runs).toHaveLength(1);
});

test('a coordinator that refuses anything else is not read on', async () => {
  expect(await kept('FORBIDDEN')).toMatchObject({ ok: false, error: { code: 'FORBIDDEN' } });
});
