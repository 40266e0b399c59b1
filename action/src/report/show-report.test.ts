import { expect, test } from 'vitest';
import { readJobEnvironment } from '../job/environment.ts';
import type { Remark } from '../job/job.ts';
import { clipSummary, writeSummary } from './show-report.ts';

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
