import { defineEntity, p } from '@mikro-orm/core';
import { AgentTestSuite } from './agent-test-suite.ts';
import { mayReferTo, tenantId, text, time } from './columns.ts';
import { indexOn } from './index-on.ts';
import { Run } from './run.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const ScheduledRunSchema = defineEntity({
  name: 'ScheduledRun',
  tableName: 'scheduled_runs',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  indexes: [indexOn('scheduled_runs_run_idx', 'scheduled_runs', ['run_id'], 'run_id is not null')],
  properties: {
    tenantId,
    suite: () =>
      p
        .manyToOne(AgentTestSuite)
        .ref()
        .primary()
        .joinColumns('tenant_id', 'suite_id')
        .ownColumns('suite_id')
        .updateRule('no action')
        .deleteRule('cascade'),
    /** Start of the hour, day or week in which the suite runs once. */
    windowStart: time().primary(),
    dueAt: time(),
    /** When a replica last began to start it. */
    takenAt: time().defaultRaw('now()'),
    state: p.enum(['waiting', 'taken', 'started', 'refused']).default('taken'),
    run: () => mayReferTo(Run, 'run_id'),
    /** Why nothing was started. */
    reason: text().nullable(),
  },
});

/** One window of a suite that runs by itself: whichever replica inserts it starts the run. */
export class ScheduledRun extends ScheduledRunSchema.class {}
ScheduledRunSchema.setClass(ScheduledRun);
