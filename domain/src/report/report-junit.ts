import type { TestReport, TestResult } from '@proofmark/contracts/test-report';
import { redactText } from './redact-text.ts';
import type { FailureReasons } from './report-markdown.ts';

/**
 * Reports as JUnit XML, one suite per report: a test run that could not be judged is an error, a wrong answer a failure.
 * `reasons` has those of each report, where they are known.
 */
export function renderJunit(
  reports: readonly TestReport[],
  reasons: readonly (FailureReasons | undefined)[] = [],
): string {
  const suites = reports.map((report, index) => testSuite(report, reasons[index] ?? new Map())).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites}\n</testsuites>\n`;
}

function testSuite({ agent_name, results, summary, skipped, timestamp }: TestReport, reasons: FailureReasons): string {
  const errors = results.filter((result) => result.errors.length > 0).length;
  const attributes = [
    `name="${xmlText(agent_name)}"`,
    `tests="${results.length + skipped.length}"`,
    `failures="${summary.failed - errors}"`,
    `errors="${errors}"`,
    `skipped="${skipped.length}"`,
    `time="${seconds(summary.total_duration_ms)}"`,
    `timestamp="${xmlText(timestamp)}"`,
  ];
  const cases = [
    ...results.map((result, index) => testCase(agent_name, result, reasons.get(index) ?? whatFailed(result))),
    ...skipped.map(({ test_name, reason }) =>
      element(agent_name, test_name, 0, `<skipped message="${xmlText(reason)}"/>`),
    ),
  ];
  return [`  <testsuite ${attributes.join(' ')}>`, ...cases, '  </testsuite>'].join('\n');
}

function testCase(agentName: string, result: TestResult, reasons: readonly string[]): string {
  const output = result.agent_response === null ? '' : `<system-out>${xmlText(result.agent_response)}</system-out>`;
  return element(
    agentName,
    result.test_name ?? '(unnamed)',
    result.execution_time_ms,
    `${problem(result, reasons)}${output}`,
  );
}

const element = (agentName: string, name: string, milliseconds: number, content: string): string =>
  `    <testcase classname="${xmlText(agentName)}" name="${xmlText(name)}" time="${seconds(milliseconds)}">${content}</testcase>`;

function problem(result: TestResult, reasons: readonly string[]): string {
  if (result.passed) return '';
  if (result.errors.length > 0) return `<error message="${xmlText(result.errors.join('; '))}"/>`;
  return `<failure message="${xmlText(reasons.join('; '))}"/>`;
}

function whatFailed({ metric_results, tools_matched }: TestResult): string[] {
  const metrics = metric_results
    .filter((metric) => !metric.passed && metric.score !== null)
    .map(
      (metric) =>
        `${metric.metric_name} ${metric.score}${metric.threshold === null ? '' : `, needed ${metric.threshold}`}`,
    );
  return tools_matched === false ? ['tools did not match', ...metrics] : metrics;
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);

const illegalInXml = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;
const markup = /[&<>"'\t\n\r]/g;

/** Text for an element or attribute; what XML 1.0 cannot hold becomes the text `\u0001`. */
function xmlText(text: string): string {
  return redactText(text)
    .replaceAll(illegalInXml, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll(markup, (character) => `&#${character.charCodeAt(0)};`);
}
