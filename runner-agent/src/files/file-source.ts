import type { FileInput } from '@proofmark/contracts/test-case';
import { downloadFile } from './download-file.ts';
import type { Fetched } from './fetched.ts';
import type { FileCache } from './file-cache.ts';
import { readLocalFile } from './read-local-file.ts';

/** `cachedPath`: where a download is kept; null for files of the repository, and when nothing is kept. */
export type Opened = { ok: true; bytes: Buffer; cachedPath: string | null } | { ok: false; message: string };

export interface FileSourceOptions {
  root: string | undefined;
  cache: FileCache;
  allowedOrigins: ReadonlySet<string>;
  now: () => Date;
}

const noRepository =
  '`path` cannot be read: this runner has no copy of the repository. Give a `url`, or run with `proofmark run`';

/** Where the bytes of files come from: the repository, the network, or a download of the last day. */
export class FileSource {
  readonly #options: FileSourceOptions;
  readonly #downloads = new Map<string, Promise<Fetched>>();

  constructor(options: FileSourceOptions) {
    this.#options = options;
  }

  async open({ path, url, cache }: FileInput, signal: AbortSignal): Promise<Opened> {
    if (url !== undefined) return await (cache === false ? this.#fetch(url, signal) : this.#fetchOrKeep(url, signal));
    if (this.#options.root === undefined) return { ok: false, message: noRepository };
    return local(await readLocalFile(path ?? '', this.#options.root));
  }

  async #fetch(url: string, signal: AbortSignal): Promise<Opened> {
    return local(await downloadFile(url, { allowedOrigins: this.#options.allowedOrigins, signal }));
  }

  async #fetchOrKeep(url: string, signal: AbortSignal): Promise<Opened> {
    const { cache, now } = this.#options;
    const kept = await cache.readDownload(url, now());
    if (kept) return { ok: true, bytes: kept.bytes, cachedPath: kept.path };
    const fetched = await this.#fetchTogether(url, signal);
    if (!fetched.ok) return fetched;
    return { ok: true, bytes: fetched.bytes, cachedPath: (await cache.writeDownload(url, fetched.bytes)) ?? null };
  }

  /** Repetitions of a case start together: they wait for the same download, which none of them can abort for the others. */
  async #fetchTogether(url: string, signal: AbortSignal): Promise<Fetched> {
    const { allowedOrigins } = this.#options;
    const running =
      this.#downloads.get(url) ?? downloadFile(url, { allowedOrigins, signal: new AbortController().signal });
    this.#downloads.set(url, running);
    try {
      return await orAborted(running, signal);
    } finally {
      this.#downloads.delete(url);
    }
  }
}

const local = (fetched: Fetched): Opened => (fetched.ok ? { ...fetched, cachedPath: null } : fetched);

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
