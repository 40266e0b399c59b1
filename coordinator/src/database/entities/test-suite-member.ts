import { defineEntity, p } from '@mikro-orm/core';
import { AgentTestSuite } from './agent-test-suite.ts';
import { count, createdAt, tenantId } from './columns.ts';
import { indexOn } from './index-on.ts';
import { tenantIsolation } from './tenant-policies.ts';
import { TestCase } from './test-case.ts';

const TestSuiteMemberSchema = defineEntity({
  name: 'TestSuiteMember',
  tableName: 'test_suite_members',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation],
  indexes: [indexOn('test_suite_members_case_idx', 'test_suite_members', ['test_case_id'])],
  properties: {
    tenantId,
    suite: () =>
      p
        .manyToOne(AgentTestSuite)
        .ref()
        .primary()
        .joinColumns('tenant_id', 'suite_id')
        .ownColumns('suite_id')
        .updateRule('no action')
        .deleteRule('cascade'),
    testCase: () =>
      p
        .manyToOne(TestCase)
        .ref()
        .primary()
        .joinColumns('tenant_id', 'test_case_id')
        .ownColumns('test_case_id')
        .updateRule('no action')
        .deleteRule('cascade'),
    /** The place of the case among those of this suite. */
    sortOrder: count(),
    createdAt: createdAt(),
  },
});

/** A case that a suite includes beside its own; its home is another suite. */
export class TestSuiteMember extends TestSuiteMemberSchema.class {}
TestSuiteMemberSchema.setClass(TestSuiteMember);
