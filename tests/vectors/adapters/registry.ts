import { ab } from './ab.ts';
import type { Adapter, Adapters } from './adapter.ts';
import { checks } from './checks.ts';
import { definitions } from './definitions.ts';
import { regressionScheduleRetention } from './regression-schedule-retention.ts';
import { reports } from './reports.ts';
import { retry } from './retry.ts';
import { statistics } from './statistics.ts';
import { textMetrics } from './text-metrics.ts';
import { variables } from './variables.ts';

/** One line per group of kinds: a record from kind to adapter, in a file of this folder. */
const groups: readonly Readonly<Record<string, Adapter>>[] = [
  checks,
  definitions,
  regressionScheduleRetention,
  statistics,
  textMetrics,
  variables,
  retry,
  reports,
  ab,
];

export const adapters: Adapters = new Map(groups.flatMap((group) => Object.entries(group)));
