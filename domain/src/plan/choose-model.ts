import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import { type AiConfiguration, ModelSettings, providers } from '@proofmark/contracts/ai-configuration';
import { settingOf, steeringProblem, steeringVariables } from '@proofmark/contracts/built-in-type';
import { nameHint } from '@proofmark/contracts/near-match';
import type { VariableValue } from '@proofmark/contracts/variables';
import type { ModelLevel } from '../variables/resolve-variables.ts';

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
 * What AI configurations say of temperature and token limit: the one that the variable `AIConfiguration` names, then the
 * agent's own. Both were written by somebody, so they count before the default of a test type.
 */
export function modelLevels(
  { agent, aiConfigurations }: Pick<ModelRequest, 'agent' | 'aiConfigurations'>,
  wanted: unknown,
): ModelLevel[] {
  if (agent.driver.type !== 'openai') return [];
  const named = [
    { source: 'ai_configuration', configuration: typeof wanted === 'string' ? wanted : undefined },
    { source: 'agent', configuration: ownConfiguration(agent, aiConfigurations) },
  ] as const;
  return named.flatMap(({ source, configuration }): ModelLevel[] => {
    const settings = configuration === undefined ? undefined : settingsOf(aiConfigurations, configuration);
    if (configuration === undefined || settings === undefined) return [];
    const said = steeringVariables.map((name): [string, unknown] => [name, settings[settingOf(name)]]);
    return [{ source, configuration, values: Object.fromEntries(said) }];
  });
}

/**
 * The agent's model after `AIConfiguration`, `Temperature` and `MaxTokens`; null for drivers without a model. An unset
 * variable leaves what the configurations say, 0 is a value.
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
      message: noSuchConfiguration(name, aiConfigurations),
    };
  return applySampling(settings, { ...saidBy(modelLevels({ agent, aiConfigurations }, wanted)), ...values });
}

/** What counts of set-ups where no variable says anything, because the test type has none or the case hides it. */
function saidBy(levels: readonly ModelLevel[]): Record<string, VariableValue> {
  const said = levels.toReversed().flatMap(({ values }) => Object.entries(values));
  return Object.fromEntries(said.flatMap(([name, value]) => (typeof value === 'number' ? [[name, value]] : [])));
}

/** The named configuration as model calls use it; undefined when the project has none of this name. */
export function settingsOf(aiConfigurations: AiConfigurations, name: string): ModelSettings | undefined {
  if (!Object.hasOwn(aiConfigurations, name)) return undefined;
  const configuration = aiConfigurations[name];
  if (configuration === undefined) return undefined;
  const { pool: _pool, label: _label, description: _description, ...settings } = configuration;
  return { ...settings, ...addressOf(configuration), configuration: name };
}

/** What the provider decides where the configuration leaves it open; an address of its own comes without a key. */
function addressOf({ provider, base_url, api_key_env }: AiConfiguration): Partial<AiConfiguration> {
  const { baseUrl, keyEnv } = providers[provider];
  if (base_url !== undefined || baseUrl === undefined) return {};
  return { base_url: baseUrl, ...(api_key_env === undefined && keyEnv !== undefined ? { api_key_env: keyEnv } : {}) };
}

export function noSuchConfiguration(name: string, aiConfigurations: AiConfigurations): string {
  const hint = nameHint(name, Object.keys(aiConfigurations), 'The project defines none.');
  return `There is no AI configuration '${name}'. ${hint}`;
}

function applySampling(settings: ModelSettings, values: ModelRequest['values']): ModelChoice {
  const changed: Record<string, VariableValue> = {};
  for (const name of steeringVariables) {
    const value = own(values, name);
    if (value === undefined) continue;
    const message = steeringProblem(name, value);
    if (message !== undefined) return { ok: false, blame: 'variables', message };
    changed[settingOf(name)] = value;
  }
  return { ok: true, model: ModelSettings.parse({ ...settings, ...changed }) };
}

function ownConfiguration(agent: AgentDefinition, aiConfigurations: AiConfigurations): string | undefined {
  const names = Object.keys(aiConfigurations);
  return agent.ai_configuration ?? (names.length === 1 ? names[0] : undefined);
}

const own = (values: ModelRequest['values'], name: string): VariableValue | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;
