import { defineEntity, p } from '@mikro-orm/core';
import type { VariablesSchema } from '@proofmark/contracts/test-type';
import { createdAt, deletedAt, id, partOf, tenantId, text, updatedAt } from './columns.ts';
import { nameOfOwner } from './index-on.ts';
import { Repository } from './repository.ts';
import { tenantIsolation } from './tenant-policies.ts';

const TestTypeSchema = defineEntity({
  name: 'TestType',
  tableName: 'test_types',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation],
  indexes: [nameOfOwner('test_types')],
  properties: {
    tenantId,
    id: id(),
    /** Whose project file it stands in; null: made through the API, for the whole tenant. */
    repository: () => partOf(Repository, 'repository_id').nullable(),
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
