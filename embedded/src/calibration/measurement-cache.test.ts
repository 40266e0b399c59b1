import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { measurementCache } from './measure-judges.ts';

const measurement = {
  judge_hash: 'a'.repeat(64),
  labels_digest: 'b'.repeat(64),
  labels: 30,
  counts: { truePasses: 15, falseFails: 0, trueFails: 13, falsePasses: 2 },
  problem: null,
  measured_at: '2026-01-01T00:00:00.000Z',
};

test('a kept measurement is found for the same judge and the same labels only, and what is broken is as if not there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-cache-'));
  try {
    const cache = measurementCache(join(folder, 'calibrations'));
    expect(await cache.read(measurement)).toBeNull();
    await cache.keep(measurement);
    expect(await cache.read(measurement)).toEqual(measurement);
    expect(await cache.read({ ...measurement, judge_hash: 'c'.repeat(64) })).toBeNull();
    // Names are short: another judge whose hash begins alike is told apart by what the file says.
    expect(await cache.read({ ...measurement, judge_hash: `${'a'.repeat(63)}b` })).toBeNull();
    const [name = '', ...more] = await readdir(join(folder, 'calibrations'));
    expect(more).toEqual([]);
    await writeFile(join(folder, 'calibrations', name), '{"judge_hash": ');
    expect(await cache.read(measurement)).toBeNull();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
