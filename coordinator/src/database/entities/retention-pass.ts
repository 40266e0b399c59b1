import { defineEntity, p } from '@mikro-orm/core';
import { tenantId, time } from './columns.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const RetentionPassSchema = defineEntity({
  name: 'RetentionPass',
  tableName: 'retention_passes',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  properties: {
    tenantId,
    /** The cleanup time of that day. */
    dueAt: time().primary(),
    takenAt: time().defaultRaw('now()'),
    /** Null: it is running, or its replica died; the next one does the rest. */
    finishedAt: time().nullable(),
    removed: p.json<Record<string, number>>().nullable(),
  },
});

/** One removal of old suite runs: whichever replica inserts it does the work. */
export class RetentionPass extends RetentionPassSchema.class {}
RetentionPassSchema.setClass(RetentionPass);
