import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import { sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { ownRows } from '../../definitions/reach.ts';
import { agentDefinition } from '../../definitions/stored-suite.ts';
import type { NamedRow, NamedSelect } from './named-rows.ts';

/** An agent as it is now; what a run used is a snapshot. */
export interface AgentView extends NamedRow {
  repositoryId: string | null;
  configPath: string | null;
  definition: AgentDefinition | null;
  createdAt: string;
  updatedAt: string;
}

export const selectAgents = (caller: Pick<Caller, 'repositoryId'>): NamedSelect<AgentView> => sql`
  select a.id, a.name, a.repository_id as "repositoryId", a.config_path as "configPath", ${agentDefinition} as definition,
    a.created_at as "createdAt", a.updated_at as "updatedAt"
  from agents a where a.deleted_at is null and ${ownRows(caller, sql`a.repository_id`)}`;
