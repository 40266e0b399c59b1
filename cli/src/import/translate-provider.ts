import { z } from 'zod';
import type { Remarks, Source, SourcePath } from './source.ts';

/** A provider as an AI configuration, and the tools that it offers its model. */
export interface ImportedProvider {
  name: string;
  configuration: Record<string, unknown>;
  tools: Record<string, unknown>[];
}

const compatible: Record<string, { base_url?: string; api_key_env?: string }> = {
  openai: {},
  openrouter: { base_url: 'https://openrouter.ai/api/v1', api_key_env: 'OPENROUTER_API_KEY' },
  groq: { base_url: 'https://api.groq.com/openai/v1', api_key_env: 'GROQ_API_KEY' },
  deepseek: { base_url: 'https://api.deepseek.com/v1', api_key_env: 'DEEPSEEK_API_KEY' },
  mistral: { base_url: 'https://api.mistral.ai/v1', api_key_env: 'MISTRAL_API_KEY' },
  togetherai: { base_url: 'https://api.together.xyz/v1', api_key_env: 'TOGETHER_API_KEY' },
  ollama: { base_url: 'http://localhost:11434/v1' },
};

const Entry = z.looseObject({
  id: z.string(),
  label: z.string().optional(),
  config: z.record(z.string(), z.unknown()).default({}),
});

/** One provider, or null when Proofmark cannot reach it. */
export function translateProvider(
  source: Source,
  path: SourcePath,
  value: unknown,
  remarks: Remarks,
): ImportedProvider | null {
  const parsed = Entry.safeParse(asEntry(value));
  if (!parsed.success) {
    remarks.add(source, path, 'the provider has a form that is not known');
    return null;
  }
  const { id, label, config, ...others } = parsed.data;
  const [service = '', ...rest] = id.split(':');
  const known = Object.hasOwn(compatible, service) ? compatible[service] : undefined;
  const model = rest.at(0) === 'chat' ? rest.slice(1).join(':') : rest.join(':');
  if (
    known === undefined ||
    model === '' ||
    /^(completion|responses|embedding|realtime|assistant|image)\b/.test(model)
  ) {
    remarks.add(source, path, `provider ${id}: only chat completions of OpenAI and of servers like it are translated`);
    return null;
  }
  for (const key of Object.keys(others))
    remarks.add(source, [...path, key], `provider ${id}: ${key} has no counterpart`);
  const inConfig: SourcePath =
    value !== null && typeof value === 'object' && 'id' in value ? [...path, 'config'] : path;
  return {
    name: label ?? model,
    configuration: { provider: 'openai', model, ...known, ...settingsOf(config, { source, path: inConfig, remarks }) },
    tools: toolsOf(config.tools, { source, path: inConfig, remarks }),
  };
}

/** `openai:gpt-4o`, `{ id: … }` or `{ openai:gpt-4o: { config: … } }`. */
function asEntry(value: unknown): unknown {
  if (typeof value === 'string') return { id: value };
  if (value === null || typeof value !== 'object' || 'id' in value) return value;
  const [only, ...more] = Object.entries(value);
  if (only === undefined || more.length > 0) return value;
  return { ...(typeof only[1] === 'object' ? only[1] : {}), id: only[0] };
}

interface At {
  source: Source;
  path: SourcePath;
  remarks: Remarks;
}

const settings: Record<string, { to: string; shape: z.ZodType }> = {
  temperature: { to: 'temperature', shape: z.number().min(0).max(2) },
  max_tokens: { to: 'max_tokens', shape: z.int().min(1) },
  apiBaseUrl: { to: 'base_url', shape: z.url() },
  apiKeyEnvar: { to: 'api_key_env', shape: z.string().regex(/^[A-Z][A-Z0-9_]*$/) },
};

function settingsOf(config: Readonly<Record<string, unknown>>, { source, path, remarks }: At): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(config)) {
    const setting = Object.hasOwn(settings, key) ? settings[key] : undefined;
    if (setting?.shape.safeParse(value).success === true) found[setting.to] = value;
    else if (key === 'apiKey')
      remarks.add(source, [...path, key], 'apiKey: keys stay in the environment; name it with api_key_env');
    else if (key !== 'tools') remarks.add(source, [...path, key], `${key} has no counterpart`);
  }
  return found;
}

const Tool = z.looseObject({
  function: z.looseObject({
    name: z.string().min(1),
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
  }),
});

function toolsOf(value: unknown, { source, path, remarks }: At): ImportedProvider['tools'] {
  if (value === undefined) return [];
  const parsed = z.array(Tool).safeParse(value);
  if (!parsed.success) {
    remarks.add(source, [...path, 'tools'], 'tools: only functions that are written in this file are translated');
    return [];
  }
  return parsed.data.map(({ function: { name, description, parameters } }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters }),
  }));
}
