import { stringify } from 'yaml';

/** More of a suite than this is no reading for people: its cases stand in a file of rows. */
const mostSuite = 200_000;

/** The cases as a suite has them: written out, or as rows of a file of their own, which is added to `files`. */
export function casesOrRows(cases: readonly object[], slug: string, files: Map<string, string>) {
  const rows = cases.map((one) => `${JSON.stringify(one)}\n`).join('');
  if (rows.length < mostSuite) return { cases };
  files.set(`data/${slug}.jsonl`, rows);
  const keys = new Set(cases.flatMap((one) => Object.keys(one)));
  const template = Object.fromEntries([...keys].map((key) => [key, `{{${key}}}`]));
  return { cases_from: { file: `../data/${slug}.jsonl`, case: template } };
}

export const yaml = (value: unknown): string => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
