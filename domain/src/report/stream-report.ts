import { type ReportSummary, type SkippedTest, TestReport, TestResult } from '@proofmark/contracts/test-report';
import { renderJson, renderListEntry } from '../text/screen-safe-json.ts';
import { type MetricTally, metricsOf, openMetricTally, reportedUnmeasured } from '../verdict/unmeasured-metrics.ts';
import { nothingExecuted, type ReportedTestRun, type ReportInput, testResult } from './build-test-report.ts';
import { openSummary } from './summarize.ts';

/** The file of a report, made piece by piece, so that a long one is never in memory as a whole. */
export interface ReportStream {
  /** The text of one more test run. Add them in the order of the suite. */
  add: (testRun: ReportedTestRun) => string;
  /** The rest of the text. Refused when nothing was added: that must never look green. */
  end: (
    skipped: readonly SkippedTest[],
  ) => { ok: true; text: string; summary: ReportSummary } | { ok: false; reason: string };
}

/** All pieces together are the JSON of `buildTestReport`. */
export function streamReport(input: Omit<ReportInput, 'results' | 'skipped'>): ReportStream {
  const summary = openSummary();
  const metrics = openMetricTally();
  let count = 0;
  return {
    add: (testRun) => {
      const result = TestResult.parse(testResult(testRun));
      summary.add(result);
      metrics.add(testRun.caseName, metricsOf(result));
      count += 1;
      return `${count === 1 ? head(input) : ',\n'}${renderListEntry(result)}`;
    },
    end: (skipped) => {
      if (count === 0) return { ok: false, reason: nothingExecuted(skipped) };
      return {
        ok: true,
        text: `\n  ],\n${tail(input, { summary: summary.end(), skipped, metrics })}`,
        summary: summary.end(),
      };
    },
  };
}

function head({ agentName, agentConfigPath }: Pick<ReportInput, 'agentName' | 'agentConfigPath'>): string {
  const text = renderJson({ agent_name: agentName, agent_config_path: agentConfigPath });
  return `${text.slice(0, -'\n}\n'.length)},\n  "results": [\n`;
}

function tail(
  { timestamp, version, environment }: Pick<ReportInput, 'timestamp' | 'version' | 'environment'>,
  { summary, skipped, metrics }: { summary: ReportSummary; skipped: readonly SkippedTest[]; metrics: MetricTally },
): string {
  const { results: _results, agent_name: _name, agent_config_path: _path, ...rest } = TestReport.shape;
  const text = renderJson({
    summary: rest.summary.parse(summary),
    skipped: rest.skipped.parse([...skipped]),
    ...reportedUnmeasured(metrics.end(0)),
    timestamp: rest.timestamp.parse(timestamp),
    proofmark_version: rest.proofmark_version.parse(version),
    environment: rest.environment.parse({ ...environment }),
  });
  return text.slice('{\n'.length);
}
