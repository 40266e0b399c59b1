import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import type { ReportSummary, SkippedTest } from '@proofmark/contracts/test-report';
import { streamReport } from '@proofmark/domain/stream-report';
import type { ReportedTestRun, ReportInput } from '@proofmark/domain/test-report';

export interface ReportFile {
  path: string;
  head: Omit<ReportInput, 'results' | 'skipped'>;
  /** In the order of the suite. */
  results: AsyncIterable<ReportedTestRun>;
  skipped: readonly SkippedTest[];
  /** Told of each test run that goes into the report. */
  onResult: (testRun: ReportedTestRun) => void;
}

export type WrittenReport = { ok: true; path: string; summary: ReportSummary } | { ok: false; reason: string };

/** Writes the file of a report while its results are read. Nothing is left behind when there is nothing to report. */
export async function writeReport({ path, head, results, skipped, onResult }: ReportFile): Promise<WrittenReport> {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.part`;
  const file = createWriteStream(part, { highWaterMark: 1 << 18 });
  const ended = finished(file);
  const report = streamReport(head);
  for await (const testRun of results) {
    onResult(testRun);
    if (!file.write(report.add(testRun))) await Promise.race([drained(file), ended]);
  }
  const rest = report.end(skipped);
  file.end(rest.ok ? rest.text : '');
  await ended;
  if (!rest.ok) {
    await rm(part);
    return rest;
  }
  await rename(part, path);
  return { ok: true, path, summary: rest.summary };
}

const drained = (file: ReturnType<typeof createWriteStream>): Promise<void> =>
  new Promise((resolve) => file.once('drain', resolve));
