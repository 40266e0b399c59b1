import type { Problem } from '@proofmark/contracts/problem';
import { ImportDefinitionsInput, importDefinitions } from '../../definitions/import-definitions.ts';
import type { ChangeReport, KindChanges } from '../../definitions/inventory.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { DefinitionFileType } from '../runs/start-run-input.ts';
import {
  asMember,
  InvalidDefinitionsType,
  InvalidInputType,
  invalidInput,
  memberOf,
  NotAllowedType,
  NotFoundType,
  ProblemType,
  withoutNulls,
} from '../user-errors.ts';
import { refusedMember } from './definitions.ts';

const KindChangesType = builder.objectRef<KindChanges>('KindChanges').implement({
  description: 'What an import changed of one kind of definition, by name.',
  fields: (t) => ({
    added: t.exposeStringList('added', { description: 'What was not there before.' }),
    changed: t.exposeStringList('changed', { description: 'What has another content now.' }),
    removed: t.exposeStringList('removed', { description: 'What the files no longer have; it is hidden, not erased.' }),
    unchanged: t.exposeInt('unchanged', { description: 'How many are as they were.' }),
  }),
});

const ChangeReportType = builder.objectRef<ChangeReport>('DefinitionChanges').implement({
  description: 'What an import changed.',
  fields: (t) => ({
    aiConfigurations: t.field({
      type: KindChangesType,
      description: 'What changed of the AI configurations.',
      resolve: (of) => of.aiConfigurations,
    }),
    testTypes: t.field({
      type: KindChangesType,
      description: 'What changed of the test types.',
      resolve: (of) => of.testTypes,
    }),
    presets: t.field({
      type: KindChangesType,
      description: 'What changed of the presets.',
      resolve: (of) => of.presets,
    }),
    agents: t.field({ type: KindChangesType, description: 'What changed of the agents.', resolve: (of) => of.agents }),
    suites: t.field({ type: KindChangesType, description: 'Suites, without their cases.', resolve: (of) => of.suites }),
    testCases: t.field({
      type: KindChangesType,
      description: 'Cases, as suite / case.',
      resolve: (of) => of.testCases,
    }),
  }),
});

const Input = builder.inputType('ImportDefinitionsInput', {
  description: 'All definition files of a project.',
  fields: (t) => ({
    files: t.field({
      type: [DefinitionFileType],
      required: true,
      description: 'Every definition file that the suites need.',
    }),
    suitePaths: t.stringList({
      required: true,
      description: 'Which of the files are suites: all that the project has.',
    }),
    projectPath: t.string({ description: 'Which of the files is proofmark.yaml.' }),
    repositoryId: t.field({
      type: 'UUID',
      description:
        'The repository that they belong to. Absent: the whole tenant, which needs the scope admin and removes nothing.',
    }),
  }),
});

const ImportedType = builder
  .objectRef<{ changes: ChangeReport; warnings: Problem[] }>('ImportDefinitionsSuccess')
  .implement({
    description: 'The definitions are stored; no run was started.',
    fields: (t) => ({
      changes: t.field({
        type: ChangeReportType,
        description: 'What the import changed, by kind.',
        resolve: ({ changes }) => changes,
      }),
      warnings: t.field({
        type: [ProblemType],
        description: 'What is doubtful in the files, though it stops nothing.',
        resolve: ({ warnings }) => warnings,
      }),
    }),
  });

const ResultType = builder.unionType('ImportDefinitionsResult', {
  description: 'What came of it.',
  types: [ImportedType, InvalidDefinitionsType, InvalidInputType, NotAllowedType, NotFoundType],
  resolveType: memberOf,
});

builder.mutationField('importDefinitions', (t) =>
  t.field({
    type: ResultType,
    authScopes: { write: true },
    args: {
      input: t.arg({ type: Input, required: true, description: 'The files, as they would be sent with a run.' }),
    },
    description:
      'Stores the definitions of a project without starting a run, and says what changed. What the files of a repository no longer have is hidden.',
    resolve: async (_root, { input }, context) => {
      const given = withoutNulls(input);
      const parsed = ImportDefinitionsInput.safeParse(given);
      if (!parsed.success) return invalidInput(parsed.error, given);
      const imported = await importDefinitions(context.ports.database, callerOf(context), parsed.data);
      return imported.ok ? asMember('ImportDefinitionsSuccess', imported) : refusedMember(imported);
    },
  }),
);
