import type { ChangeReport, KindChanges } from '../../definitions/inventory.ts';
import { builder } from '../builder.ts';

const KindChangesType = builder.objectRef<KindChanges>('KindChanges').implement({
  description: 'What an import changed of one kind of definition, by name.',
  fields: (t) => ({
    added: t.exposeStringList('added', { description: 'What was not there before.' }),
    changed: t.exposeStringList('changed', { description: 'What has another content now.' }),
    removed: t.exposeStringList('removed', { description: 'What the files no longer have; it is hidden, not erased.' }),
    unchanged: t.exposeInt('unchanged', { description: 'How many are as they were.' }),
  }),
});

export const ChangeReportType = builder.objectRef<ChangeReport>('DefinitionChanges').implement({
  description: 'What an import changed.',
  fields: (t) => ({
    aiConfigurations: t.field({
      type: KindChangesType,
      description: 'AI configurations.',
      resolve: (of) => of.aiConfigurations,
    }),
    testTypes: t.field({ type: KindChangesType, description: 'Test types.', resolve: (of) => of.testTypes }),
    presets: t.field({ type: KindChangesType, description: 'Presets.', resolve: (of) => of.presets }),
    agents: t.field({ type: KindChangesType, description: 'Agents.', resolve: (of) => of.agents }),
    suites: t.field({ type: KindChangesType, description: 'Suites, without their cases.', resolve: (of) => of.suites }),
    testCases: t.field({
      type: KindChangesType,
      description: 'Cases, as suite / case.',
      resolve: (of) => of.testCases,
    }),
  }),
});
