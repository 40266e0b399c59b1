import { AgentDefinition } from '@proofmark/contracts/agent-file';
import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/loaded';
import { Project } from '@proofmark/contracts/project';
import { Suite } from '@proofmark/contracts/suite';
import { TestType } from '@proofmark/contracts/test-type';
import type { PlanInput, RunRequest } from './run-request.ts';

/** Definitions for the tests of this folder: a suite of agent-eval cases on two AI configurations. */
const agentEvalType = TestType.parse({
  name: 'agent-eval',
  variables_schema: {
    schemaVersion: '1.0',
    variables: [
      variable('AIConfiguration', 'string', {
        valueSource: 'static',
        possibleValues: [{ value: 'alpha' }, { value: 'beta' }],
      }),
      variable('Temperature', 'number', { defaultValue: 0.7 }),
      variable('MaxTokens', 'number'),
      variable('Day', 'string', { defaultValue: 'Monday' }),
    ],
  },
});

export function variable(name: string, dataType: string, more: object = {}): Record<string, unknown> {
  return { name, displayName: name, dataType, valueSource: 'freeform', required: false, ...more };
}

const sampleProject = (more: object = {}): Project =>
  Project.parse({
    ai_configurations: {
      alpha: { provider: 'openai', model: 'alpha-1', temperature: 0.2, price: { input: 1, output: 2 }, label: 'Alpha' },
      beta: { provider: 'openai', model: 'beta-1', api_key_env: 'BETA_KEY' },
    },
    presets: { cold: { Temperature: 0, Day: 'Friday' } },
    ...more,
  });

export const sampleCase = (name: string, more: object = {}): Record<string, unknown> => ({
  name,
  kind: 'single',
  input: 'Are you open on {{Day}}?',
  expected_behavior: { mode: 'all', checks: [{ type: 'contains_phrases', phrases: ['{{Day}}'] }] },
  ...more,
});

export interface SampleSuite {
  suite?: object;
  agent?: object;
  type?: object;
  path?: string;
  cassette?: LoadedSuite['cassette'];
}

export function sampleSuite({
  suite = {},
  agent = {},
  type,
  path = 'support.suite.yaml',
  cassette,
}: SampleSuite = {}): LoadedSuite {
  const parsed = Suite.parse({ name: 'Support', cases: [sampleCase('Hours')], ...suite });
  return {
    path,
    suite: parsed,
    agent: AgentDefinition.parse({
      name: 'Support agent',
      instructions: 'Answer briefly.',
      driver: { type: 'openai' },
      ai_configuration: 'alpha',
      ...agent,
    }),
    agentPath: path,
    testType: type === undefined ? agentEvalType : TestType.parse(type),
    dependsOn: [path],
    ...(cassette && { cassette }),
    casePositions: new Map(),
    caseFiles: new Map(),
  };
}

export const sampleDefinitions = (
  suites: LoadedSuite[] = [sampleSuite()],
  project: object = {},
): LoadedDefinitions => ({
  project: sampleProject(project),
  suites,
});

export const sampleRequest = (more: Partial<RunRequest> = {}): RunRequest => ({
  variables: {},
  assignments: [],
  preset: null,
  matrix: {},
  matrixAssignments: [],
  cases: [],
  tags: [],
  difficulty: null,
  repetitions: null,
  compared: false,
  variants: ['head'],
  ...more,
});

export const samplePlan = (
  suites: LoadedSuite[],
  request: Partial<RunRequest> = {},
  more: Partial<PlanInput> = {},
): PlanInput => ({
  definitions: sampleDefinitions(suites),
  request: sampleRequest(request),
  runSeed: 'seed',
  ...more,
});
