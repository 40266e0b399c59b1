import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Converted } from './convert/conversion.ts';
import { parseConverted } from './convert-in-child.ts';

/** Where downloads are kept unless somebody says otherwise: outside of every repository, apart for each user of the machine. */
export function usualCacheFolder(): string {
  return join(tmpdir(), `proofmark-cache-${process.getuid?.() ?? 'user'}`);
}

const downloadsLiveMs = 24 * 3_600_000;

/**
 * Downloads by their URL for a day, and Markdown by everything that it depends on. A cache that cannot be read or
 * written only costs time: it never fails a test run.
 */
export class FileCache {
  readonly #folder: Promise<string | undefined>;

  /** Undefined: nothing is kept. The folder is made when it is not there, and not used when it belongs to somebody else. */
  constructor(folder: string | undefined) {
    this.#folder = folder === undefined ? Promise.resolve(undefined) : ownFolder(resolve(folder));
  }

  async readDownload(url: string, now: Date): Promise<{ bytes: Buffer; path: string } | undefined> {
    const path = await this.#path('downloads', digest(url));
    return await orNothing(async () => {
      if (path === undefined || now.getTime() - (await stat(path)).mtimeMs > downloadsLiveMs) return undefined;
      return { bytes: await readFile(path), path };
    });
  }

  /** Where the bytes are now; undefined when they could not be kept. */
  async writeDownload(url: string, bytes: Buffer): Promise<string | undefined> {
    return await this.#write(await this.#path('downloads', digest(url)), bytes);
  }

  async readMarkdown(key: string): Promise<Converted | undefined> {
    const path = await this.#path('markdown', `${digest(key)}.json`);
    return await orNothing(async () => (path === undefined ? undefined : parseConverted(await readFile(path, 'utf8'))));
  }

  async writeMarkdown(key: string, converted: Converted): Promise<void> {
    await this.#write(await this.#path('markdown', `${digest(key)}.json`), JSON.stringify(converted));
  }

  async #path(room: string, name: string): Promise<string | undefined> {
    const folder = await this.#folder;
    return folder === undefined ? undefined : join(folder, room, name);
  }

  /** Under another name first: nobody ever reads half a file. */
  async #write(path: string | undefined, content: Buffer | string): Promise<string | undefined> {
    return await orNothing(async () => {
      if (path === undefined) return undefined;
      const part = `${path}.${randomUUID()}.part`;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(part, content, { mode: 0o600 });
      await rename(part, path);
      return path;
    });
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

async function orNothing<T>(work: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    // A cache without an entry, without a place or with a broken entry is an empty one.
    return undefined;
  }
}

/** In a shared folder somebody else could put files under the names that are looked for. */
async function ownFolder(folder: string): Promise<string | undefined> {
  return await orNothing(async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const stats = await lstat(folder);
    const isOwn = process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o022) === 0);
    return stats.isDirectory() && isOwn ? folder : undefined;
  });
}
