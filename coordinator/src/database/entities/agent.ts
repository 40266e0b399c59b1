import { defineEntity } from '@mikro-orm/core';
import { createdAt, deletedAt, id, partOf, tenantId, text, updatedAt } from './columns.ts';
import { Repository } from './repository.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const AgentSchema = defineEntity({
  name: 'Agent',
  tableName: 'agents',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  indexes: [
    {
      name: 'agents_name_key',
      // Agents without a repository share one room of names: two nulls are equal here.
      expression:
        'create unique index "agents_name_key" on "agents" ("tenant_id", "repository_id", "name") nulls not distinct where deleted_at is null',
    },
  ],
  properties: {
    tenantId,
    id: id(),
    repository: () => partOf(Repository, 'repository_id').nullable(),
    name: text(),
    configPath: text().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    deletedAt: deletedAt(),
  },
});

/** What is tested. Its content at one moment is an agent snapshot. */
export class Agent extends AgentSchema.class {}
AgentSchema.setClass(Agent);
