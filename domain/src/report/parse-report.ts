import { type ShapeProblem, shapeProblems } from '@proofmark/contracts/shape-problems';
import { TestReport } from '@proofmark/contracts/test-report';

export type ParsedReports = { ok: true; reports: TestReport[] } | { ok: false; problems: ShapeProblem[] };

/** The reports of a report file: one object, or a list of them. The seed's own name for the version is read too. */
export function parseReports(text: string): ParsedReports {
  const value = parseJson(text);
  if (value === undefined) {
    return { ok: false, problems: [{ path: '', code: 'parse_error', message: 'the file is not JSON' }] };
  }
  const documents = (Array.isArray(value) ? value : [value]).map(withVersionName);
  if (documents.length === 0) {
    return { ok: false, problems: [{ path: '', code: 'too_short', message: 'the file has no report' }] };
  }
  const problems = documents.flatMap((document) => shapeProblems(TestReport, document));
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, reports: documents.map((document) => TestReport.parse(document)) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller only needs to know that it is not JSON.
    return undefined;
  }
}

function withVersionName(document: unknown): unknown {
  if (typeof document !== 'object' || document === null || !('holodeck_version' in document)) return document;
  const { holodeck_version, ...rest } = document;
  return { proofmark_version: holodeck_version, ...rest };
}
