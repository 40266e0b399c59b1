import { createHash } from 'node:crypto';
import type { FetchableFile } from '@proofmark/contracts/file-content';
import type { FileInput } from '@proofmark/contracts/test-case';
import { pause } from '@proofmark/process/pause';
import { type Fetched, readLocalFile } from '@proofmark/process/read-local-file';
import { downloadFile } from './download-file.ts';
import type { FileCache } from './file-cache.ts';

/** Pauses before the tries after the first: a coordinator that is being replaced is back within seconds. */
const pausesMs = [500, 2_000];

/**
 * Fetches a file that was sent with the run, and checks that it is the one that was meant. `url` has the origin that the
 * coordinator named at the handshake; nothing else is asked, whatever it answers.
 */
async function downloadContent({ url, sha256 }: FetchableFile, signal: AbortSignal): Promise<Fetched> {
  const allowedOrigins = new Set([new URL(url).origin]);
  const once = () => downloadFile(url, { allowedOrigins, redirects: 0, signal });
  let fetched = await once();
  for (const ms of pausesMs) {
    if (fetched.ok) break;
    await pause(ms, signal);
    fetched = await once();
  }
  if (!fetched.ok) return failed('could not be fetched from the coordinator');
  return hasDigest(fetched.bytes, sha256) ? fetched : failed('came from the coordinator with another content');
}

const hasDigest = (bytes: Buffer, sha256: string): boolean =>
  createHash('sha256').update(bytes).digest('hex') === sha256;

const failed = (reason: string): Fetched => ({ ok: false, message: `\`path\` ${reason}` });

/** `cachedPath`: where a download is kept; null for files of the repository, and when nothing is kept. */
type Opened = { ok: true; bytes: Buffer; cachedPath: string | null } | { ok: false; message: string };

interface FileSourceOptions {
  root: string | undefined;
  cache: FileCache;
  allowedOrigins: ReadonlySet<string>;
  now: () => Date;
}

const noRepository =
  '`path` cannot be read: this runner has no copy of the repository, and the file did not come with the run: it was not there, or not readable, when the run was started';

/** Where the bytes of files come from: the repository, the network, or a download of the last day. */
export class FileSource {
  readonly #options: FileSourceOptions;
  readonly #openings = new Map<string, Promise<Opened>>();

  constructor(options: FileSourceOptions) {
    this.#options = options;
  }

  /** `sent`: files of the repository that lie with the coordinator. */
  async open(
    { path, url, cache }: FileInput,
    signal: AbortSignal,
    sent: readonly FetchableFile[] = [],
  ): Promise<Opened> {
    if (url !== undefined) return await (cache === false ? this.#fetch(url, signal) : this.#fetchOrKeep(url, signal));
    if (this.#options.root !== undefined) return local(await readLocalFile(path ?? '', this.#options.root));
    const content = sent.find((file) => file.path === path);
    return content === undefined ? { ok: false, message: noRepository } : await this.#fetchSent(content, signal);
  }

  async #fetch(url: string, signal: AbortSignal): Promise<Opened> {
    return local(await downloadFile(url, { allowedOrigins: this.#options.allowedOrigins, signal }));
  }

  async #fetchOrKeep(url: string, signal: AbortSignal): Promise<Opened> {
    const { cache, now, allowedOrigins } = this.#options;
    return await this.#together(url, signal, async (end) => {
      const kept = await cache.readDownload(url, now());
      if (kept) return { ok: true, bytes: kept.bytes, cachedPath: kept.path };
      const fetched = await downloadFile(url, { allowedOrigins, signal: end });
      if (!fetched.ok) return fetched;
      return { ok: true, bytes: fetched.bytes, cachedPath: (await cache.writeDownload(url, fetched.bytes)) ?? null };
    });
  }

  /** Kept under the digest of the content: whoever has put something else there is not believed. */
  async #fetchSent(content: FetchableFile, signal: AbortSignal): Promise<Opened> {
    const { cache, now } = this.#options;
    const key = `sha256:${content.sha256}`;
    return await this.#together(key, signal, async (end) => {
      const kept = await cache.readDownload(key, now());
      if (kept && hasDigest(kept.bytes, content.sha256)) return { ok: true, bytes: kept.bytes, cachedPath: null };
      const fetched = await downloadContent(content, end);
      if (fetched.ok) await cache.writeDownload(key, fetched.bytes);
      return local(fetched);
    });
  }

  /**
   * Repetitions of a case start together: they wait for the same file, which none of them can abort for the others. The
   * look into the cache is part of the wait: whoever comes late finds either the work or what it has kept.
   */
  async #together(key: string, signal: AbortSignal, open: (signal: AbortSignal) => Promise<Opened>): Promise<Opened> {
    const opening =
      this.#openings.get(key) ?? open(new AbortController().signal).finally(() => this.#openings.delete(key));
    this.#openings.set(key, opening);
    return await orAborted(opening, signal);
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
