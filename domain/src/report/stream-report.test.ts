import { expect, test } from 'vitest';
import { renderJson } from '../text/screen-safe-json.ts';
import { buildTestReport, type ReportedTestRun } from './build-test-report.ts';
import { sampleTestRuns } from './sample-test-run.fixture.ts';
import { streamReport } from './stream-report.ts';

const head = {
  agentName: 'Agent\n"x"',
  agentConfigPath: 'a.agent.yaml',
  timestamp: '2025-11-01T14:35:00Z',
  version: '0.1.0',
  environment: { node: 'v24' },
};
const skipped = [{ test_name: 'Draft', reason: 'draft' }];

function streamed(results: readonly ReportedTestRun[]): string {
  const stream = streamReport(head);
  const pieces = results.map(stream.add);
  const end = stream.end(skipped);
  return `${pieces.join('')}${end.ok ? end.text : ''}`;
}

test('the pieces of a report are the report, whatever its texts hold', () => {
  const results = sampleTestRuns([
    { name: 'a\n    b', outcome: { response: '{\n  "x": [\n' } },
    { outcome: { status: 'failed', response: '' } },
    { outcome: { status: 'error', errorKind: 'agent', errorMessage: 'down', response: null } },
  ]);
  const built = buildTestReport({ ...head, results, skipped });
  expect(built.ok && streamed(results)).toBe(built.ok && renderJson(built.report));
  const one = buildTestReport({ ...head, results: results.slice(0, 1), skipped });
  expect(one.ok && streamed(results.slice(0, 1))).toBe(one.ok && renderJson(one.report));
});

test('a report of nothing is refused with the reason', () => {
  expect(streamReport(head).end(skipped)).toEqual({
    ok: false,
    reason: 'No case was executed, so there is nothing to report: 1 skipped (draft)',
  });
});
