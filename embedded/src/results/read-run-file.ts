import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const Entry = z.looseObject({
  suite: z.string(),
  cell: z.string(),
  variant: z.string().default('head'),
  verdict: z.record(z.string(), z.unknown()).nullable(),
  cost_usd: z.number().nullish(),
});
const RunFile = z.looseObject({ suite_runs: z.array(Entry) });

/** What the file of a run says about one suite run. */
export interface RunFileEntry {
  /** That of both sides stands with the candidate; null when there is none. */
  verdict: unknown;
  /** Null when nothing had a known price. */
  costUsd: number | null;
}

/** What the file of a run says about one suite run; nothing when there is no such file, or one of another kind. */
export async function readRunFile(
  path: string,
  { suite, cell, variant }: { suite: string; cell: string; variant: string },
): Promise<RunFileEntry> {
  const found = (await entriesOf(path)).filter((one) => one.suite === suite && one.cell === cell);
  return {
    verdict: found.find(({ verdict }) => verdict !== null)?.verdict ?? null,
    costUsd: found.find((one) => one.variant === variant)?.cost_usd ?? null,
  };
}

async function entriesOf(path: string): Promise<z.infer<typeof Entry>[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    // Results that were moved away from their run have no run beside them.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  return RunFile.safeParse(JSON.parse(text)).data?.suite_runs ?? [];
}
