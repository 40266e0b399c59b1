import { defineEntity, p } from '@mikro-orm/core';
import { tenantOfWhole } from './columns.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';
import { type PayloadOutcome, TestCaseResult } from './test-case-result.ts';

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

/** The payload of results that were stored before it stood in their rows. */
export class TestCasePayload extends TestCasePayloadSchema.class {}
TestCasePayloadSchema.setClass(TestCasePayload);
