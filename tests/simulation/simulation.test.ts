import { expect, it } from 'vitest';
import { mutants } from './mutants.ts';
import { simulate } from './simulate.ts';

const seeds = 10_000;
const mostOfMutant = 2_000;

/** How to see what happened in a story. */
const again = (seed: number) => `npm run simulate -- ${seed}`;

it(`keeps every promise in ${seeds} histories of dying, frozen and cut off processes`, { timeout: 600_000 }, () => {
  const seen = { rows: 0, attempts: 0, lost: 0, late: 0 };
  const broken: string[] = [];
  for (let seed = 0; seed < seeds; seed++) {
    const story = simulate(seed);
    if (story.violation !== undefined) broken.push(`${again(seed)}: ${story.violation}`);
    for (const name of ['rows', 'attempts', 'lost', 'late'] as const) seen[name] += story.seen[name];
  }
  expect(broken).toEqual([]);
  // Otherwise nothing happened in them that could have gone wrong.
  expect(seen.rows).toBeGreaterThan(5 * seeds);
  expect(seen.lost).toBeGreaterThan(seeds / 4);
  expect(seen.late).toBeGreaterThan(seeds / 20);
});

it('plays the same history from the same seed', () => {
  const lines = (seed: number) => {
    const told: string[] = [];
    simulate(seed, {}, (line) => told.push(line));
    return told;
  };
  expect(lines(7)).toEqual(lines(7));
  expect(lines(7)).not.toEqual(lines(8));
});

it.each(mutants)('notices within 2,000 histories that $guard is gone', { timeout: 300_000 }, ({ breaks, without }) => {
  const found = Array.from({ length: mostOfMutant }, (_, seed) => seed).find((seed) =>
    breaks.test(simulate(seed, without).violation ?? ''),
  );
  expect(found).toBeDefined();
});
