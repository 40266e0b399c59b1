import type { TestReport, TestResult } from '@proofmark/contracts/test-report';
import type { UnmeasuredMetric } from '@proofmark/contracts/verdict';
import { plainPhrase } from '../text/phrase.ts';
import { redactText } from '../text/redact-text.ts';
import { visibleText } from '../text/visible-text.ts';
import { unmeasuredIn, unmeasuredLines } from '../verdict/unmeasured-metrics.ts';
import { reportedReasons } from './failure-reasons.ts';
import type { FailureReasons } from './report-markdown.ts';
import { placeName, placeOf } from './report-place.ts';

/** Which repetition a result is, by its position in the report. */
type Facts = ReadonlyMap<number, { repetition: number }>;

/**
 * Reports as JUnit XML, one suite per report: a test run that could not be judged is an error, a wrong answer a failure.
 * `reasons` and `facts` have those of each report, where they are known. Suites and classes are named with their cell, and
 * repetitions with their number, because tools tell tests apart by class and name alone.
 */
export function renderJunit(
  reports: readonly TestReport[],
  reasons: readonly (FailureReasons | undefined)[] = [],
  facts: readonly (Facts | undefined)[] = [],
): string {
  const suites = reports
    .map((report, index) => testSuite(report, reasons[index] ?? new Map(), facts[index] ?? new Map()))
    .join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${totals(reports).join(' ')}>\n${suites}\n</testsuites>\n`;
}

/** Some readers look no further than the root. */
function totals(reports: readonly TestReport[]): string[] {
  const sum = (of: (report: TestReport) => number): number => reports.reduce((total, report) => total + of(report), 0);
  return [
    `name="Proofmark"`,
    `tests="${sum(testsIn)}"`,
    `failures="${sum((report) => report.summary.failed - brokenIn(report))}"`,
    `errors="${sum(errorsIn)}"`,
    `skipped="${sum(({ skipped }) => skipped.length)}"`,
    `time="${seconds(sum(({ summary }) => summary.total_duration_ms))}"`,
  ];
}

const brokenIn = ({ results }: TestReport): number => results.filter((result) => result.errors.length > 0).length;

/** Readers know nothing but tests: a metric that measured nothing, or too little, is a test that could not be judged. */
const deadMetrics = (report: TestReport): UnmeasuredMetric[] =>
  unmeasuredIn(report).filter(({ isEnough }) => !isEnough);

const errorsIn = (report: TestReport): number => brokenIn(report) + deadMetrics(report).length;

const testsIn = (report: TestReport): number =>
  report.results.length + report.skipped.length + deadMetrics(report).length;

function testSuite(report: TestReport, reasons: FailureReasons, facts: Facts): string {
  const { results, summary, skipped, timestamp } = report;
  const name = placeName(report);
  const attributes = [
    `name="${xmlText(name)}"`,
    `tests="${testsIn(report)}"`,
    `failures="${summary.failed - brokenIn(report)}"`,
    `errors="${errorsIn(report)}"`,
    `skipped="${skipped.length}"`,
    `time="${seconds(summary.total_duration_ms)}"`,
    `timestamp="${xmlText(timestamp)}"`,
  ];
  const nameOf = ownNames();
  const cases = [
    ...inOrder(results, facts).map(({ result, index, repetition }) =>
      testCase(
        name,
        nameOf(result.test_name ?? '(unnamed)', repetition),
        result,
        reasons.get(index) ?? reportedReasons(result),
      ),
    ),
    ...skipped.map(({ test_name, reason }) =>
      element(name, nameOf(test_name, 1), 0, `<skipped message="${xmlText(reason)}"/>`),
    ),
    ...deadMetrics(report).map((metric) => metricCase(name, nameOf(`metric ${metric.metric}`, 1), metric)),
  ];
  return [`  <testsuite ${attributes.join(' ')}>`, properties(report), ...cases, '  </testsuite>'].join('\n');
}

interface PlacedResult {
  result: TestResult;
  index: number;
  repetition: number;
}

/** Results stand in the order in which they ended; here the repetitions of a case stand together and in theirs. */
function inOrder(results: readonly TestResult[], facts: Facts): PlacedResult[] {
  const groups = new Map<string, PlacedResult[]>();
  for (const [index, result] of results.entries()) {
    const name = result.test_name ?? '';
    const group = groups.get(name) ?? [];
    group.push({ result, index, repetition: facts.get(index)?.repetition ?? group.length + 1 });
    groups.set(name, group);
  }
  return [...groups.values()].flatMap((group) => group.toSorted((a, b) => a.repetition - b.repetition));
}

/** `Refunds`, then `Refunds #2`: as other places name repetitions, and never a name twice. */
function ownNames(): (name: string, repetition: number) => string {
  const taken = new Set<string>();
  return (name, repetition) => {
    let number = repetition;
    const numbered = () => (number === 1 ? name : `${name} #${number}`);
    while (taken.has(numbered())) number += 1;
    taken.add(numbered());
    return numbered();
  };
}

function metricCase(className: string, name: string, metric: UnmeasuredMetric): string {
  const told = xmlText(unmeasuredLines([metric]).map(plainPhrase).join(''));
  return element(className, name, 0, `<error type="not measured" message="${told}">${told}</error>`);
}

function properties(report: TestReport): string {
  const { suite, cell, variant } = placeOf(report);
  const place = Object.entries({ agent: report.agent_name, suite, cell, variant }).filter(([, value]) => value !== '');
  const missing = unmeasuredLines(unmeasuredIn(report)).map((line) => ['not_measured', plainPhrase(line)] as const);
  const known = [...place, ...missing];
  const lines = known.map(([name, value]) => `      <property name="${name}" value="${xmlText(value)}"/>`);
  return ['    <properties>', ...lines, '    </properties>'].join('\n');
}

function testCase(className: string, name: string, result: TestResult, reasons: readonly string[]): string {
  const output = result.agent_response === null ? '' : `<system-out>${xmlText(result.agent_response)}</system-out>`;
  return element(className, name, result.execution_time_ms, `${problem(result, reasons)}${output}`);
}

const element = (className: string, name: string, milliseconds: number, content: string): string =>
  `    <testcase classname="${xmlText(className)}" name="${xmlText(name)}" time="${seconds(milliseconds)}">${content}</testcase>`;

/** The first sentence is the message that lists show; everything that is known stands in the text below it. */
function problem(result: TestResult, reasons: readonly string[]): string {
  if (result.passed) return '';
  const isError = result.errors.length > 0;
  const [tag, kind] = isError ? ['error', 'error'] : ['failure', 'failed'];
  const message = (isError ? result.errors : reasons)[0] ?? kind;
  const told = reasons.length > 0 ? reasons : result.errors;
  return `<${tag} type="${kind}" message="${xmlText(message)}">${xmlText(told.join('\n'))}</${tag}>`;
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);

const illegalInXml = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;
/** The sign behind `#` as well: `##[` is a command to the log of a job. */
const markup = /[&<>"'\t\n\r]|(?<=#)#(?=\[)/g;

/** Text for an element or attribute. What XML 1.0 cannot hold becomes the text `\u0001`, what nobody sees `\u{202E}`. */
function xmlText(text: string): string {
  const legal = redactText(text).replaceAll(illegalInXml, asText);
  return visibleText(legal).replaceAll(markup, (character) => `&#${character.charCodeAt(0)};`);
}

const asText = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
