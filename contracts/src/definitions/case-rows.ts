import { z } from 'zod';
import { FreeForm, KeyName, VisibleText } from './texts.ts';
import { VariableValue } from './variables.ts';

const dataFile = z
  .string()
  .min(1)
  .regex(/\.(?:csv|jsonl|ndjson|json|ya?ml)$/i, 'must be a path that ends with .csv, .jsonl, .json or .yaml');

/** What a cell of a CSV file, which is always text, becomes. */
export const CellKind = z.enum(['text', 'number', 'boolean', 'json', 'list']);
export type CellKind = z.infer<typeof CellKind>;

const Column = z.union([
  z.string().min(1),
  z.strictObject({
    column: z.string().min(1).describe('Name of the column, as the file spells it.'),
    as: CellKind.optional().describe('What its texts become: json is read, list is cut at the separator.'),
    separator: z
      .string()
      .min(1)
      .max(10)
      .optional()
      .describe('What stands between the texts of a list; a comma unless set.'),
  }),
]);

const Wanted = z.union([VariableValue, z.array(VariableValue).min(1)]);

/** Cases made of the rows of a file, by a template. */
export const CasesFrom = z.strictObject({
  file: dataFile.describe('Path of a CSV, JSONL, JSON or YAML file from here.'),
  case: FreeForm.describe('A case in which {{column}} stands for the value of a row.'),
  map: z.record(KeyName, Column).optional().describe('Other names for columns, and what their texts become.'),
  name: VisibleText.optional().describe(
    'Name of each case, such as "{{id}}": by it results are compared. The column name or id unless set, else a digest of the row.',
  ),
  select: z.record(z.string(), Wanted).optional().describe('Only rows whose columns have these values.'),
  sample: z
    .strictObject({
      n: z.int().min(1).describe('How many rows.'),
      seed: z.union([z.int(), z.string()]).default(0).describe('Another seed takes other rows; 0 unless set.'),
    })
    .optional()
    .describe('Only some of the rows, always the same ones.'),
});
export type CasesFrom = z.infer<typeof CasesFrom>;

/** One file of rows, or several. */
export const CasesFromList = z.union([CasesFrom, z.array(CasesFrom).min(1).max(100)]);

/** The values of an axis of the matrix out of a file. */
export const MatrixFrom = z.record(
  KeyName,
  z.strictObject({
    file: dataFile.describe('Path of a CSV, JSONL, JSON or YAML file from here.'),
    column: z.string().min(1).describe('The column with the values; each counts once.'),
    as: CellKind.extract(['text', 'number', 'boolean']).optional().describe('What its texts become.'),
  }),
);
export type MatrixFrom = z.infer<typeof MatrixFrom>;

export type CellReading = { ok: true; value: unknown } | { ok: false; message: string };

/** What the text of a cell means; an empty one means nothing. */
export function readCell(text: string, kind: CellKind, separator = ','): CellReading {
  const trimmed = text.trim();
  if (kind === 'text') return { ok: true, value: text };
  if (trimmed === '') return { ok: true, value: null };
  if (kind === 'list') return { ok: true, value: trimmed.split(separator).flatMap((item) => item.trim() || []) };
  if (kind === 'number') {
    const value = Number(trimmed);
    return Number.isFinite(value) ? { ok: true, value } : { ok: false, message: 'is no number' };
  }
  if (kind === 'boolean') {
    const word = trimmed.toLowerCase();
    if (['true', 'yes', '1'].includes(word)) return { ok: true, value: true };
    return ['false', 'no', '0'].includes(word)
      ? { ok: true, value: false }
      : { ok: false, message: 'is neither true nor false' };
  }
  try {
    return { ok: true, value: JSON.parse(trimmed) };
  } catch {
    return { ok: false, message: 'is not JSON' };
  }
}
