import { defineEntity, p } from '@mikro-orm/core';
import { belongsTo, count, tenantOfWhole, text } from './columns.ts';
import { Run } from './run.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const StoredQueuePlanSchema = defineEntity({
  name: 'StoredQueuePlan',
  tableName: 'queue_plans',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  properties: {
    tenantId: tenantOfWhole,
    runId: p.uuid().primary(),
    run: () =>
      p
        .oneToOne(Run)
        .ref()
        .joinColumns('tenant_id', 'run_id')
        .ownColumns()
        .unique(false)
        .updateRule('no action')
        .deleteRule('cascade'),
    runSeed: text(),
    /** Test runs of the whole plan. */
    total: p.integer(),
    /** Pairs of a hash and the setting that it names, as JSON. */
    settings: text(),
    parts: p.integer(),
    rounds: p.integer(),
    /** Where the next step begins. */
    round: p.integer(),
    part: p.integer(),
    steps: count(),
  },
});

/** How far a run is queued. It goes when all of the run is. */
export class StoredQueuePlan extends StoredQueuePlanSchema.class {}
StoredQueuePlanSchema.setClass(StoredQueuePlan);

const QueuePlanPartSchema = defineEntity({
  name: 'QueuePlanPart',
  tableName: 'queue_plan_parts',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  properties: {
    tenantId: tenantOfWhole,
    plan: () => belongsTo(StoredQueuePlan, 'run_id').primary().deleteRule('cascade'),
    part: p.integer().primary(),
    /** As JSON. */
    lines: text(),
  },
});

/** Some of the cases of a run that is still being queued, with what their test runs have in common. */
export class QueuePlanPart extends QueuePlanPartSchema.class {}
QueuePlanPartSchema.setClass(QueuePlanPart);
