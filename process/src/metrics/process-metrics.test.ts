import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { receiveSpans } from '../../../tests/stack/otlp-receiver.ts';
import { listedMetrics } from './metric-list.ts';
import { ProcessMetrics } from './process-metrics.ts';
import { startTelemetry } from './start-telemetry.ts';

/** A module of Python, logins of Postgres, and a key of a file. */
const notMetrics = [
  'proofmark_agent',
  'proofmark_app',
  'proofmark_worker',
  'proofmark_admin',
  'proofmark_owner',
  'proofmark_version',
];

const receiver = await receiveSpans();
afterAll(() => receiver.stop());

const linesOf = async (
  metrics: ProcessMetrics<'coordinator'> | ProcessMetrics<'runner'>,
  name: string,
): Promise<string[]> => (await metrics.read().metrics()).split('\n').filter((line) => line.startsWith(name));

describe('the list', () => {
  test.each(listedMetrics)('$name is named by what it counts, and explained in a sentence', (metric) => {
    const { name, type, unit, help } = metric;
    expect(name).toMatch(/^proofmark_[a-z_]+$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    expect(name.endsWith('_seconds')).toBe(unit === 's');
    expect(help).toMatch(/^[A-Z0-9].+\.$/);
    expect(metric.buckets !== undefined).toBe(type === 'histogram');
  });

  test('is what a process tells, and nothing of the other process', async () => {
    for (const of of ['coordinator', 'runner'] as const) {
      const told = new ProcessMetrics(of).read().getMetricsAsArray();
      const own = told.map(({ name }) => name).filter((name) => name.startsWith('proofmark_'));
      expect(own).toEqual(listedMetrics.filter((metric) => metric.of === of).map(({ name }) => name));
    }
  });
});

test('pages and manifests name no metric that there is not', async () => {
  const root = join(import.meta.dirname, '../../..');
  const read = ['docs/*.md', 'deploy/**/*.{md,yaml,json}', 'benchmark/README.md'];
  const named = new Map<string, string>();
  for await (const path of glob(read, { cwd: root }))
    for (const [name] of (await readFile(join(root, path), 'utf8')).matchAll(/\bproofmark_[a-z_]+(?=[\s`{()[\]])/g))
      named.set(name.replace(/_bucket$/, ''), path);
  const known = new Set([...listedMetrics.map(({ name }) => name), ...notMetrics]);
  expect([...named].filter(([name]) => !known.has(name))).toEqual([]);
  expect(named.size).toBeGreaterThan(20);
});

describe('a process', () => {
  test('begins with 0, so that the first one is seen as a rise', async () => {
    expect(await linesOf(new ProcessMetrics('coordinator'), 'proofmark_results_total')).toEqual(
      ['recorded', 'late', 'dead', 'forged'].map((outcome) => `proofmark_results_total{outcome="${outcome}"} 0`),
    );
  });

  test('makes no more series than the list allows, whatever names come from outside', async () => {
    const metrics = new ProcessMetrics('coordinator');
    for (let call = 0; call < 1000; call += 1) metrics.add('proofmark_calls_dropped_total', { call: `call ${call}` });
    const lines = await linesOf(metrics, 'proofmark_calls_dropped_total');
    expect(lines).toHaveLength(21);
    expect(lines).toContain('proofmark_calls_dropped_total{call="other"} 980');
  });

  test('tells nothing more of what is gone, and others take its place', async () => {
    const metrics = new ProcessMetrics('coordinator');
    for (const round of [1, 2]) {
      metrics.clear('proofmark_runners');
      for (let pool = 0; pool < 100; pool += 1) metrics.set('proofmark_runners', { pool: `${round}-${pool}` }, 1);
    }
    const lines = await linesOf(metrics, 'proofmark_runners');
    expect(lines).toHaveLength(100);
    expect(lines.every((line) => line.includes('pool="2-'))).toBe(true);
  });
});

// A busy machine may stand still for longer than a service waits.
const options = { serviceName: 'a test', version: '1.0.0', headers: {}, timeoutMs: 15_000 };

test('a receiver gets what Prometheus would read, but for what is not measured yet', async () => {
  const metrics = new ProcessMetrics('runner');
  metrics.onRead(() => metrics.set('proofmark_free_slots', {}, 3));
  metrics.onRead(() => metrics.set('proofmark_coordinator_silence_seconds', {}, Number.NaN));
  metrics.add('proofmark_tokens_total', { role: 'judge', direction: 'input' }, 120);
  for (const seconds of [0.2, 0.3, 1000])
    metrics.observe('proofmark_model_call_seconds', { provider: 'openai', operation: 'chat' }, seconds);
  const failures: string[] = [];
  const onTrouble = (reason: string) => void failures.push(reason);
  {
    await using _sending = await startTelemetry(metrics, { ...options, onTrouble, endpoint: receiver.endpoint });
  }
  expect(failures).toEqual([]);
  const found = (name: string) => receiver.metrics.filter((metric) => metric.name === name);
  expect(found('proofmark_free_slots')).toMatchObject([{ service: 'a test', value: 3 }]);
  expect(found('proofmark_coordinator_silence_seconds')).toEqual([]);
  expect(found('proofmark_tokens_total')).toContainEqual({
    ...{ service: 'a test', name: 'proofmark_tokens_total', unit: 'tokens', value: 120 },
    attributes: { role: 'judge', direction: 'input' },
  });
  const [histogram] = found('proofmark_model_call_seconds');
  expect(histogram).toMatchObject({ unit: 's', attributes: { provider: 'openai', operation: 'chat' } });
  expect(histogram?.value).toEqual({
    ...{ count: 3, sum: 1000.5 },
    bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
    counts: [0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1],
  });
});

test('without a receiver nothing is sent, and one that is away costs nothing else', async () => {
  const metrics = new ProcessMetrics('runner');
  const before = receiver.metrics.length;
  const troubles: string[] = [];
  const onTrouble = (reason: string) => void troubles.push(reason);
  {
    await using _off = await startTelemetry(metrics, { ...options, onTrouble, endpoint: undefined });
  }
  expect([receiver.metrics.length, troubles]).toEqual([before, []]);
  {
    await using _away = await startTelemetry(metrics, {
      ...options,
      onTrouble,
      timeoutMs: 1000,
      endpoint: 'http://127.0.0.1:1',
    });
  }
  expect(troubles).not.toEqual([]);
});
