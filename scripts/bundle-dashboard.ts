import { join } from 'node:path';
import { rolldown } from 'rolldown';
import type { GeneratedFile } from './generated-file.ts';

/** The script of the page as one file, built in memory: the same sources give the same bytes. */
export async function dashboardBundle(root: string): Promise<GeneratedFile[]> {
  await using build = await rolldown({
    input: join(root, 'dashboard/src/main.ts'),
    platform: 'browser',
    logLevel: 'warn',
    tsconfig: false,
  });
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false, comments: false });
  return [{ path: 'dashboard/dist/app.js', content: output[0].code }];
}
