import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const RunFile = z.looseObject({
  suite_runs: z.array(
    z.looseObject({ suite: z.string(), cell: z.string(), verdict: z.record(z.string(), z.unknown()).nullable() }),
  ),
});

/** What the file of a run says about one suite and cell; null when there is no such file, or one of another kind. */
export async function readRunVerdict(path: string, { suite, cell }: { suite: string; cell: string }): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    // Results that were moved away from their run have no run beside them.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const found = RunFile.safeParse(JSON.parse(text)).data?.suite_runs;
  return found?.find((one) => one.suite === suite && one.cell === cell && one.verdict !== null)?.verdict ?? null;
}
