import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeScratchDirectory } from '../../../tests/stack/scratch-directory.ts';
import { readJobEnvironment } from '../job/environment.ts';
import type { Remark } from '../job/job.ts';
import { clipSummary, summarizeEnding, writeSummary } from './show-report.ts';

test('a summary that GitHub would drop is cut after a whole line', () => {
  const clipped = clipSummary('ä'.repeat(99).concat('\n').repeat(10_000));
  expect(Buffer.byteLength(clipped)).toBeLessThanOrEqual(900_000);
  expect(clipped).toMatch(/ä\n\n… cut here, the full report has the rest\n$/);
  expect(clipped).not.toContain('\uFFFD');
  expect(clipSummary('short')).toBe('short');
});

test('a summary that cannot be written is a warning', async () => {
  const remarks: Remark[] = [];
  const told = readJobEnvironment({ GITHUB_STEP_SUMMARY: '/nowhere/at/all' });
  if (!told.ok) throw new Error(told.problems.join('\n'));
  const { environment } = told;
  await writeSummary('text', { environment, remark: (remark) => void remarks.push(remark) });
  expect(remarks).toMatchObject([{ level: 'warning', message: expect.stringContaining('cannot be written') }]);
});

test('a summary that cannot be looked at is a warning, so that the outputs and the exit code of the job stay', async () => {
  const summaryPath = join(await makeScratchDirectory('summary'), 'loop');
  await symlink(summaryPath, summaryPath);
  const remarks: Remark[] = [];
  const told = readJobEnvironment({ GITHUB_STEP_SUMMARY: summaryPath });
  if (!told.ok) throw new Error(told.problems.join('\n'));
  const { environment } = told;
  await summarizeEnding([], { environment, remark: (remark) => void remarks.push(remark), outputs: {} });
  expect(remarks).toMatchObject([{ level: 'warning', message: expect.stringContaining('cannot be written: ELOOP') }]);
});
