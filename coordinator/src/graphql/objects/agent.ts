import { builder } from '../builder.ts';
import type { AgentView } from '../read/agent-view.ts';

export const AgentType = builder.objectRef<AgentView>('Agent').implement({
  description: 'What is tested, as it is now; a run keeps a snapshot of what it used.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Its id.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
    configPath: t.exposeString('configPath', {
      nullable: true,
      description: 'Its file, from the root of the repository; null: it was made here.',
    }),
    description: t.string({
      nullable: true,
      description: 'For people.',
      resolve: ({ definition }) => definition?.description ?? null,
    }),
    instructions: t.string({
      nullable: true,
      description: 'The prompt.',
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

export const AgentConnectionType = builder.connectionObject(
  { type: AgentType, name: 'AgentConnection', description: 'A page of agents.' },
  { name: 'AgentEdge', description: 'A row of a page of agents.' },
);
