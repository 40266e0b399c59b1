import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { darkColors, lightColors } from '../domain/src/text/palette.ts';
import type { GeneratedFile } from './generated-file.ts';

/** The script and the style of the page as one file each, built in memory: the same sources give the same bytes. */
export async function dashboardBundle(root: string): Promise<GeneratedFile[]> {
  await using build = await rolldown({
    input: join(root, 'dashboard/src/main.tsx'),
    platform: 'browser',
    logLevel: 'warn',
    tsconfig: false,
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false, comments: false });
  const style = await readFile(join(root, 'dashboard/static/style.css'), 'utf8');
  return [
    { path: 'dashboard/dist/app.js', content: output[0].code },
    { path: 'dashboard/dist/style.css', content: `${colors}${style}` },
  ];
}

/** The colours of the report, for readers who follow their system and for those who have chosen. */
const colors = `:root { color-scheme: light; ${lightColors} }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { color-scheme: dark; ${darkColors} } }
:root[data-theme="dark"] { color-scheme: dark; ${darkColors} }
`;
