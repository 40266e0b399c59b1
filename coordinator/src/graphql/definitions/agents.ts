import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import { sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { column, type RowOf, selectList } from '../../database/row.ts';
import { type Database, readInTenant } from '../../database/transactions.ts';
import { createAgent, deleteAgent, updateAgent } from '../../definitions/change-agents.ts';
import { ownRows } from '../../definitions/reach.ts';
import { agentDefinition } from '../../definitions/stored-suite.ts';
import { builder, type InputFields } from '../builder.ts';
import { byId } from '../loaders.ts';
import { defineListed, type NamedSelect, readNamed } from './definitions.ts';

const agentColumns = {
  id: column<string>(),
  name: column<string>(),
  repositoryId: column<string | null>(),
  configPath: column<string | null>(),
  definition: column<AgentDefinition | null>(agentDefinition),
  createdAt: column<string>(),
  updatedAt: column<string>(),
};

/** An agent as it is now; what a run used is a snapshot. */
export type AgentView = RowOf<typeof agentColumns>;

const selectAgents = (caller: Pick<Caller, 'repositoryId'>): NamedSelect<AgentView> => sql`
  select ${selectList('a', agentColumns)}
  from agents a where a.deleted_at is null and ${ownRows(caller, sql`a.repository_id`)}`;

/** For a suite that names it: whoever may see the suite may see what it points at. */
export const agentById = byId((database, tenantId, ids) =>
  readNamed(database, tenantId, selectAgents({ repositoryId: null }), ids),
);

export const AgentType = builder.objectRef<AgentView>('Agent').implement({
  description: 'What is tested, as it is now; a run keeps a snapshot of what it used.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Id of the agent.' }),
    name: t.exposeString('name', { description: 'Name of the agent.' }),
    configPath: t.exposeString('configPath', {
      nullable: true,
      description: 'Its file, from the root of the repository; null: it was made here.',
    }),
    description: t.string({
      nullable: true,
      description: 'What it is for, in the words of its author.',
      resolve: ({ definition }) => definition?.description ?? null,
    }),
    instructions: t.string({
      nullable: true,
      description: 'The prompt under test.',
      resolve: ({ definition }) => definition?.instructions ?? null,
    }),
    aiConfiguration: t.string({
      nullable: true,
      description: 'Name of its AI configuration, unless a variable says otherwise.',
      resolve: ({ definition }) => definition?.ai_configuration ?? null,
    }),
    definition: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Everything, as in an agent file.',
      resolve: ({ definition }) => definition,
    }),
    repositoryId: t.expose('repositoryId', {
      type: 'UUID',
      nullable: true,
      description: 'The repository whose files define it; null: it belongs to the whole tenant.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was stored first.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
  }),
});

const optional = (t: InputFields) => ({
  description: t.string({ description: 'What it is for, in the words of its author.' }),
  instructions: t.string({ description: 'The prompt under test.' }),
  tools: t.field({ type: 'JSON', description: 'Tools that the model is offered: name, description, parameters.' }),
  driver: t.field({ type: 'JSON', description: 'How it is reached; absent: an OpenAI-compatible model.' }),
  aiConfiguration: t.string({ description: 'Name of its AI configuration; absent: the only one there is.' }),
});

const CreateAgentInputType = builder.inputType('CreateAgentInput', {
  description: 'An agent that suites test.',
  fields: (t) => ({
    repositoryId: t.field({ type: 'UUID', description: 'The repository that it belongs to; absent: none.' }),
    name: t.string({ required: true, description: 'Name of the agent.' }),
    ...optional(t),
  }),
});

const UpdateAgentInputType = builder.inputType('UpdateAgentInput', {
  description: 'What changes of an agent.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', required: true, description: 'Id of the agent.' }),
    name: t.string({ description: 'Name of the agent.' }),
    ...optional(t),
  }),
});

defineListed({
  type: AgentType,
  fields: { one: 'agent', many: 'agents' },
  words: { one: 'agent', many: 'agents', article: 'an' },
  select: selectAgents,
  scope: 'write',
  deleted: 'Its suites are hidden with it; their runs stay readable.',
  create: { input: CreateAgentInputType, change: createAgent },
  update: { input: UpdateAgentInputType, change: updateAgent },
  remove: deleteAgent,
  table: 'agents',
});

export interface AgentSnapshotView {
  id: string;
  contentHash: string;
  definition: AgentDefinition;
}

/** The snapshots with these ids that belong to the tenant, in no order. */
async function readAgentSnapshots(
  database: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<AgentSnapshotView[]> {
  return await readInTenant(
    database,
    tenantId,
    sql<AgentSnapshotView>`
      select id, content_hash as "contentHash", definition from agent_snapshots where id = any(${ids}::uuid[])`,
  );
}

export const agentSnapshotById = byId(readAgentSnapshots);

export const AgentSnapshotType = builder.objectRef<AgentSnapshotView>('AgentSnapshot').implement({
  description: 'The whole agent as a run used it. Later edits do not change it.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Id of the agent.' }),
    contentHash: t.exposeString('contentHash', { description: 'SHA-256 of its content: the version of the agent.' }),
    name: t.string({ description: 'Name of the agent.', resolve: ({ definition }) => definition.name }),
    instructions: t.string({
      description: 'The prompt under test.',
      resolve: ({ definition }) => definition.instructions,
    }),
    systemPrompt: t.string({
      description: 'The same as instructions.',
      resolve: ({ definition }) => definition.instructions,
    }),
    tools: t.field({
      type: 'JSON',
      description: 'The tools that it may call.',
      resolve: ({ definition }) => definition.tools,
    }),
    definition: t.field({
      type: 'JSON',
      description: 'Everything, as in the agent file.',
      resolve: ({ definition }) => definition,
    }),
  }),
});
