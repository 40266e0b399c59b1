import { defineEntity, p } from '@mikro-orm/core';
import { Alert } from './alert.ts';
import { count, createdAt, id, partOf, tenantId, text, time, updatedAt } from './columns.ts';
import { indexOn } from './index-on.ts';
import { Run } from './run.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const OutboxEntrySchema = defineEntity({
  name: 'OutboxEntry',
  tableName: 'outbox',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  uniques: [{ name: 'outbox_dedupe_key', properties: ['tenantId', 'kind', 'dedupeKey'] }],
  indexes: [
    { name: 'outbox_due_idx', properties: ['nextTryAt'], where: `state = 'due'` },
    { name: 'outbox_parked_idx', properties: ['nextTryAt'], where: `state = 'parked'` },
    indexOn('outbox_run_idx', 'outbox', ['run_id']),
    { name: 'outbox_run_idx', properties: ['tenantId', 'run'] },
    indexOn('outbox_alert_idx', 'outbox', ['alert_id'], 'alert_id is not null'),
  ],
  checks: [
    {
      name: 'outbox_subject_check',
      expression: `(kind = 'alert') = (alert_id is not null) and (kind = 'alert') = (run_id is null)`,
    },
  ],
  properties: {
    tenantId,
    id: id(),
    kind: p.enum(['finish-suite-run', 'github-check', 'github-comment', 'alert']),
    dedupeKey: text(),
    /** Null: it is about an alert. */
    run: () => partOf(Run, 'run_id').nullable(),
    alert: () => partOf(Alert, 'alert_id').nullable(),
    suiteRunId: p.uuid().nullable(),
    subject: p.json<Record<string, unknown>>().defaultRaw(`'{}'::jsonb`),
    wantedVersion: p.integer().default(1),
    observedVersion: p.integer().default(0),
    externalId: text().nullable(),
    state: p.enum(['due', 'done', 'parked']).default('due'),
    reason: text().nullable(),
    tries: count(),
    nextTryAt: time().defaultRaw('now()'),
    leaseUntil: time().nullable(),
    leaseOwner: text().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** An effect outside the ledger that is wanted, written in the transaction that caused it. */
export class OutboxEntry extends OutboxEntrySchema.class {}
OutboxEntrySchema.setClass(OutboxEntry);
