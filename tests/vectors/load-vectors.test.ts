import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkVector } from './check-vector.ts';
import { vectorEnvironment } from './environment.ts';
import { loadVectors } from './load-vectors.ts';

async function load(files: Record<string, unknown>) {
  const folder = await mkdtemp(join(tmpdir(), 'vectors-'));
  try {
    for (const [file, content] of Object.entries(files)) {
      await writeFile(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
    }
    return await loadVectors(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('loading vectors', () => {
  test('a vector without a kind has the kind of its file', async () => {
    const vector = { name: 'one', input: { args: [] }, expected: {} };
    const { vectors } = await load({ 'cli-variables.json': { vectors: [vector] }, 'else.json': { vectors: [vector] } });
    expect(vectors.map(({ kind }) => kind)).toEqual(['cli_variables', 'no kind (else.json)']);
  });

  test('families of numbers are split into what is asked and what is answered', async () => {
    const content = {
      wilson: { formula: 'f', vectors: [{ k: 1, n: 2, conf: 0.9, lo: 0, hi: 1 }] },
      power: { miller: [{ KA: 1, n: 7 }] },
      quantiles: { t: [[0.9, 3, 1.6]] },
      gate: { defaults: { alpha: 0.1 }, vectors: [{ name: 'g', cases: [], expected: { p: 1 } }] },
      _tolerance: 'text',
    };
    const { vectors, unreadable } = await load({ 'statistics.json': content });
    expect(unreadable).toEqual([]);
    expect(vectors.map(({ name, kind, input, expected }) => ({ name, kind, input, expected }))).toEqual([
      { name: 'wilson 1', kind: 'statistics.wilson', input: { k: 1, n: 2, conf: 0.9 }, expected: { lo: 0, hi: 1 } },
      { name: 'power.miller 1', kind: 'statistics.power.miller', input: { KA: 1 }, expected: { n: 7 } },
      { name: 'quantiles.t 1', kind: 'statistics.quantiles.t', input: { p: 0.9, df: 3 }, expected: { value: 1.6 } },
      { name: 'gate: g', kind: 'statistics.gate', input: { cases: [], defaults: { alpha: 0.1 } }, expected: { p: 1 } },
    ]);
  });

  test('a broken file and a vector without an answer are reported, not passed over', async () => {
    const { vectors, unreadable } = await load({
      'broken.json': '{',
      'no-answer.json': { vectors: [{ name: 'n', input: { kind: 'matrix' } }] },
    });
    expect(vectors).toEqual([]);
    expect(unreadable.map(({ file }) => file)).toEqual(['broken.json', 'no-answer.json']);
  });
});

describe('checking a vector', () => {
  const vector = { file: 'f', name: 'n', input: 2, expected: 4, tolerance: { relative: 0, absolute: 0 } };
  const adapters = new Map([
    ['matrix', (input: unknown) => Number(input) * 2],
    ['session', () => JSON.parse('{')],
  ]);

  test('right, wrong and thrown answers', async () => {
    expect(await checkVector({ ...vector, kind: 'matrix' }, adapters)).toEqual({ status: 'passed' });
    expect(await checkVector({ ...vector, kind: 'matrix', expected: 5 }, adapters)).toEqual({
      status: 'failed',
      problems: ['answer: expected 5, got 4'],
    });
    expect(await checkVector({ ...vector, kind: 'session' }, adapters)).toMatchObject({ status: 'failed' });
  });

  test('an unknown kind fails, a known one without an adapter waits', async () => {
    expect(await checkVector({ ...vector, kind: 'nonsense' }, adapters)).toMatchObject({ status: 'failed' });
    expect(await checkVector({ ...vector, kind: 'csv_row' }, adapters)).toEqual({ status: 'waiting' });
  });
});

test('the folder of the examples is the default, and the environment may name another', () => {
  expect(vectorEnvironment({})).toEqual({ folder: import.meta.dirname, isStrict: false });
  expect(vectorEnvironment({ PROOFMARK_VECTORS: '/elsewhere', PROOFMARK_VECTORS_STRICT: '1' })).toEqual({
    folder: '/elsewhere',
    isStrict: true,
  });
});
