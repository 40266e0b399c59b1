import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { shrinkPng } from './shrink-png.ts';

const start = promisify(execFile);

export interface Picture {
  page: string;
  path: string;
  width: number;
  height: number;
  isDark?: boolean;
  /** The height is one that the page is not higher than, and what is left of it is cut off. */
  isTrimmed?: boolean;
}

/** Draws a page to a PNG, with a browser that is new, offline and forgets everything. */
export async function takePicture(
  chromium: string,
  { page, path, width, height, isDark = false, isTrimmed = false }: Picture,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-picture-'));
  try {
    const [file, drawn] = [join(folder, 'page.html'), join(folder, 'page.png')];
    await writeFile(file, page);
    await start(chromium, [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-lcd-text', '--hide-scrollbars'],
      ...(isDark ? ['--blink-settings=preferredColorScheme=0'] : []),
      ...[`--user-data-dir=${join(folder, 'profile')}`, `--window-size=${width},${height}`, `--screenshot=${drawn}`],
      pathToFileURL(file).href,
    ]);
    await writeFile(path, shrinkPng(await readFile(drawn), { isTrimmed }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
