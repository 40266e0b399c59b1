import { defineEntity, p } from '@mikro-orm/core';
import type { FileContent } from '@proofmark/contracts/file-content';
import { leaseStates } from '@proofmark/domain/lifecycle';
import { count, id, partOf, tenantOfWhole, text, time } from './columns.ts';
import { indexOn } from './index-on.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';
import { TestSuiteRun } from './test-suite-run.ts';

const ChunkSchema = defineEntity({
  name: 'Chunk',
  tableName: 'chunks',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  indexes: [
    indexOn('chunks_suite_run_idx', 'chunks', ['suite_run_id']),
    indexOn(
      'chunks_waiting_idx',
      'chunks',
      ['run_id', 'round', 'position'],
      `state = 'queued' and published_at is null`,
    ),
    { name: 'chunks_published_idx', properties: ['pool'], where: `state = 'queued' and published_at is not null` },
    { name: 'chunks_leased_idx', properties: ['sessionId'], where: `state = 'leased'` },
    { name: 'chunks_open_idx', properties: ['runId'], where: `state in ('queued', 'leased')` },
    { name: 'chunks_poison_idx', properties: ['crashCount'], where: `state = 'queued' and crash_count >= 3` },
  ],
  checks: [
    { name: 'chunks_size_check', expression: 'cardinality(members) >= 1 and cardinality(members) <= 64' },
    { name: 'chunks_open_check', expression: 'open_count >= 0 and open_count <= cardinality(members)' },
    { name: 'chunks_holder_check', expression: `state <> 'leased' or session_id is not null` },
  ],
  properties: {
    tenantId: tenantOfWhole,
    id: id(),
    suiteRun: () => partOf(TestSuiteRun, 'suite_run_id'),
    /** The suite run of the base whose test runs stand beside those of the candidate; null where there are no pairs. */
    baseSuiteRunId: p.uuid().nullable(),
    runId: p.uuid(),
    pool: text().default('default'),
    round: p.integer(),
    /** Among the chunks of its run and round. */
    position: count(),
    /** Its test runs, by their places; they never change. */
    members: p.array().columnType('uuid[]'),
    /** A bit for each place that has nothing to do any more: recorded, given back or called off. */
    settled: p.bigint('number').defaultRaw('0'),
    openCount: p.integer(),
    state: p.enum(leaseStates).default('queued'),
    /** The fencing token: a result counts only under the attempt that is on record here. */
    attempt: count(),
    sessionId: p.uuid().nullable(),
    claimId: p.uuid().nullable(),
    /** Who held it at which attempt. */
    holders: p.array().columnType('uuid[]').defaultRaw(`'{}'`),
    crashCount: count(),
    /** How often a runner fell silent before it had begun any of it. */
    returnCount: count(),
    /** Heartbeats in a row in which the session did not name it. */
    missedBeats: count(),
    publishGen: count(),
    /** Null: the publisher has yet to send it. */
    publishedAt: time().nullable(),
    settingHashes: p.array().columnType('text[]'),
    /** Cases and turns of its message, ready-made; null: made from the plan when it is published. */
    body: text().nullable(),
    /** The local files of its cases: a claim hands out where they are, and need not read the cases for it. */
    contents: p.json<FileContent[]>().nullable(),
  },
});

/** 1 to 64 test runs of one suite run and one round: queue, dispatch outbox and fence in one row. */
export class Chunk extends ChunkSchema.class {}
ChunkSchema.setClass(Chunk);
