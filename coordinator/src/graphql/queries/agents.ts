import { builder } from '../builder.ts';
import { costOfPage, pageArguments } from '../connection.ts';
import { definitionPage, definitionRow } from '../definition-rows.ts';
import { AgentConnectionType, AgentType } from '../objects/agent.ts';
import { selectAgents } from '../read/agent-view.ts';

builder.queryFields((t) => ({
  agent: t.field({
    type: AgentType,
    nullable: true,
    authScopes: { readAll: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Its id.' }) },
    description: 'One agent; null when there is none with this id.',
    resolve: async (_root, { id }, context) => await definitionRow(context, selectAgents, id),
  }),
  agents: t.field({
    type: AgentConnectionType,
    authScopes: { readAll: true },
    args: pageArguments(),
    complexity: costOfPage,
    description: 'The agents of the tenant by name.',
    resolve: async (_root, page, context) => await definitionPage(context, 'agents', page, selectAgents),
  }),
}));
