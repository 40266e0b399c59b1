import { builder } from '../builder.ts';

type Fields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];

const optional = (t: Fields) => ({
  description: t.string({ description: 'For people.' }),
  testType: t.string({ description: 'Which variables its cases have; absent: agent-eval.' }),
  variables: t.field({ type: 'JSON', description: 'Values for all its cases, variable to value.' }),
  judge: t.field({ type: 'JSON', description: 'The model that judges: aiConfiguration, panel.' }),
  simulator: t.field({
    type: 'JSON',
    description: 'The model that plays users: aiConfiguration, temperature, firstSpeaker, review.',
  }),
  embedding: t.field({ type: 'JSON', description: 'The model of semantic_similarity: aiConfiguration.' }),
  evaluations: t.field({ type: 'JSON', description: 'Metrics of all cases: model, metrics.' }),
  mocks: t.field({ type: 'JSON', description: 'Canned answers of tools.' }),
  mockSettings: t.field({ type: 'JSON', description: 'How calls without a canned answer are treated.' }),
  repetitions: t.int({ description: 'How often every case runs, 1 to 100.' }),
  gate: t.field({ type: 'JSON', description: 'When a run is red.' }),
  matrix: t.field({
    type: 'JSON',
    description: 'Variables with several values each; include and exclude beside them.',
  }),
  scheduleType: t.string({ description: 'manual, hourly, daily or weekly.' }),
  scheduleTime: t.string({ description: 'Time of day of a daily or weekly suite, UTC, such as 02:00.' }),
  scheduleDayOfWeek: t.int({ description: 'Day of a weekly suite, 0 is Sunday.' }),
  alertOnRegression: t.boolean({ description: 'Whether a drop of the pass rate alerts.' }),
  alertThresholdPercent: t.int({ description: 'How many percentage points the pass rate may drop, 1 to 100.' }),
  isEnabled: t.boolean({ description: 'false keeps it from running.' }),
});

export const CreateSuiteInputType = builder.inputType('CreateSuiteInput', {
  description: 'A suite, which gets its cases one by one.',
  fields: (t) => ({
    agentId: t.field({ type: 'UUID', required: true, description: 'The agent that is tested.' }),
    name: t.string({ required: true, description: 'Its name, unique for the agent.' }),
    ...optional(t),
  }),
});

export const UpdateSuiteInputType = builder.inputType('UpdateSuiteInput', {
  description: 'What changes of the settings of a suite.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', required: true, description: 'Its id.' }),
    name: t.string({ description: 'Its name, unique for the agent.' }),
    ...optional(t),
  }),
});
