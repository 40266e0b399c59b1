import { inlineCode } from '../text/markdown-text.ts';
import { type CheckAnnotation, shownInAnnotation } from './annotations.ts';
import type { RunReport } from './run-report.ts';

const mostLines = 50;
const mostAnnotations = 200;
const maxMessageUnits = 400;

/** What to repair before anything can be run, each with a link to its line; empty where nothing is wrong. */
export function showProblems({ invalid = [], fileUrl }: RunReport): string {
  if (invalid.length === 0) return '';
  const lines = invalid.slice(0, mostLines).map(({ file, line, message }) => {
    const words = inlineCode(message, maxMessageUnits);
    if (file === '') return `- ${words}`;
    const place = inlineCode(`${file}:${line}`);
    return `- ${fileUrl === null ? place : `[${place}](${fileUrl(file, line)})`} ${words}`;
  });
  const rest = invalid.length - mostLines;
  return ['Nothing was run.', '', ...lines, ...(rest > 0 ? [`- +${rest} more`] : [])].join('\n');
}

/** The problems on their lines. */
export function problemAnnotations({ invalid = [] }: RunReport): CheckAnnotation[] {
  const inFiles = invalid.filter(({ file }) => file !== '').slice(0, mostAnnotations);
  return inFiles.map(({ file, line, message }) => {
    return { path: file, line, level: 'failure', title: 'Invalid definition', message: shownInAnnotation(message) };
  });
}
