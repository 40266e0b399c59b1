import { defineEntity, p } from '@mikro-orm/core';
import { belongsTo, tenantOfWhole, text } from './columns.ts';
import { StoredQueuePlan } from './queue-plan.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

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
