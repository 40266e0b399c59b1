import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import { type AiConfiguration, ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { VariableValue } from '@proofmark/contracts/variables';
import { didYouMean } from '../variables/suggest-name.ts';

export type AiConfigurations = Readonly<Record<string, AiConfiguration>>;

/** `blame` says who can repair it: the values of the variables, or the definition of the agent. */
export type ModelChoice =
  | { ok: true; model: ModelSettings | null }
  | { ok: false; blame: 'variables' | 'agent'; message: string };

export interface ModelRequest {
  agent: AgentDefinition;
  aiConfigurations: AiConfigurations;
  values: Readonly<Record<string, VariableValue>>;
}

/**
 * The agent's model after `AIConfiguration`, `Temperature` and `MaxTokens`; null for drivers without a model. An unset
 * variable changes nothing, 0 is a value.
 */
export function chooseModel({ agent, aiConfigurations, values }: ModelRequest): ModelChoice {
  if (agent.driver.type !== 'openai') return { ok: true, model: null };
  const wanted = own(values, 'AIConfiguration');
  const name = wanted === undefined ? ownConfiguration(agent, aiConfigurations) : String(wanted);
  if (name === undefined) {
    const message = `The agent '${agent.name}' names no ai_configuration and the project does not have exactly one`;
    return { ok: false, blame: 'agent', message };
  }
  const settings = settingsOf(aiConfigurations, name);
  if (settings === undefined)
    return {
      ok: false,
      blame: wanted === undefined ? 'agent' : 'variables',
      message: unknownConfiguration(name, aiConfigurations),
    };
  return applySampling(settings, values);
}

/** The named configuration as model calls use it; undefined when the project has none of this name. */
export function settingsOf(aiConfigurations: AiConfigurations, name: string): ModelSettings | undefined {
  if (!Object.hasOwn(aiConfigurations, name)) return undefined;
  const configuration = aiConfigurations[name];
  if (configuration === undefined) return undefined;
  const { label: _label, description: _description, ...settings } = configuration;
  return { ...settings, configuration: name };
}

export function unknownConfiguration(name: string, aiConfigurations: AiConfigurations): string {
  const known = Object.keys(aiConfigurations);
  const hint =
    didYouMean(name, known) ??
    (known.length === 0 ? 'The project defines none.' : `The project has: ${known.join(', ')}.`);
  return `There is no AI configuration '${name}'. ${hint}`;
}

const sampling = [
  ['Temperature', 'temperature', 'a number from 0 to 2'],
  ['MaxTokens', 'max_tokens', 'a whole number above 0'],
] as const;

function applySampling(settings: ModelSettings, values: ModelRequest['values']): ModelChoice {
  let model: unknown = settings;
  for (const [variable, key, expected] of sampling) {
    const value = own(values, variable);
    if (value === undefined) continue;
    const changed = ModelSettings.safeParse({ ...settings, [key]: value });
    if (!changed.success) {
      return {
        ok: false,
        blame: 'variables',
        message: `Variable '${variable}' value '${value}' cannot be used: expected ${expected}`,
      };
    }
    model = { ...ModelSettings.parse(model), [key]: value };
  }
  return { ok: true, model: ModelSettings.parse(model) };
}

function ownConfiguration(agent: AgentDefinition, aiConfigurations: AiConfigurations): string | undefined {
  const names = Object.keys(aiConfigurations);
  return agent.ai_configuration ?? (names.length === 1 ? names[0] : undefined);
}

const own = (values: ModelRequest['values'], name: string): VariableValue | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;
