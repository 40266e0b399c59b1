import { defineEntity, p } from '@mikro-orm/core';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { tenantId } from './columns.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';
import { TestCaseResult } from './test-case-result.ts';

/** What an outcome holds beyond the columns of its row. */
export type PayloadOutcome = Omit<
  CaseOutcome,
  | 'status'
  | 'errorKind'
  | 'errorMessage'
  | 'degraded'
  | 'truncated'
  | 'testInput'
  | 'response'
  | 'checks'
  | 'toolCalls'
  | 'metrics'
  | 'executionTimeMs'
  | 'latencyMs'
  | 'costUsd'
  | 'model'
  | 'retryCount'
  | 'startedAt'
>;

const TestCasePayloadSchema = defineEntity({
  name: 'TestCasePayload',
  tableName: 'test_case_payloads',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  properties: {
    tenantId,
    id: p.uuid().primary(),
    result: () =>
      p
        .oneToOne(TestCaseResult)
        .ref()
        .joinColumns('tenant_id', 'id')
        .ownColumns()
        .unique(false)
        .updateRule('no action')
        .deleteRule('cascade'),
    /** What the runner was given: enough to run it again. Null when it was decided before any runner saw it. */
    work: p.json<CaseWork>().columnType('json').nullable(),
    outcome: p.json<PayloadOutcome>().nullable(),
  },
});

/** The large part of a result, kept aside so that lists stay quick. */
export class TestCasePayload extends TestCasePayloadSchema.class {}
TestCasePayloadSchema.setClass(TestCasePayload);
