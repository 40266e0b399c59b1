import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { failureReasons } from '@proofmark/domain/failure-reasons';
import { z } from 'zod';
import { lineReader } from './shared-parts.ts';

/** Every line of a results file, as it was written; a last line that a killed process left half is none. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) if (line.startsWith('{') && line.endsWith('}')) yield line;
}

/**
 * Why test runs of a report did not pass, by their position in it, from the results that lie beside it. Undefined when
 * there are none, or when they are not those of this report.
 */
export async function readReasons(
  reportPath: string,
  results: number,
): Promise<ReadonlyMap<number, readonly string[]> | undefined> {
  const path = join(dirname(reportPath), 'results.jsonl');
  if (!existsSync(path)) return await readKeptReasons(join(dirname(reportPath), 'reasons.json'));
  const rows: { sortOrder: number; repetition: number; reasons: string[] }[] = [];
  const read = lineReader();
  for await (const text of readLines(path)) {
    const line = read(text);
    if (line.kind === 'foreign') return undefined;
    if (line.kind === 'part') continue;
    const { sort_order: sortOrder, repetition, outcome } = line.result;
    rows.push({ sortOrder, repetition, reasons: failureReasons(outcome) });
  }
  if (rows.length !== results) return undefined;
  rows.sort((a, b) => a.sortOrder - b.sortOrder || a.repetition - b.repetition);
  return new Map(
    rows.map(({ reasons }, position) => [position, reasons] as const).filter(([, reasons]) => reasons.length > 0),
  );
}

const KeptReasons = z.array(z.looseObject({ result: z.int().min(0), reasons: z.array(z.string()) }));

/** Those that came with a report from elsewhere. */
async function readKeptReasons(path: string): Promise<ReadonlyMap<number, readonly string[]> | undefined> {
  if (!existsSync(path)) return undefined;
  const read = KeptReasons.safeParse(JSON.parse(await readFile(path, 'utf8')));
  return read.success ? new Map(read.data.map(({ result, reasons }) => [result, reasons])) : undefined;
}
