import type { AgentDriver } from './agent-file.ts';
import { AiConfiguration } from './ai-configuration.ts';
import type { PossibleValue, TestType } from './test-type.ts';

export const BUILT_IN_TYPE = 'agent-eval';

/** Values that the built-in type offers as long as a project names no AI configurations of its own. */
const shippedConfigurations: PossibleValue[] = [
  { value: 'claude-sonnet', label: 'Claude Sonnet 4', description: 'Anthropic Claude Sonnet model' },
  { value: 'claude-opus', label: 'Claude Opus 4', description: 'Anthropic Claude Opus model' },
  { value: 'gpt-4o', label: 'GPT-4o', description: 'OpenAI GPT-4o model' },
  { value: 'gemini-pro', label: 'Gemini Pro', description: 'Google Gemini Pro model' },
];

/** The test type `agent-eval`, offering the given AI configurations, or the shipped list when there are none. */
export function builtInType(configurations: readonly PossibleValue[]): TestType {
  return {
    name: BUILT_IN_TYPE,
    description: 'Runs an agent on an AI configuration, with its temperature and output length.',
    variables_schema: {
      schemaVersion: '1.0',
      variables: [
        {
          name: 'AIConfiguration',
          displayName: 'AI Configuration',
          description: 'Which AI configuration to use for the agent (controls model, provider, etc.)',
          dataType: 'string',
          valueSource: 'static',
          possibleValues: configurations.length === 0 ? shippedConfigurations : [...configurations],
          required: false,
        },
        {
          name: 'Temperature',
          displayName: 'Temperature',
          description: 'LLM temperature setting (0.0 = deterministic, 1.0 = creative)',
          dataType: 'number',
          valueSource: 'freeform',
          defaultValue: 0.7,
          required: false,
        },
        {
          name: 'MaxTokens',
          displayName: 'Max Tokens',
          description: 'Maximum output tokens for the LLM response',
          dataType: 'number',
          valueSource: 'freeform',
          required: false,
        },
      ],
    },
  };
}

/** The variables of numbers that steer the calls of an openai agent: the setting each one overrides, and what it may be. */
const settings = {
  Temperature: { key: 'temperature', expected: 'a number from 0 to 2' },
  MaxTokens: { key: 'max_tokens', expected: 'a whole number above 0' },
} as const;

type SteeringVariable = keyof typeof settings;

export const steeringVariables = ['Temperature', 'MaxTokens'] as const satisfies readonly SteeringVariable[];

export const settingOf = (name: SteeringVariable): (typeof settings)[SteeringVariable]['key'] => settings[name].key;

/** Why no model can be called with this value, or undefined. */
export function steeringProblem(name: string, value: unknown): string | undefined {
  const variable = steeringVariables.find((one) => one === name);
  if (variable === undefined) return undefined;
  const { key, expected } = settings[variable];
  if (value !== undefined && AiConfiguration.shape[key].safeParse(value).success) return undefined;
  return `Variable '${name}' value '${String(value)}' cannot be used: expected ${expected}`;
}

/** Whether the numbers of a type steer a model: those of the built-in type do by their meaning, others where there is one. */
export const steersModel = (driver: AgentDriver['type'], testType: string): boolean =>
  driver === 'openai' || testType === BUILT_IN_TYPE;
