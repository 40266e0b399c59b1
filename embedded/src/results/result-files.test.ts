import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeReport } from '../run/write-report.ts';
import { readBeside, readLines } from './read-beside.ts';
import { type LinePlace, openLines, openResultLog, writeWhole } from './result-files.ts';

async function scratch(): Promise<AsyncDisposable & { path: (name: string) => string; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-results-'));
  return {
    folder,
    path: (name) => join(folder, name),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

test('a line is in the file as soon as it is appended, and stands where it was said to', async () => {
  await using files = await scratch();
  const path = files.path('deep/er/results.jsonl');
  await using log = await openResultLog(path);
  await log.append('{"n":"ä😀"}');
  expect(await readFile(path, 'utf8')).toBe('{"n":"ä😀"}\n');
  await log.append('{"n":2}');
  expect(await readFile(path, 'utf8')).toBe('{"n":"ä😀"}\n{"n":2}\n');
});

test('lines that come at once are all kept, in their order', async () => {
  await using files = await scratch();
  const path = files.path('results.jsonl');
  const texts = Array.from({ length: 500 }, (_, number) => JSON.stringify({ number, text: 'ü'.repeat(number * 20) }));
  const places: LinePlace[] = [];
  {
    await using log = await openResultLog(path);
    places.push(...(await Promise.all(texts.map((text) => log.append(text)))));
  }
  await using lines = await openLines(path);
  const read = [];
  for (const place of [...places].reverse()) read.unshift(await lines.line(place));
  expect(read).toEqual(texts);
  // 2.5 MB of them: what is asked for at once does not fit into one piece of the file.
  expect(await Promise.all(places.toReversed().map((place) => lines.line(place)))).toEqual(texts.toReversed());
  expect(await Array.fromAsync(readLines(path))).toEqual(texts);
});

test('a write that fails is told to everyone who waits for it', async () => {
  await using files = await scratch();
  const log = await openResultLog(files.path('results.jsonl'));
  await log[Symbol.asyncDispose]();
  await expect(Promise.all([log.append('{}'), log.append('{}')])).rejects.toThrow();
});

test('behind a read that failed, the next line is read anew', async () => {
  await using files = await scratch();
  const path = files.path('results.jsonl');
  await writeFile(path, 'one\ntwo\n');
  await using lines = await openLines(path);
  expect(await lines.line({ offset: 0, length: 3 })).toBe('one');
  // No file is that long: to read there is refused.
  await expect(lines.line({ offset: 2 ** 60, length: 3 })).rejects.toThrow();
  await writeFile(path, 'six\nten\n');
  expect(await lines.line({ offset: 4, length: 3 })).toBe('ten');
});

test('two that write the same file at once leave one of both, whole', async () => {
  await using files = await scratch();
  const texts = ['a', 'b'].map((letter) => letter.repeat(1e6));
  await Promise.all(texts.map((text) => writeWhole(files.path('report.json'), text)));
  expect(texts).toContain(await readFile(files.path('report.json'), 'utf8'));
  expect(await readdir(files.folder)).toEqual(['report.json']);
});

test('the half line of a process that was killed is none', async () => {
  await using files = await scratch();
  await writeFile(files.path('results.jsonl'), '{"a":1}\n{"b":');
  expect(await Array.fromAsync(readLines(files.path('results.jsonl')))).toEqual(['{"a":1}']);
});

test('what is known beside a report is about this report or nothing', async () => {
  await using files = await scratch();
  expect(await readBeside(files.path('report.json'), 1)).toBeUndefined();
  await appendFile(files.path('results.jsonl'), '{"some":"thing else"}\n');
  expect(await readBeside(files.path('report.json'), 1)).toBeUndefined();
});

test('a report of nothing leaves no file behind', async () => {
  await using files = await scratch();
  const written = await writeReport({
    path: files.path('report.json'),
    head: {
      agentName: 'A',
      agentConfigPath: 'a.yaml',
      timestamp: '2026-01-01T00:00:00Z',
      version: '0.1.0',
      environment: {},
    },
    results: (async function* () {})(),
    skipped: [],
    onResult: () => undefined,
  });
  expect(written).toEqual({ ok: false, reason: 'No case was executed, so there is nothing to report' });
  expect(await readdir(files.folder)).toEqual([]);
});
