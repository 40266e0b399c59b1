import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { TestCase } from '@proofmark/contracts/test-case';
import type { VariablesSchema } from '@proofmark/contracts/test-type';
import type { ResolvedVariables, VariableValue } from '@proofmark/contracts/variables';
import {
  type IgnoredVariable,
  type ResolveInput,
  resolveVariables,
  valueGiven,
} from '../variables/resolve-variables.ts';
import type { VariableErrorCode } from '../variables/variable-rules.ts';
import { type AiConfigurations, chooseModel, modelLevels } from './choose-model.ts';
import { type AgentSetting, repositoryValues } from './content-hashes.ts';
import { substituteAgent, substituteCase } from './substitute-case.ts';

/** Everything that decides what one variant of an agent does, before a case is chosen. */
export interface AgentSide {
  agent: AgentDefinition;
  type: VariablesSchema;
  suiteVariables: Record<string, VariableValue>;
  aiConfigurations: AiConfigurations;
  /** Run-level values with the cell's. */
  runValues: Record<string, VariableValue>;
}

export type PreparedAgent =
  | {
      ok: true;
      agent: AgentDefinition;
      model: ModelSettings | null;
      resolved: ResolvedVariables;
      ignored: IgnoredVariable[];
    }
  | {
      ok: false;
      blame: 'variables' | 'agent';
      code: VariableErrorCode;
      message: string;
      resolved: ResolvedVariables | null;
      ignored: IgnoredVariable[];
    };

/** The agent as this case meets it: variables resolved, model chosen, instructions filled in. */
export function prepareAgent(side: AgentSide, overrides: TestCase['variables']): PreparedAgent {
  const resolution = resolve(side, overrides);
  if (!resolution.ok) {
    const { code, message: what, hint } = resolution.error;
    const message = hint === undefined ? what : `${what}. ${hint}`;
    return { ok: false, blame: 'variables', code, message, resolved: null, ignored: [] };
  }
  const { resolved, ignored } = resolution;
  const choice = chooseModel({ agent: side.agent, aiConfigurations: side.aiConfigurations, values: resolved.values });
  if (!choice.ok) return { ...choice, code: 'invalid_value', resolved, ignored };
  const agent = substituteAgent(side.agent, { values: resolved.values, declared: declaredNames(side) });
  if (!agent.ok) return { ...agent, blame: 'variables', resolved, ignored };
  return { ok: true, agent: agent.value, model: choice.model, resolved, ignored };
}

/** The case with its texts filled in by `resolved`. */
export function prepareTask(side: AgentSide, testCase: TestCase, resolved: ResolvedVariables) {
  return substituteCase(testCase, { values: resolved.values, declared: declaredNames(side) });
}

/** What a case of this suite runs with when it overrides nothing; required variables may be missing here. */
export function suiteSetting(side: AgentSide): AgentSetting {
  const variables = side.type.variables.map((rule) => ({ ...rule, required: false }));
  return settingOfCase({ ...side, type: { ...side.type, variables } }, null) ?? { model: null, variables: {} };
}

/** What a case runs with, undefined when its variables cannot be resolved. */
export function settingOfCase(side: AgentSide, overrides: TestCase['variables']): AgentSetting | undefined {
  const resolution = resolve(side, overrides);
  if (!resolution.ok) return undefined;
  const values = resolution.resolved.values;
  const choice = chooseModel({ agent: side.agent, aiConfigurations: side.aiConfigurations, values });
  return { model: choice.ok ? choice.model : null, variables: repositoryValues(resolution.resolved) };
}

function resolve(side: AgentSide, test: TestCase['variables']) {
  const { type, suiteVariables, aiConfigurations, runValues } = side;
  const entityValues = Object.keys(aiConfigurations);
  const given: ResolveInput = { type, test, suite: suiteVariables, run: runValues, entityValues };
  return resolveVariables({ ...given, model: modelLevels(side, valueGiven(given, 'AIConfiguration')) });
}

const declaredNames = ({ type }: AgentSide): string[] => type.variables.map((rule) => rule.name);
