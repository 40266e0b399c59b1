import type { AgentDriver } from './agent-file.ts';
import { AiConfiguration } from './ai-configuration.ts';
import { BUILT_IN_TYPE } from './built-in-type.ts';

/** The variables of numbers that steer the calls of an openai agent: the setting each one overrides, and what it may be. */
const settings = {
  Temperature: { key: 'temperature', expected: 'a number from 0 to 2' },
  MaxTokens: { key: 'max_tokens', expected: 'a whole number above 0' },
} as const;

export type SteeringVariable = keyof typeof settings;

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
