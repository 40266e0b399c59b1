import { createAgent, deleteAgent, updateAgent } from '../../definitions/change-agents.ts';
import { defineMutations } from '../definition-mutations.ts';
import { definitionRow } from '../definition-rows.ts';
import { CreateAgentInputType, UpdateAgentInputType } from '../inputs/agent-inputs.ts';
import { AgentType } from '../objects/agent.ts';
import { type AgentView, selectAgents } from '../read/agent-view.ts';

defineMutations<AgentView>(
  {
    name: 'Agent',
    noun: 'an agent',
    scope: 'write',
    deleted: 'Its suites are hidden with it; their runs stay readable.',
    shows: (t) => ({
      agent: t.field({ type: AgentType, description: 'As it is now.', resolve: ({ view }) => view }),
    }),
    read: (context, id) => definitionRow(context, selectAgents, id),
    remove: deleteAgent,
  },
  { input: CreateAgentInputType, change: createAgent },
  { input: UpdateAgentInputType, change: updateAgent },
);
