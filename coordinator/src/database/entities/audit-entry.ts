import { defineEntity, p } from '@mikro-orm/core';
import { id, tenantId, text, time } from './columns.ts';
import { indexOn } from './index-on.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entries',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  indexes: [indexOn('audit_entries_at_idx', 'audit_entries', ['tenant_id', 'at', 'id'])],
  properties: {
    tenantId,
    id: id(),
    at: time().defaultRaw('now()'),
    /** Who did it, and with which token; null: the operator or the coordinator itself. Kept when both are gone. */
    userId: p.uuid().nullable(),
    tokenId: p.uuid().nullable(),
    action: text(),
    subject: text(),
    /** Of the first twenty. */
    names: p.array().columnType('text[]'),
    total: p.integer(),
    /** Of a single row: column to its value before and after, as far as they are no secrets. */
    changes: p.json<Record<string, [string | null, string | null]>>().nullable(),
  },
});

/** A change that somebody made. Written by triggers in the transaction of the change, and never changed. */
export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);
