import { defineEntity, p } from '@mikro-orm/core';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { tenantOfWhole } from './columns.ts';
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
    tenantId: tenantOfWhole,
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
    outcome: p.json<PayloadOutcome>().nullable(),
  },
});

/** The large part of a result, kept aside so that lists stay quick. */
export class TestCasePayload extends TestCasePayloadSchema.class {}
TestCasePayloadSchema.setClass(TestCasePayload);
