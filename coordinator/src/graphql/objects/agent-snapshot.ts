import { builder } from '../builder.ts';
import type { AgentSnapshotView } from '../read/agent-snapshots.ts';

export const AgentSnapshotType = builder.objectRef<AgentSnapshotView>('AgentSnapshot').implement({
  description: 'The whole agent as a run used it. Later edits do not change it.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Its id.' }),
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
