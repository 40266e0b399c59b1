import { guardedAgent } from '@proofmark/process/guarded-agent';
import { type AbortScope, abortScope } from '@proofmark/process/pause';
import { checkUrl } from '@proofmark/process/public-address';
import { type Fetched, largestFile, tooLarge } from '@proofmark/process/read-local-file';
import { Agent, type Dispatcher, request } from 'undici';

const downloadMs = 20_000;
const mostRedirects = 3;

interface DownloadOptions {
  allowedOrigins: ReadonlySet<string>;
  signal: AbortSignal;
  /** How often somebody may send it elsewhere; absent: 3 times. */
  redirects?: number;
  /** Shorter in tests. */
  timeoutMs?: number;
  /** How names are looked up where the operator did not name the origin. */
  guarded?: () => Agent;
}

type Answer =
  | { kind: 'bytes'; bytes: Buffer }
  | { kind: 'elsewhere'; url: string }
  | { kind: 'failed'; message: string };

/** Fetches a file without credentials, following only so many redirects, each checked like the first URL. Rejects only when `signal` is aborted. */
export async function downloadFile(url: string, options: DownloadOptions): Promise<Fetched> {
  const { signal, timeoutMs = downloadMs, redirects = mostRedirects } = options;
  using scope = abortScope(signal, timeoutMs);
  let next = url;
  for (let hops = 0; hops <= redirects; hops += 1) {
    const answer = await fetchOnce(next, options, scope);
    if (answer.kind === 'bytes') return { ok: true, bytes: answer.bytes };
    if (answer.kind === 'failed') return failed(hops === 0 ? answer.message : `redirects, and then ${answer.message}`);
    next = answer.url;
  }
  return failed(redirects === 0 ? 'redirects' : `redirects more than ${redirects} times`);
}

async function fetchOnce(
  url: string,
  { allowedOrigins, signal, timeoutMs = downloadMs, guarded = guardedAgent }: DownloadOptions,
  scope: AbortScope,
): Promise<Answer> {
  const checked = checkUrl(url, allowedOrigins);
  if (!checked.ok) return broken(checked.message);
  const dispatcher = checked.isTrusted ? new Agent() : guarded();
  try {
    return await ask(checked.url, dispatcher, scope.signal);
  } catch (error) {
    signal.throwIfAborted();
    return broken(scope.timedOut ? `did not arrive within ${timeoutMs} ms` : `cannot be fetched: ${reasonOf(error)}`);
  } finally {
    await dispatcher.destroy();
  }
}

async function ask(url: URL, dispatcher: Agent, signal: AbortSignal): Promise<Answer> {
  const answer = await request(url, {
    dispatcher,
    signal,
    headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'proofmark' },
  });
  // Nobody may be reading when the download is given up; without a listener that would end the process.
  answer.body.on('error', () => undefined);
  const { location, 'content-encoding': encoding } = answer.headers;
  if (answer.statusCode >= 300 && answer.statusCode < 400 && typeof location === 'string') {
    const target = URL.parse(location, url);
    return target === null ? broken('redirects to no URL') : { kind: 'elsewhere', url: target.href };
  }
  if (answer.statusCode !== 200) return broken(`was answered with status ${answer.statusCode}`);
  if (encoding !== undefined && encoding !== 'identity') return broken('came compressed, which was not asked for');
  return await readBody(answer);
}

/** Counted while it arrives; what is promised is only used to give up early. */
async function readBody({ body, headers }: Dispatcher.ResponseData): Promise<Answer> {
  if (Number(headers['content-length'] ?? 0) > largestFile) return broken(tooLarge);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestFile) return broken(tooLarge);
    chunks.push(chunk);
  }
  return { kind: 'bytes', bytes: Buffer.concat(chunks, size) };
}

const broken = (message: string): Answer => ({ kind: 'failed', message });
const failed = (message: string): Fetched => ({ ok: false, message: `\`url\` ${message}` });

function reasonOf(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return (root instanceof Error ? root.message || root.name : String(root)).slice(0, 200);
}
