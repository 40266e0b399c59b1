import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseJson } from '@proofmark/contracts/parse-json';
import { abortScope } from '@proofmark/process/pause';
import { z } from 'zod';
import { type Conversion, type ConversionRequest, type Converted, writeQuestion } from './convert/conversion.ts';
import { mostCharacters } from './convert/fit-markdown.ts';

/** What the converters import; in a built runner they are part of its own files. */
const packages = ['@proofmark/contracts', 'saxes', 'unpdf'];
const Manifest = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });

/**
 * The places that a program in `folder` has to read to load itself: its folder, wherever the module system looks from
 * there, and the packages of the converters where they really lie, which may be a store far away.
 */
export function readableCode(folder: string): string[] {
  const places = [join(folder, '*')];
  for (const above of withParents(folder)) places.push(join(above, 'node_modules', '*'), join(above, 'package.json'));
  return [...new Set([...places, ...packages.flatMap((name) => packagePlaces(name, folder))])];
}

function packagePlaces(name: string, from: string): string[] {
  const link = withParents(from)
    .map((above) => join(above, 'node_modules', name))
    .find(existsSync);
  if (link === undefined) return [];
  const { real, links } = followLinks(link);
  const { dependencies } = Manifest.parse(JSON.parse(readFileSync(join(real, 'package.json'), 'utf8')));
  return [
    join(real, '*'),
    ...links,
    ...Object.keys(dependencies).flatMap((dependency) => packagePlaces(dependency, real)),
  ];
}

/** Where a path really leads, and every link on the way: reading a link needs a permission of its own. */
function followLinks(path: string): { real: string; links: string[] } {
  const link = withParents(path)
    .toReversed()
    .find((part) => lstatSync(part).isSymbolicLink());
  if (link === undefined) return { real: path, links: [] };
  const next = join(resolve(dirname(link), readlinkSync(link)), relative(link, path));
  const { real, links } = followLinks(next);
  return { real, links: [link, ...links] };
}

/** The folder and all above it, the nearest first. */
function withParents(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}

const count = z.int().min(0);
const Facts = z.strictObject({
  format: z.string().max(20),
  pages: count.optional(),
  sheets: z.array(z.string()).optional(),
  rows: count.optional(),
  width: count.optional(),
  height: count.optional(),
  truncated: z.literal(true).optional(),
});
const ConvertedShape = z.strictObject({ markdown: z.string().min(1).max(mostCharacters), facts: Facts });
const Failure = z.strictObject({
  ok: z.literal(false),
  code: z.enum(['type_mismatch', 'empty', 'encrypted', 'too_large', 'not_found', 'unreadable']),
  message: z.string().max(1_000),
});
const Answer = z.union([Failure, ConvertedShape.extend({ ok: z.literal(true) })]);

/** What a child answered; undefined when it is nothing that a sound one would say. */
function parseConversion(text: string): Conversion | undefined {
  const answer = Answer.safeParse(parseJson(text)).data;
  if (answer === undefined || !answer.ok) return answer;
  return { ok: true, markdown: answer.markdown, facts: present(answer.facts) };
}

/** A stored conversion; undefined when it is broken. */
export function parseConverted(text: string): Converted | undefined {
  const converted = ConvertedShape.safeParse(parseJson(text)).data;
  return converted && { markdown: converted.markdown, facts: present(converted.facts) };
}

/** Optional keys of zod may be undefined, ours are absent then. */
function present({ format, pages, sheets, rows, width, height, truncated }: z.infer<typeof Facts>): Converted['facts'] {
  return {
    format,
    ...(pages !== undefined && { pages }),
    ...(sheets !== undefined && { sheets }),
    ...(rows !== undefined && { rows }),
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(truncated !== undefined && { truncated }),
  };
}

interface ChildLimits {
  /** Of processor time: a busy machine makes no document too long. */
  timeoutMs: number;
  heapMb: number;
  residentMb: number;
}

const usualLimits: ChildLimits = { timeoutMs: 5_000, heapMb: 128, residentMb: 192 };
/** Every character may need six when it is escaped. */
const longestAnswer = 4 * 1024 * 1024;
const watchMs = 50;
/** So much longer than its processor time a child may take, because it may wait for its turn. */
const mostWait = 12;

/**
 * Converts a document in a process of its own, which is killed when it takes too long or grows too large: the file comes
 * from a stranger. Rejects only when `signal` is aborted.
 */
export async function convertInChild(
  request: ConversionRequest,
  bytes: Buffer,
  { signal, limits = usualLimits }: { signal: AbortSignal; limits?: ChildLimits },
): Promise<Conversion> {
  signal.throwIfAborted();
  const directory = await mkdtemp(join(tmpdir(), 'proofmark-file-'));
  try {
    using scope = abortScope(signal, limits.timeoutMs * mostWait);
    const ended = await runChild(writeQuestion(request, bytes), { directory, limits, signal: scope.signal });
    signal.throwIfAborted();
    if (scope.timedOut || ended.isTooLong) return failed(`reading it took longer than ${limits.timeoutMs} ms`);
    if (ended.isTooLarge) return failed(`reading it needs more than ${limits.residentMb} MB of memory`);
    return parseConversion(ended.answer) ?? failed('its reader broke down, mostly because it needs too much memory');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface ChildEnd {
  answer: string;
  isTooLarge: boolean;
  isTooLong: boolean;
}

async function runChild(
  question: Buffer,
  { directory, limits, signal }: { directory: string; limits: ChildLimits; signal: AbortSignal },
): Promise<ChildEnd> {
  const child = spawn(process.execPath, childArguments(limits), {
    cwd: directory,
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  const watch = watchUse(child, limits);
  try {
    const closed = closing(child);
    const answer = collect(child, kill);
    // A child that dies early does not read its question to the end.
    child.stdin.on('error', () => undefined);
    child.stdin.end(question);
    await closed;
    return { answer: answer(), ...watch.found };
  } finally {
    watch.stop();
    signal.removeEventListener('abort', kill);
  }
}

// The file beside this one, whether that runs as TypeScript or built.
const entry = fileURLToPath(new URL(`./convert-child${extname(import.meta.url)}`, import.meta.url));

/** The child may read its own code; it may write, start and load nothing. */
function childArguments({ heapMb }: ChildLimits): string[] {
  return [
    '--permission',
    ...readableCode(dirname(entry)).map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${heapMb}`,
    '--disallow-code-generation-from-strings',
    entry,
  ];
}

function closing(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
}

function collect(child: ChildProcess, kill: () => void): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > longestAnswer) kill();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

/** Kills the child when it outgrows a limit. Where there is no `/proc` only its heap and the clock bound it. */
function watchUse(child: ChildProcess, { residentMb, timeoutMs }: ChildLimits) {
  const found = { isTooLarge: false, isTooLong: false };
  const timer = setInterval(() => {
    void useOf(child.pid).then(({ megabytes, processorMs }) => {
      found.isTooLarge ||= megabytes > residentMb;
      found.isTooLong ||= processorMs > timeoutMs;
      if (found.isTooLarge || found.isTooLong) child.kill('SIGKILL');
    });
  }, watchMs);
  return { found, stop: () => clearInterval(timer) };
}

/** Linux counts processor time in hundredths of a second. */
const tickMs = 10;

async function useOf(pid: number | undefined): Promise<{ megabytes: number; processorMs: number }> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // Behind the name, which may hold anything, the twelfth and the thirteenth number.
    const [user = 0, system = 0] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number);
    const megabytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
    return { megabytes, processorMs: (user + system) * tickMs };
  } catch {
    // It has ended, or this system has no such files.
    return { megabytes: 0, processorMs: 0 };
  }
}

const failed = (message: string): Conversion => ({ ok: false, code: 'too_large', message });
