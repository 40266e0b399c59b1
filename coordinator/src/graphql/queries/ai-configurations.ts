import { builder } from '../builder.ts';
import { costOfPage, pageArguments } from '../connection.ts';
import { definitionPage, definitionRow } from '../definition-rows.ts';
import { AiConfigurationConnectionType, AiConfigurationType } from '../objects/ai-configuration.ts';
import { selectAiConfigurations } from '../read/shared-definition-views.ts';

builder.queryFields((t) => ({
  aiConfiguration: t.field({
    type: AiConfigurationType,
    nullable: true,
    authScopes: { readAll: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Its id.' }) },
    description: 'One AI configuration; null when there is none with this id.',
    resolve: async (_root, { id }, context) => await definitionRow(context, selectAiConfigurations, id),
  }),
  aiConfigurations: t.field({
    type: AiConfigurationConnectionType,
    authScopes: { readAll: true },
    args: pageArguments(),
    complexity: costOfPage,
    description: 'The AI configurations of the tenant by name.',
    resolve: async (_root, page, context) =>
      await definitionPage(context, 'aiConfigurations', page, selectAiConfigurations),
  }),
}));
