import { defineEntity, p } from '@mikro-orm/core';
import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import { createdAt, deletedAt, id, partOf, tenantId, text, updatedAt } from './columns.ts';
import { nameOfOwner } from './index-on.ts';
import { Repository } from './repository.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const AgentSchema = defineEntity({
  name: 'Agent',
  tableName: 'agents',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  indexes: [nameOfOwner('agents')],
  properties: {
    tenantId,
    id: id(),
    repository: () => partOf(Repository, 'repository_id').nullable(),
    name: text(),
    configPath: text().nullable(),
    /** The agent as it is now; what a run used is its snapshot. */
    definition: p.json<AgentDefinition>().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    deletedAt: deletedAt(),
  },
});

/** What is tested. Its content at one moment is an agent snapshot. */
export class Agent extends AgentSchema.class {}
AgentSchema.setClass(Agent);
