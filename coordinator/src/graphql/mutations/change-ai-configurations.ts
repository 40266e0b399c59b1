import { createShared, deleteShared, updateShared } from '../../definitions/change-shared.ts';
import { aiConfigurations } from '../../definitions/shared-kinds.ts';
import { defineMutations } from '../definition-mutations.ts';
import { definitionRow } from '../definition-rows.ts';
import { CreateAiConfigurationInputType, UpdateAiConfigurationInputType } from '../inputs/ai-configuration-inputs.ts';
import { AiConfigurationType } from '../objects/ai-configuration.ts';
import { type AiConfigurationView, selectAiConfigurations } from '../read/shared-definition-views.ts';

defineMutations<AiConfigurationView>(
  {
    name: 'AiConfiguration',
    noun: 'an AI configuration',
    scope: 'admin',
    deleted: 'Suites that name it stay and refuse to run until they name another.',
    shows: (t) => ({
      aiConfiguration: t.field({
        type: AiConfigurationType,
        description: 'As it is now.',
        resolve: ({ view }) => view,
      }),
    }),
    read: (context, id) => definitionRow(context, selectAiConfigurations, id),
    remove: (database, caller, id) => deleteShared(database, caller, aiConfigurations, id),
  },
  {
    input: CreateAiConfigurationInputType,
    change: (database, caller, given) => createShared(database, caller, aiConfigurations, given),
  },
  {
    input: UpdateAiConfigurationInputType,
    change: (database, caller, given) => updateShared(database, caller, aiConfigurations, given),
  },
);
