import type { TestReport } from '@proofmark/contracts/test-report';
import { renderCsv } from '@proofmark/domain/report-csv';
import { renderJson } from '@proofmark/domain/report-json';
import { renderJunit } from '@proofmark/domain/report-junit';
import { type FailureReasons, renderMarkdown } from '@proofmark/domain/report-markdown';

export const formats = ['json', 'markdown', 'csv', 'junit'] as const;
export type Format = (typeof formats)[number];

export interface ShownReport {
  report: TestReport;
  reasons?: FailureReasons;
}

/** Reports in one format. JSON of one report is the report itself, of several a list. */
export function renderReports(shown: readonly ShownReport[], format: Format): string {
  const reports = shown.map(({ report }) => report);
  switch (format) {
    case 'json':
      return renderJson(reports.length === 1 ? reports[0] : reports);
    case 'markdown':
      return shown.map(({ report, reasons }) => renderMarkdown(report, reasons)).join('\n');
    case 'csv':
      return renderCsv(reports);
    case 'junit':
      return renderJunit(
        reports,
        shown.map(({ reasons }) => reasons),
      );
  }
}

const byExtension: Record<string, Format> = {
  json: 'json',
  md: 'markdown',
  markdown: 'markdown',
  csv: 'csv',
  xml: 'junit',
};

/** The format that a file name asks for; undefined when it says nothing. */
export function formatOfPath(path: string): Format | undefined {
  return byExtension[path.split('.').at(-1)?.toLowerCase() ?? ''];
}
