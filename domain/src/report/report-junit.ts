import type { SkippedTest, TestReport, TestResult } from '@proofmark/contracts/test-report';
import type { UnmeasuredMetric } from '@proofmark/contracts/verdict';
import { plainPhrase } from '../text/phrase.ts';
import { redactText } from '../text/redact-text.ts';
import { visibleText } from '../text/visible-text.ts';
import { unmeasuredIn, unmeasuredLines } from '../verdict/unmeasured-metrics.ts';
import { placeName, placeOf } from './build-test-report.ts';
import { reportedReasons } from './failure-reasons.ts';
import type { FailureReasons } from './report-markdown.ts';

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
    .join('');
  return `${junitStart(addCounts(reports.map(countsOf)))}${suites}${junitEnd}`;
}

/** What the head of a suite, or of all suites, tells before its tests. */
export interface JunitCounts {
  tests: number;
  failures: number;
  errors: number;
  skipped: number;
  durationMs: number;
}

/** The head of a file of suites; some readers look no further. With its suites and `junitEnd` it is made piece by piece. */
export const junitStart = (totals: JunitCounts): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="Proofmark" ${written(totals).join(' ')}>\n`;

export const junitEnd = '</testsuites>\n';

const written = ({ tests, failures, errors, skipped, durationMs }: JunitCounts): string[] => [
  `tests="${tests}"`,
  `failures="${failures}"`,
  `errors="${errors}"`,
  `skipped="${skipped}"`,
  `time="${seconds(durationMs)}"`,
];

const brokenIn = ({ results }: TestReport): number => results.filter((result) => result.errors.length > 0).length;

/** Readers know nothing but tests: a metric that measured nothing, or too little, is a test that could not be judged. */
export const deadMetrics = (unmeasured: readonly UnmeasuredMetric[]): UnmeasuredMetric[] =>
  unmeasured.filter(({ isEnough }) => !isEnough);

function countsOf(report: TestReport): JunitCounts {
  const { results, summary, skipped } = report;
  const dead = deadMetrics(unmeasuredIn(report)).length;
  return {
    tests: results.length + skipped.length + dead,
    failures: summary.failed - brokenIn(report),
    errors: brokenIn(report) + dead,
    skipped: skipped.length,
    durationMs: summary.total_duration_ms,
  };
}

/** The sums of several suites. */
export function addCounts(all: readonly JunitCounts[]): JunitCounts {
  const sum = (of: keyof JunitCounts): number => all.reduce((total, counts) => total + counts[of], 0);
  return {
    ...{ tests: sum('tests'), failures: sum('failures'), errors: sum('errors') },
    ...{ skipped: sum('skipped'), durationMs: sum('durationMs') },
  };
}

/** One suite, made piece by piece: its head, its tests one by one, and its end. */
export interface JunitSuite {
  start: string;
  add: (result: TestResult, repetition: number, reasons: readonly string[]) => string;
  addSkipped: (skipped: SkippedTest) => string;
  end: () => string;
}

export function junitSuite(
  report: Pick<TestReport, 'agent_name' | 'environment' | 'timestamp'>,
  counts: JunitCounts,
  unmeasured: readonly UnmeasuredMetric[],
): JunitSuite {
  const name = placeName(report);
  const attributes = [`name="${xmlText(name)}"`, ...written(counts), `timestamp="${xmlText(report.timestamp)}"`];
  const nameOf = ownNames();
  return {
    start: `  <testsuite ${attributes.join(' ')}>\n${properties(report, unmeasured)}\n`,
    add: (result, repetition, reasons) =>
      `${testCase(name, nameOf(result.test_name ?? '(unnamed)', repetition), result, reasons)}\n`,
    addSkipped: ({ test_name, reason }) =>
      `${element(name, nameOf(test_name, 1), 0, `<skipped message="${xmlText(reason)}"/>`)}\n`,
    end: () =>
      `${deadMetrics(unmeasured)
        .map((metric) => `${metricCase(name, nameOf(`metric ${metric.metric}`, 1), metric)}\n`)
        .join('')}  </testsuite>\n`,
  };
}

function testSuite(report: TestReport, reasons: FailureReasons, facts: Facts): string {
  const suite = junitSuite(report, countsOf(report), unmeasuredIn(report));
  const cases = inOrder(report.results, facts).map(({ result, index, repetition }) =>
    suite.add(result, repetition, reasons.get(index) ?? reportedReasons(result)),
  );
  return [suite.start, ...cases, ...report.skipped.map(suite.addSkipped), suite.end()].join('');
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

function properties(
  report: Pick<TestReport, 'agent_name' | 'environment'>,
  unmeasured: readonly UnmeasuredMetric[],
): string {
  const { suite, cell, variant } = placeOf(report);
  const place = Object.entries({ agent: report.agent_name, suite, cell, variant }).filter(([, value]) => value !== '');
  const missing = unmeasuredLines([...unmeasured]).map((line) => ['not_measured', plainPhrase(line)] as const);
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
