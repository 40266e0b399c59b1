import { parseJson } from '@proofmark/contracts/parse-json';
import { type ShapeProblem, shapeProblems } from '@proofmark/contracts/shape-problems';
import { type ReportSummary, TestReport } from '@proofmark/contracts/test-report';

import { summarize } from './summarize.ts';

export type ParsedReports = { ok: true; reports: TestReport[] } | { ok: false; problems: ShapeProblem[] };

/** The reports of a JSON file. */
export function parseReports(text: string): ParsedReports {
  const value = parseJson(text);
  if (value === undefined) {
    return { ok: false, problems: [{ path: '', code: 'parse_error', message: 'the file is not JSON' }] };
  }
  return reportsOf(value);
}

/**
 * The reports of a report document: one object, or a list of them. The seed's own name for the version is read too. A
 * summary is computed from the results: one that says something else is refused, and no stored number is passed on.
 */
export function reportsOf(value: unknown): ParsedReports {
  const documents = (Array.isArray(value) ? value : [value]).map(withVersionName);
  if (documents.length === 0) {
    return { ok: false, problems: [{ path: '', code: 'too_short', message: 'the file has no report' }] };
  }
  const problems = documents.flatMap((document) => shapeProblems(TestReport, document));
  if (problems.length > 0) return { ok: false, problems };
  const read = documents.map((document) => TestReport.parse(document));
  const reports = read.map((report) => ({ ...report, summary: summarize(report.results) }));
  const contradictions = read.flatMap(({ summary }, at) => contradictionsOf(summary, reports[at]?.summary ?? summary));
  return contradictions.length > 0 ? { ok: false, problems: contradictions } : { ok: true, reports };
}

/** Other tools round. */
const ROUNDING = 0.005;

/** What a stored summary says and its results do not. */
function contradictionsOf(stored: ReportSummary, computed: ReportSummary): ShapeProblem[] {
  const compared = [
    ...(['passed', 'failed', 'pass_rate', 'total_duration_ms'] as const).map((key) => [
      key,
      stored[key],
      computed[key],
    ]),
    ...compareMaps('metrics_evaluated', stored, computed),
    ...compareMaps('average_scores', stored, computed),
  ] as const;
  return compared.flatMap(([path, said, is]) =>
    said === is || Math.abs(Number(said) - Number(is)) <= ROUNDING
      ? []
      : [
          {
            path: `summary.${path}`,
            code: 'mismatch',
            message: `says ${said}, and the results come to ${is ?? 'none'}`,
          },
        ],
  );
}

type Compared = readonly [path: string, said: number | null, is: number | null];

/** Only what the summary says of metrics; one that says nothing of a metric contradicts nothing. */
const compareMaps = (
  key: 'metrics_evaluated' | 'average_scores',
  stored: ReportSummary,
  computed: ReportSummary,
): Compared[] =>
  Object.entries(stored[key]).map(([name, said]) => [`${key}.${name}`, said, computed[key][name] ?? null]);

function withVersionName(document: unknown): unknown {
  if (typeof document !== 'object' || document === null || !('holodeck_version' in document)) return document;
  const { holodeck_version, ...rest } = document;
  return { proofmark_version: holodeck_version, ...rest };
}
