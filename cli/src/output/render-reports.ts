import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { suggestName } from '@proofmark/contracts/near-match';
import { renderCsv } from '@proofmark/domain/report-csv';
import { renderHtml } from '@proofmark/domain/report-html';
import { renderJunit } from '@proofmark/domain/report-junit';
import { renderMarkdown } from '@proofmark/domain/report-markdown';
import type { ReportWithFacts } from '@proofmark/domain/report-with-facts';
import { renderJson } from '@proofmark/domain/screen-safe-json';
import { renderYaml } from './report-yaml.ts';

export const formats = ['json', 'yaml', 'markdown', 'csv', 'junit', 'html'] as const;
export type Format = (typeof formats)[number];

/** Reports in one format. JSON and YAML of one report are the report itself, of several a list. */
export function renderReports(
  shown: readonly ReportWithFacts[],
  format: Format,
  options: Parameters<typeof renderCsv>[1] = {},
): string {
  const reports = shown.map(({ report }) => report);
  const document = reports.length === 1 ? reports[0] : reports;
  switch (format) {
    case 'json':
      return renderJson(document);
    case 'yaml':
      return renderYaml(document);
    case 'markdown':
      return shown.map(({ report, reasons, verdict }) => renderMarkdown(report, reasons, verdict)).join('\n');
    case 'csv':
      return renderCsv(reports, options);
    case 'junit':
      return renderJunit(
        reports,
        shown.map(({ reasons }) => reasons),
        shown.map(({ facts }) => facts),
      );
    case 'html':
      return renderHtml(shown);
  }
}

const byExtension: Record<string, Format> = {
  json: 'json',
  yaml: 'yaml',
  yml: 'yaml',
  md: 'markdown',
  markdown: 'markdown',
  csv: 'csv',
  xml: 'junit',
  html: 'html',
  htm: 'html',
};

/** The format that a file name asks for; undefined when it says nothing. */
export function formatOfPath(path: string): Format | undefined {
  return byExtension[path.split('.').at(-1)?.toLowerCase() ?? ''];
}

/** Why a file name without a format says nothing; undefined when it does, or when there is none. */
export function outputProblem({
  format,
  output,
}: {
  format?: Format | undefined;
  output?: string | undefined;
}): string | undefined {
  if (output === undefined || format !== undefined || formatOfPath(output) !== undefined) return undefined;
  const endings = Object.keys(byExtension).map((ending) => `.${ending}`);
  const ending = extname(output);
  const hint = suggestName(ending, endings);
  const what = ending === '' ? 'has no ending' : `has an unknown ending, ${ending}`;
  return `${output} ${what}: it must be ${endings.join(', ')}, or come with --format${hint === undefined ? '' : `. ${hint}`}`;
}

/** Writes a file and the folders above it. What is wrong with the place, if it cannot be written. */
export async function writeOutput(path: string, text: string): Promise<string | undefined> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return undefined;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return `--output cannot be written: ${error.message}`;
    throw error;
  }
}
