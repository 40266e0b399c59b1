import { defineEntity, p } from '@mikro-orm/core';
import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import { Agent } from './agent.ts';
import { createdAt, id, partOf, tenantId, text } from './columns.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const AgentSnapshotSchema = defineEntity({
  name: 'AgentSnapshot',
  tableName: 'agent_snapshots',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  uniques: [{ name: 'agent_snapshots_content_key', properties: ['tenantId', 'agent', 'contentHash'] }],
  properties: {
    tenantId,
    id: id(),
    agent: () => partOf(Agent, 'agent_id'),
    contentHash: text(),
    definition: p.json<AgentDefinition>(),
    createdAt: createdAt(),
  },
});

/** The whole agent as a run used it, once per content. */
export class AgentSnapshot extends AgentSnapshotSchema.class {}
AgentSnapshotSchema.setClass(AgentSnapshot);
