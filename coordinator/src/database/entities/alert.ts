import { defineEntity, p } from '@mikro-orm/core';
import { type AlertFacts, AlertKind } from '@proofmark/contracts/alert-message';
import { AgentTestSuite } from './agent-test-suite.ts';
import { createdAt, id, partOf, tenantId, text, time } from './columns.ts';
import { indexOn } from './index-on.ts';
import { Run } from './run.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const AlertSchema = defineEntity({
  name: 'Alert',
  tableName: 'alerts',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  uniques: [
    { name: 'alerts_dedupe_key', properties: ['tenantId', 'dedupeKey'] },
    {
      name: 'alerts_open_key',
      properties: ['tenantId', 'suite', 'cellKey', 'kind'],
      where: `ended_at is null and kind in ('regression', 'nothing_executed')`,
    },
  ],
  indexes: [
    indexOn('alerts_run_idx', 'alerts', ['run_id']),
    indexOn('alerts_suite_idx', 'alerts', ['suite_id']),
    { name: 'alerts_time_idx', properties: ['tenantId', 'createdAt', 'id'] },
  ],
  properties: {
    tenantId,
    id: id(),
    kind: p.enum(AlertKind.options),
    /** Null: a test of a channel. */
    suite: () => partOf(AgentTestSuite, 'suite_id').nullable(),
    suiteName: text().nullable(),
    cellKey: text().default(''),
    /** Null: no run was started. */
    run: () => partOf(Run, 'run_id').nullable(),
    suiteRunId: p.uuid().nullable(),
    facts: p.json<AlertFacts>().defaultRaw(`'{}'::jsonb`),
    dedupeKey: text(),
    /** The alert of what is over with this one. */
    resolves: p.uuid().nullable(),
    /** Null: what goes on has not ended; of what does not go on it says nothing. */
    endedAt: time().nullable(),
    createdAt: createdAt(),
  },
});

/** Something that people are told without looking; by which ways is in the outbox. */
export class Alert extends AlertSchema.class {}
AlertSchema.setClass(Alert);
