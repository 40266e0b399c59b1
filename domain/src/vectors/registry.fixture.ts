import { ab } from './ab.fixture.ts';
import type { Adapter } from './adapter.fixture.ts';
import { regressionScheduleRetention } from './regression-schedule-retention.fixture.ts';
import { reports } from './reports.fixture.ts';
import { retry } from './retry.fixture.ts';
import { statistics } from './statistics.fixture.ts';
import { textMetrics } from './text-metrics.fixture.ts';
import { variables } from './variables.fixture.ts';

/** What answers the vectors about decisions, by kind. */
export const domainAdapters: Readonly<Record<string, Adapter>> = {
  ...ab,
  ...regressionScheduleRetention,
  ...reports,
  ...retry,
  ...statistics,
  ...textMetrics,
  ...variables,
};
