import { createHash } from 'node:crypto';
import type { FetchableFile } from '@proofmark/contracts/file-content';
import type { ProcessedFileInput } from '@proofmark/contracts/processed-file';
import type { FileInput } from '@proofmark/contracts/test-case';
import type { ImagePart } from '../models/model-port.ts';
import type { Conversion, ConversionRequest } from './convert/conversion.ts';
import { convertInChild } from './convert-in-child.ts';
import { FileCache } from './file-cache.ts';
import { fileName, shownPlace } from './file-name.ts';
import { FileSource } from './file-source.ts';

/** Raised whenever a converter writes something else for the same file: stored Markdown is not used then. */
const converterVersion = 3;
const conversionsAtOnce = 2;

interface FileReaderOptions {
  /** The repository. Absent: local paths cannot be read here. */
  root?: string;
  /** Absent: nothing is kept between test runs. */
  cacheFolder?: string;
  /** Origins that the operator named: plain http and private addresses are fine there. */
  allowedOrigins: ReadonlySet<string>;
  clock: { now(): Date; monotonicMs(): number };
}

export interface ReadFile {
  facts: ProcessedFileInput;
  image: ImagePart | null;
}

/**
 * Reads the files of cases. What is wrong with a file is in its facts; it rejects only when `signal` is aborted. `sent` are
 * those of the repository that lie with a coordinator.
 */
export interface FileReader {
  read(file: FileInput, signal: AbortSignal, sent?: readonly FetchableFile[]): Promise<ReadFile>;
}

/** Reads, downloads and converts for all cases of a process: at most two conversions at once, and one download per URL. */
export function createFileReader({ root, cacheFolder, allowedOrigins, clock }: FileReaderOptions): FileReader {
  const cache = new FileCache(cacheFolder);
  const source = new FileSource({ root, cache, allowedOrigins, now: () => clock.now() });
  const converter = { cache, turns: new Turns(conversionsAtOnce) };
  return {
    async read(file, signal, sent) {
      const startedMs = clock.monotonicMs();
      const { image, ...found } = await readWhole(file, { source, converter, signal, sent });
      const processing_time_ms = Math.max(0, Math.floor(clock.monotonicMs() - startedMs));
      return { facts: { original: asWritten(file), ...found, processing_time_ms }, image };
    },
  };
}

/** The entry of the case file, without the default that its parser has filled in. */
function asWritten(file: FileInput): FileInput {
  if (file.url === undefined || file.cache !== true) return file;
  const { cache: _default, ...written } = file;
  return written;
}

interface Converter {
  cache: FileCache;
  turns: Turns;
}

interface Reading {
  source: FileSource;
  converter: Converter;
  signal: AbortSignal;
  sent: readonly FetchableFile[] | undefined;
}

type Found = Omit<ProcessedFileInput, 'original' | 'processing_time_ms'> & Pick<ReadFile, 'image'>;

async function readWhole(file: FileInput, { source, converter, signal, sent }: Reading): Promise<Found> {
  const nothing = { markdown_content: '', metadata: {}, cached_path: null, image: null };
  const opened = await source.open(file, signal, sent);
  if (!opened.ok) return { ...nothing, error: `${shownPlace(file)}: ${opened.message}` };
  const { bytes, cachedPath: cached_path } = opened;
  const digest = createHash('sha256').update(bytes).digest('hex');
  const metadata = { size_bytes: bytes.length, sha256: digest };
  const conversion = await convert(file, { bytes, digest, signal }, converter);
  if (!conversion.ok) {
    const error = `${shownPlace(file)}: ${conversion.message} (${conversion.code})`;
    return { ...nothing, metadata, cached_path, error };
  }
  const { markdown: markdown_content, facts } = conversion;
  const image = file.type === 'image' ? { mediaType: `image/${facts.format}`, bytes } : null;
  return { markdown_content, metadata: { ...metadata, ...facts }, cached_path, error: null, image };
}

async function convert(
  file: FileInput,
  { bytes, digest, signal }: { bytes: Buffer; digest: string; signal: AbortSignal },
  { cache, turns }: Converter,
): Promise<Conversion> {
  const request = asRequest(file);
  const key = markdownKey(request, digest);
  const isCached = file.cache !== false;
  const kept = isCached ? await cache.readMarkdown(key) : undefined;
  if (kept) return { ok: true, ...kept };
  using _turn = await turns.take(signal);
  const converted = await convertInChild(request, bytes, { signal });
  if (converted.ok && isCached)
    await cache.writeMarkdown(key, { markdown: converted.markdown, facts: converted.facts });
  return converted;
}

function asRequest({ type, description, pages, sheet, range, ...file }: FileInput): ConversionRequest {
  return {
    type,
    name: fileName(file),
    ...(description !== undefined && { description }),
    ...(pages !== undefined && { pages }),
    ...(sheet !== undefined && { sheet }),
    ...(range !== undefined && { range }),
  };
}

/** Everything that the Markdown depends on. The URL alone would give the first extraction for other pages. */
function markdownKey({ type, name, description, pages, sheet, range }: ConversionRequest, digest: string): string {
  // Only of pictures and of pages of the web does the text depend on what the file is called.
  const shown = type === 'image' || type === 'text' ? [name, description] : [];
  return JSON.stringify([converterVersion, digest, type, pages ?? null, sheet ?? null, range ?? null, ...shown]);
}

/** Lets a fixed number of holders in at once; the others wait in the order in which they came. */
class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  /** A turn that ends when it is disposed of. Rejects with the signal's reason when that is aborted first. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    return { [Symbol.dispose]: () => this.#end() };
  }

  #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const enter = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(enter), 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#waiting.push(enter);
    return promise;
  }

  #end(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
