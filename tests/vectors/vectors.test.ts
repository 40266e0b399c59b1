import { describe, expect, test } from 'vitest';
import { checkVector } from './check-vector.ts';
import { vectorEnvironment } from './environment.ts';
import { knownKinds } from './known-kinds.ts';
import { loadVectors } from './load-vectors.ts';
import { adapters } from './registry.ts';
import { vectorTitle } from './vector.ts';

const { folder, isStrict } = vectorEnvironment();
const { vectors, unreadable } = await loadVectors(folder);
const isWaiting = (kind: string) => knownKinds.has(kind) && !adapters.has(kind);
const waitingKinds = [...new Set(vectors.map(({ kind }) => kind).filter(isWaiting))];

describe('vectors', () => {
  test('there are some, and every file can be read', () => {
    expect(unreadable).toEqual([]);
    expect(vectors.length).toBeGreaterThan(0);
  });

  test(`kinds without an adapter: ${waitingKinds.join(', ') || 'none'}`, () => {
    expect(isStrict ? waitingKinds : []).toEqual([]);
  });

  test.for(vectors.filter(({ kind }) => !isWaiting(kind)).map((vector) => [vectorTitle(vector), vector] as const))(
    '%s',
    async ([, vector]) => {
      expect(await checkVector(vector, adapters)).toEqual({ status: 'passed' });
    },
  );
});
