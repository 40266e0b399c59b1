import { sumKnown } from '../results/totals.ts';
import { worstCell } from './outcome.ts';
import type { RunReport, SuiteReport } from './run-report.ts';

/** What one job found on a commit. */
export interface JobReport {
  /** The name of its check, by which jobs of one commit are told apart. */
  job: string;
  report: RunReport;
}

/**
 * What the jobs of one commit found together, as if one run had found it. There is at least one job. A suite that two of
 * them have run stands there twice, with the names of the jobs.
 */
export function mergeReports(jobs: readonly [JobReport, ...JobReport[]]): RunReport {
  const [{ report: first }] = jobs;
  if (jobs.length === 1) return first;
  const reports = jobs.map(({ report }) => report);
  const suites = suitesOf(jobs);
  const names = new Set(reports.flatMap((report) => report.suites.map(({ suiteName }) => suiteName)));
  const removed = reports.flatMap((report) => report.removedSuites ?? []);
  const durations = reports.flatMap(({ durationMs }) => durationMs ?? []);
  const invalid = reports.flatMap((report) => report.invalid ?? []);
  const unverified = reports.flatMap((report) => report.unverified ?? []);
  const isUnverified = reports.some((report) => report.unverified !== undefined);
  const savedUsd = sumKnown(reports.map((report) => report.savedUsd ?? null));
  return {
    ...first,
    ...baseOf(reports),
    pages: jobs.flatMap(({ job, report }) => (report.detailsUrl === null ? [] : [{ job, url: report.detailsUrl }])),
    suites,
    // What one job no longer has, another one may have taken over.
    removedSuites: [
      ...new Map(
        removed.filter(({ suiteName }) => !names.has(suiteName)).map((suite) => [suite.suiteName, suite]),
      ).values(),
    ],
    // They run side by side.
    durationMs: durations.length === 0 ? null : Math.max(...durations),
    costUsd: sumKnown(reports.map(({ costUsd }) => costUsd)),
    changedGates: [...new Set(reports.flatMap((report) => report.changedGates ?? []))],
    ...(isUnverified ? { unverified: [...new Set(unverified)] } : {}),
    ...(invalid.length === 0 ? {} : { invalid }),
    ...(savedUsd === null ? {} : { savedUsd }),
  };
}

/** One commit for all of them, or that of the first with a word about the others. */
function baseOf(reports: readonly RunReport[]): Pick<RunReport, 'baseSha' | 'baseLabel'> {
  const compared = reports.filter(({ baseSha }) => baseSha !== null);
  const [first] = compared;
  if (first === undefined) return { baseSha: null, baseLabel: null };
  const { baseSha, baseLabel } = first;
  if (compared.every((one) => one.baseSha === baseSha)) return { baseSha, baseLabel };
  return {
    baseSha,
    baseLabel: [...(baseLabel === null ? [] : [baseLabel]), 'some suites have another base'].join('; '),
  };
}

function suitesOf(jobs: readonly JobReport[]): SuiteReport[] {
  const all = jobs.flatMap(({ job, report }) =>
    report.suites.map((suite) => ({ job, suite: { ...suite, detailsUrl: report.detailsUrl } })),
  );
  const byName = Map.groupBy(all, ({ suite }) => suite.suiteName);
  return all.flatMap(({ job, suite }) => {
    const alike = byName.get(suite.suiteName) ?? [];
    if (alike.length === 1) return [suite];
    // What another job has run is of interest, and not that this one had no reason to.
    const affected = alike.filter((one) => worstCell(one.suite).outcome !== 'unaffected');
    const shown = affected.length === 0 ? alike.slice(0, 1) : affected;
    if (!shown.some((one) => one.suite === suite)) return [];
    return [shown.length === 1 ? suite : { ...suite, suiteName: `${suite.suiteName} (${job})` }];
  });
}
