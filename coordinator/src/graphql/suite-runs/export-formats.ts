/** The forms in which results are handed out as a file. */
export const exportFormats = ['csv', 'jsonl', 'junit', 'html'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The kind of document that a format is, and how its file is called. */
export const exportTypes: Record<ExportFormat, { type: string; ending: string }> = {
  csv: { type: 'text/csv; charset=utf-8', ending: 'csv' },
  jsonl: { type: 'application/jsonl; charset=utf-8', ending: 'jsonl' },
  junit: { type: 'application/xml; charset=utf-8', ending: 'xml' },
  html: { type: 'text/html; charset=utf-8', ending: 'html' },
};
