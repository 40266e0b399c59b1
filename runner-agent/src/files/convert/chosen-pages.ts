import { DocumentProblem } from './document-problem.ts';

/** The wanted pages in the order of the document, each once; all of them when none are named. */
export function chosenPages(wanted: readonly number[] | undefined, count: number, what: 'page' | 'slide'): number[] {
  if (wanted === undefined || wanted.length === 0) return Array.from({ length: count }, (_, index) => index + 1);
  const missing = wanted.find((number) => number > count);
  if (missing !== undefined) {
    const many = count === 1 ? `1 ${what}` : `${count} ${what}s`;
    throw new DocumentProblem('not_found', `there is no ${what} ${missing}: the file has ${many}`);
  }
  return [...new Set(wanted)].sort((a, b) => a - b);
}
