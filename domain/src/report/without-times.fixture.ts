import type { TestReport } from '@proofmark/contracts/test-report';

/** A report as it must be again when the same scripted suite runs again, here or elsewhere: without times and places. */
export function withoutTimes(report: TestReport): object {
  const { timestamp: _generated, environment: _place, results, summary, ...rest } = report;
  const { total_duration_ms: _total, ...counts } = summary;
  return { ...rest, summary: counts, results: results.map(resultWithoutTimes) };
}

function resultWithoutTimes(result: TestReport['results'][number]): object {
  const { timestamp: _started, execution_time_ms: _time, metric_results, processed_files, ...rest } = result;
  return {
    ...rest,
    metric_results: metric_results.map(({ evaluation_time_ms: _evaluation, ...metric }) => metric),
    processed_files: processed_files.map(({ processing_time_ms: _processing, cached_path: _path, ...file }) => file),
  };
}
