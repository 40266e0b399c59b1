import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Adjustment } from '@proofmark/contracts/case-outcome';
import { adjustmentPhrase } from '@proofmark/domain/further-lines';
import { beforeAll, describe, expect, test } from 'vitest';
import { runInProcess } from '../flows/run-in-process.ts';
import { type DialectName, type ServerDialect, serverDialects } from '../stack/model/dialects.ts';
import { startModelServer } from '../stack/model-server.ts';
import { everyMeasurement, everyMeasurementRules, expectedMeasurements, measurementsOf } from './every-measurement.ts';

const families = Object.keys(serverDialects) as DialectName[]; // the keys of a literal object
const measurements = Object.keys(expectedMeasurements);
const rows = new Map<DialectName, string>();

test('there are at least 8 families and 40 ways to measure', () => {
  expect(families.length).toBeGreaterThanOrEqual(8);
  expect(measurements.length).toBeGreaterThanOrEqual(40);
});

describe.each(families)('%s', (family) => {
  const dialect: ServerDialect = serverDialects[family];
  let measured: Record<string, unknown> = {};
  let adjustments: Adjustment[] = [];
  let refused = 0;

  beforeAll(async () => {
    await using server = await startModelServer({ rules: everyMeasurementRules, dialect });
    const ended = await runInProcess(everyMeasurement(server.url), {});
    measured = measurementsOf(ended);
    adjustments = ended.flatMap(({ outcome }) => outcome.adjustments ?? []);
    refused = server.requests.filter(({ status }) => status >= 400).length;
  }, 60_000);

  test.each(measurements)('measures: %s', (name) => {
    expect(measured[name]).toEqual(expectedMeasurements[name]);
  });

  test('learns what is refused once, and keeps with the results what it was asked otherwise', () => {
    // Test runs that begin together may be refused together; nobody is refused for ever.
    expect(refused).toBeLessThanOrEqual(60);
    expect(refused > 0).toBe(adjustments.some(({ instead }) => instead !== 'four times as many'));
    rows.set(family, rowOf(family, dialect, adjustments));
  });
});

const sources = {
  ...{ documentation: 'documentation', reports: 'reports of users', both: 'documentation, reports of users' },
  none: 'nobody: it is the worst that we could think of',
} as const;

function rowOf(
  family: DialectName,
  { source, manner = '' }: ServerDialect,
  adjustments: readonly Adjustment[],
): string {
  const form = adjustments.find(({ setting }) => setting === 'structured_output')?.instead ?? 'strict_schema';
  const others = adjustments.filter(({ setting }) => setting !== 'structured_output').map(adjustmentPhrase);
  return `| ${family} | \`${form}\` | ${[...new Set(others)].toSorted().join('; ')} | ${manner} | ${sources[source]} |`;
}

test('docs/models.md says which form each family takes and what it is asked otherwise', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/models.md'), 'utf8');
  const table = page.split('<!-- families -->')[1]?.split('<!-- /families -->')[0] ?? '';
  expect(table.trim().split('\n').slice(2)).toEqual(families.map((family) => rows.get(family)));
});
