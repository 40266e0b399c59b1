import type { MetricResult } from '@proofmark/contracts/case-outcome';
import { gateDefaults } from '@proofmark/contracts/gate';
import type { TestReport, TestResult } from '@proofmark/contracts/test-report';
import type { Phrase, UnmeasuredMetric } from '@proofmark/contracts/verdict';
import { mostNames } from '../text/phrase.ts';
import { isBehavior } from './behavior-metrics.ts';

/** A metric that a test run was to be measured by: why it has no score, null where it has one. */
export interface TriedMetric {
  name: string;
  error: string | null;
}

const mostReasonUnits = 200;
/** So many different reasons of one metric are counted: those that came first, which the most common one is among. */
const mostReasons = 100;

/** As much of an error as is kept in memory of each test run. */
const keptCharacters = 500;

export const triedMetrics = (metrics: readonly Pick<MetricResult, 'metric_name' | 'error'>[]): TriedMetric[] =>
  metrics.map(({ metric_name: name, error }) => ({ name, error: error?.slice(0, keptCharacters) ?? null }));

interface Tally {
  measured: number;
  failed: number;
  notApplicable: number;
  /** By case: whether it was measured at least once. */
  cases: Map<string, boolean>;
  reasons: Map<string, number>;
}

/** Counts over test runs that come one after another which metrics gave no measure, and why. */
export interface MetricTally {
  add: (caseName: string, metrics: readonly TriedMetric[]) => void;
  /** How many metrics there are. */
  count: () => number;
  /**
   * Those that are missing anywhere, in the order in which they came. Enough is what was measured in this share of its
   * cases. Where there was nothing to rate nothing is missing, unless there was nothing to rate anywhere.
   */
  end: (minCoveragePercent: number) => UnmeasuredMetric[];
}

export function openMetricTally(): MetricTally {
  const tallies = new Map<string, Tally>();
  return {
    add: (caseName, metrics) => {
      for (const { name, error } of metrics) {
        const tally = tallies.get(name) ?? {
          ...{ measured: 0, failed: 0, notApplicable: 0, cases: new Map(), reasons: new Map() },
        };
        tallies.set(name, tally);
        count(tally, caseName, error);
      }
    },
    count: () => tallies.size,
    end: (minCoveragePercent) =>
      [...tallies].flatMap(([metric, tally]) => {
        const { measured, failed, notApplicable } = tally;
        if (failed === 0 && measured > 0) return [];
        const wanted = measured === 0 ? failed + notApplicable : measured + failed;
        const isEnough = measured > 0 && coverage(tally) * 100 >= minCoveragePercent - 1e-9;
        return [{ metric, measured, wanted, reason: mostCommon(tally.reasons), isEnough }];
      }),
  };
}

function count(tally: Tally, caseName: string, given: string | null): void {
  if (given === null) {
    tally.measured += 1;
    tally.cases.set(caseName, true);
    return;
  }
  const error = oneLine(given);
  if (tally.reasons.has(error) || tally.reasons.size < mostReasons) {
    tally.reasons.set(error, (tally.reasons.get(error) ?? 0) + 1);
  }
  if (isNothingToRate(error)) tally.notApplicable += 1;
  else {
    tally.failed += 1;
    tally.cases.set(caseName, tally.cases.get(caseName) ?? false);
  }
}

/** There was nothing that the metric could be about, so nothing is missing. */
export const isNothingToRate = (error: string): boolean => error.startsWith('not_applicable');

const coverage = ({ cases }: Tally): number => [...cases.values()].filter(Boolean).length / cases.size;

const mostCommon = (reasons: ReadonlyMap<string, number>): string =>
  [...reasons].reduce((best, one) => (one[1] > best[1] ? one : best), ['unknown', 0])[0];

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > mostReasonUnits ? `${line.slice(0, mostReasonUnits - 1)}…` : line;
}

/** Which metrics a report lacks, whoever made the report. No gate is known here, so enough is what one asks for by default. */
export function unmeasuredIn({ results }: Pick<TestReport, 'results'>): UnmeasuredMetric[] {
  const tally = openMetricTally();
  for (const result of results) tally.add(result.test_name ?? result.test_input, metricsOf(result));
  return tally.end(gateDefaults.min_coverage_percent);
}

/** What a report file says of them; nothing where every metric was measured. */
export function reportedUnmeasured(metrics: readonly UnmeasuredMetric[]): Pick<TestReport, 'not_measured'> {
  if (metrics.length === 0) return {};
  return {
    not_measured: metrics.map(({ metric, measured, wanted, reason }) => ({
      ...{ metric_name: metric, measured, test_runs: wanted, reason },
    })),
  };
}

/** Without the checks of the case, which a report shows like metrics: without them a test run has no result at all. */
export const metricsOf = ({ metric_results: metrics }: Pick<TestResult, 'metric_results'>): TriedMetric[] =>
  triedMetrics(metrics.filter(({ metric_name: name }) => !isBehavior(name)));

/** A sentence for each metric that gave no measure, of many the first ones: the same on every surface. */
export function unmeasuredLines(metrics: readonly UnmeasuredMetric[]): Phrase[] {
  const shown = metrics.slice(0, mostNames).map(unmeasuredLine);
  const more = metrics.length - shown.length;
  return more > 0 ? [...shown, [`And ${more} more metrics were not measured everywhere.`]] : shown;
}

function unmeasuredLine({ metric, measured, wanted, reason }: UnmeasuredMetric): Phrase {
  const none = wanted === 1 ? 'in the one test run' : `in any of ${wanted} test runs`;
  const how = measured === 0 ? `was not measured ${none}` : `was measured in ${measured} of ${wanted} test runs only`;
  return ['The metric ', { code: metric }, ` ${how}: `, { code: reason }, '.'];
}
