import { CaseStatus } from '@proofmark/contracts/verdict';
import { RunStatus, ScheduleType } from '@proofmark/contracts/words';
import { z } from 'zod';
import { judgeAlert } from '../alert/alert-rule.ts';
import { truncateResponse } from '../results/kept-text.ts';
import { passRate } from '../results/totals.ts';
import { runsToDelete } from '../retention/retention.ts';
import { dueWindow, windowStartMs } from '../schedule/schedule.ts';
import { adapter } from './adapter.fixture.ts';

const InstantMs = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const Totals = z.object({ passed: z.number(), total: z.number(), skipped: z.number().default(0) });

const AlertRun = Totals.extend({
  status: RunStatus,
  results: z
    .record(z.string(), CaseStatus)
    .transform((results) => new Map(Object.entries(results)))
    .optional(),
});

const Schedule = z
  .object({
    type: ScheduleType,
    time: z.string().nullish(),
    day_of_week: z.number().nullish(),
    day: z.number().nullish(),
  })
  .transform(({ type, time, day_of_week, day }) => ({ type, time, dayOfWeek: day_of_week ?? day }));

const Scheduled = z.object({ suite: Schedule, now: InstantMs });

const RetainedRun = z
  .object({
    id: z.string(),
    suite: z.string().default('suite'),
    created_at: InstantMs,
    completed_at: InstantMs.nullish(),
    status: RunStatus,
  })
  .transform(({ id, suite, created_at, completed_at, status }) => ({
    id,
    suiteId: suite,
    createdAtMs: created_at,
    completedAtMs: completed_at ?? null,
    status,
  }));

export const regressionScheduleRetention = {
  run_pass_rate: adapter(Totals, passRate),
  regression: adapter(
    z.object({
      suite: z.object({
        alert_on_regression: z.boolean().default(true),
        alert_threshold_percent: z.number().default(10),
        alert_on_newly_failing: z.boolean().optional(),
      }),
      current: AlertRun,
      previous: AlertRun.nullable(),
    }),
    ({ suite, current, previous }) => {
      const settings = {
        alertOnRegression: suite.alert_on_regression,
        alertThresholdPercent: suite.alert_threshold_percent,
        alertOnNewlyFailing: suite.alert_on_newly_failing,
      };
      const { regression, drop, newlyFailing } = judgeAlert({ settings, current, previous });
      return { regression, drop, newly_failing: newlyFailing };
    },
  ),
  schedule_due: adapter(Scheduled, ({ suite, now }) => {
    const window = dueWindow({ ...suite, createdAtMs: 0, updatedAtMs: 0 }, now);
    return window !== null && now - window.dueMs < 60_000;
  }),
  schedule_window: adapter(Scheduled, ({ suite, now }) => new Date(windowStartMs(suite, now)).toISOString()),
  retention: adapter(
    z.object({
      now: InstantMs,
      keep: z.number().optional(),
      days: z.number().optional(),
      runs: z.array(RetainedRun),
    }),
    ({ now, keep, days, runs }) => ({ delete: runsToDelete(runs, { nowMs: now, keepDays: days, keepRuns: keep }) }),
  ),
  truncate_response: adapter(
    z.object({ length: z.number().optional(), text: z.string().optional(), max: z.number().optional() }),
    ({ length = 0, text = 'x'.repeat(length), max }) => {
      const stored = truncateResponse(text, max);
      return { stored_length: stored.text.length, truncated: stored.isTruncated };
    },
  ),
};
