import { defineEntity, p } from '@mikro-orm/core';
import type { VariablesSchema } from '@proofmark/contracts/test-type';
import { createdAt, deletedAt, id, tenantId, text, updatedAt } from './columns.ts';
import { tenantIsolation } from './tenant-policies.ts';

const TestTypeSchema = defineEntity({
  name: 'TestType',
  tableName: 'test_types',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation],
  uniques: [{ name: 'test_types_name_key', properties: ['tenantId', 'name'], where: 'deleted_at is null' }],
  properties: {
    tenantId,
    id: id(),
    name: text(),
    description: text().nullable(),
    variablesSchema: p.json<VariablesSchema>().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    deletedAt: deletedAt(),
  },
});

/** Which variables a kind of test has. */
export class TestType extends TestTypeSchema.class {}
TestTypeSchema.setClass(TestType);
