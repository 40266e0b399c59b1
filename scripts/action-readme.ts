import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { betweenMarks } from './between-marks.ts';
import type { GeneratedFile } from './generated-file.ts';

type Described = { description: string; default?: string };
type ActionFile = { inputs: Record<string, Described>; outputs: Record<string, Described> };

const path = 'action/README.md';

/** The README of the Action with the tables of `action.yml` between its marks; the words around them are written by hand. */
export async function actionReadme(root: string): Promise<GeneratedFile[]> {
  const { inputs, outputs }: ActionFile = parse(await readFile(join(root, 'action/action.yml'), 'utf8'));
  const text = await readFile(join(root, path), 'utf8');
  const inputRows = Object.entries(inputs).map(([name, one]) => [`\`${name}\``, defaultOf(one), one.description]);
  const outputRows = Object.entries(outputs).map(([name, one]) => [`\`${name}\``, one.description]);
  const withInputs = betweenMarks(text, 'inputs', table(['input', 'default', 'meaning'], inputRows));
  return [{ path, content: betweenMarks(withInputs, 'outputs', table(['output', 'meaning'], outputRows)) }];
}

function defaultOf({ default: byDefault = '' }: Described): string {
  return byDefault === '' ? '' : `\`${byDefault}\``;
}

function table(head: readonly string[], rows: readonly string[][]): string {
  const cells = (row: readonly string[]) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [cells(head), cells(head.map(() => '---')), ...rows.map(cells)].join('\n');
}
