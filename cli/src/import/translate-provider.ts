import { z } from 'zod';
import { type BridgeFile, bridgeFiles, execAgent, javascriptAgent } from './bridge-files.ts';
import { type ReadBeside, type Remarks, readSource, type Source, type SourcePath } from './source.ts';

/** A model as an AI configuration, with the tools that it is offered; or what is asked in its place, as a driver of an agent. */
export type ImportedProvider = Named & { name: string } & (
    | { kind: 'model'; configuration: Record<string, unknown>; tools: Record<string, unknown>[] }
    | { kind: 'agent'; driver: Record<string, unknown>; files: BridgeFile[] }
  );

type Vendor = { provider?: string; base_url?: string; api_key_env?: string };

const server = (base_url: string, api_key_env?: string): Vendor => ({
  provider: 'openai_compatible',
  base_url,
  ...(api_key_env === undefined ? {} : { api_key_env }),
});

/** Who is reached by chat completions, under the name that promptfoo has for it. */
const vendors: Record<string, Vendor> = {
  openai: { provider: 'openai' },
  anthropic: { provider: 'anthropic' },
  google: { provider: 'google' },
  mistral: { provider: 'mistral' },
  groq: { provider: 'groq' },
  openrouter: { provider: 'openrouter' },
  ollama: { provider: 'ollama' },
  azure: { provider: 'azure' },
  azureopenai: { provider: 'azure' },
  deepseek: server('https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY'),
  togetherai: server('https://api.together.xyz/v1', 'TOGETHER_API_KEY'),
  fireworks: server('https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY'),
  xai: server('https://api.x.ai/v1', 'XAI_API_KEY'),
  perplexity: server('https://api.perplexity.ai', 'PERPLEXITY_API_KEY'),
  cerebras: server('https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY'),
  nvidia: server('https://integrate.api.nvidia.com/v1', 'NVIDIA_API_KEY'),
  github: server('https://models.github.ai/inference', 'GITHUB_TOKEN'),
  cohere: server('https://api.cohere.ai/compatibility/v1', 'COHERE_API_KEY'),
  moonshot: server('https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY'),
  minimax: server('https://api.minimax.io/v1', 'MINIMAX_API_KEY'),
  aimlapi: server('https://api.aimlapi.com/v1', 'AIML_API_KEY'),
  nscale: server('https://inference.api.nscale.com/v1', 'NSCALE_SERVICE_TOKEN'),
  vercel: server('https://ai-gateway.vercel.sh/v1', 'VERCEL_AI_GATEWAY_API_KEY'),
  litellm: server('http://localhost:4000', 'LITELLM_API_KEY'),
  localai: server('http://localhost:8080/v1'),
  llamafile: server('http://localhost:8080/v1'),
  vllm: server('http://localhost:8080/v1'),
};

/** The words between vendor and model that mean an ordinary chat. */
const chatWords = new Set(['chat', 'messages', 'responses']);
const otherWords =
  /^(?:completion|embeddings?|realtime|assistant|image|speech|transcription|moderation|video|codex|agents|chatkit|claude-agent|foundry|deepresearch|live|gemini-live|imagen|veo)/;

const Entry = z.looseObject({
  id: z.string(),
  label: z.string().optional(),
  config: z.record(z.string(), z.unknown()).default({}),
});

/** What of a provider says nothing about its answers. */
const bookkeeping = new Set(['description', 'delay', 'inputs', 'outputs']);

interface At {
  source: Source;
  path: SourcePath;
  remarks: Remarks;
  readBeside: ReadBeside;
}

/** One provider, or null when Proofmark cannot reach it. */
export function translateProvider(value: unknown, at: At): ImportedProvider | null {
  const { source, path, remarks } = at;
  const parsed = Entry.safeParse(asEntry(value));
  if (!parsed.success) return refuse(at, 'the provider has a form that is not known');
  const { id, label, config, ...others } = parsed.data;
  for (const key of Object.keys(others)) {
    if (bookkeeping.has(key)) remarks.note(source, [...path, key], `provider ${id}: ${key} has no counterpart`);
    else remarks.add(source, [...path, key], `provider ${id}: ${key} has no counterpart`);
  }
  const isWritten = value !== null && typeof value === 'object' && 'id' in value;
  const inside: At = { ...at, path: isWritten ? [...path, 'config'] : path };
  const named = { id, label };
  for (const translate of [ownProgram, service]) {
    const found = translate(named, config, inside);
    if (found !== undefined) return found;
  }
  return model(named, config, inside, at);
}

const refuse = ({ source, path, remarks }: At, message: string): null => {
  remarks.add(source, path, message);
  return null;
};

interface Named {
  id: string;
  label: string | undefined;
}

type Config = Readonly<Record<string, unknown>>;

function model({ id, label }: Named, config: Config, at: At, whole: At): ImportedProvider | null {
  const [service = '', ...words] = id.split(':');
  const vendor = Object.hasOwn(vendors, service) ? vendors[service] : undefined;
  const [first = '', ...rest] = words;
  const name = chatWords.has(first) ? rest.join(':') : words.join(':');
  if (vendor === undefined || name === '' || otherWords.test(first))
    return refuse(whole, `provider ${id}: only chats of models, services and programs are translated`);
  if (first === 'responses') at.remarks.note(at.source, whole.path, `provider ${id}: asked by chat completions`);
  const settings = settingsOf(config, at);
  if (vendor.provider === 'azure' && settings.base_url === undefined)
    return refuse(whole, `provider ${id}: its address is not in this file; give it as apiHost or apiBaseUrl`);
  return {
    ...{ kind: 'model', name: label ?? name, label, id },
    configuration: { provider: 'openai', model: name, ...vendor, ...settings },
    tools: toolsOf(config.tools ?? config.functions, { ...at, path: [...at.path, 'tools'] }),
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

const limit = { to: 'max_tokens', shape: z.int().min(1) };
const settings: Record<string, { to: string; shape: z.ZodType }> = {
  temperature: { to: 'temperature', shape: z.number().min(0).max(2) },
  max_tokens: limit,
  max_completion_tokens: limit,
  max_output_tokens: limit,
  maxOutputTokens: limit,
  seed: { to: 'seed', shape: z.int().min(0).max(2_147_483_647) },
  reasoning_effort: { to: 'reasoning_effort', shape: z.string().regex(/^[a-z]{1,20}$/) },
  stream: { to: 'stream', shape: z.boolean() },
  apiBaseUrl: { to: 'base_url', shape: z.url() },
  baseUrl: { to: 'base_url', shape: z.url() },
  base_url: { to: 'base_url', shape: z.url() },
  apiKeyEnvar: { to: 'api_key_env', shape: z.string().regex(/^[A-Z][A-Z0-9_]*$/) },
};

const Price = z.number().min(0);
/** Read elsewhere, or only about how promptfoo keeps house. */
const ignored = new Set([
  'tools',
  'functions',
  'cost',
  'inputCost',
  'outputCost',
  'maxRetries',
  'showThinking',
  'apiVersion',
  'api_version',
  'region',
  'organization',
]);

function settingsOf(config: Config, at: At): Record<string, unknown> {
  const found = Object.assign({}, ...Object.entries(config).map(([key, value]) => settingOf(key, value, at)));
  const input = Price.safeParse(config.inputCost ?? config.cost);
  const output = Price.safeParse(config.outputCost ?? config.cost);
  if (!input.success || !output.success) return found;
  return { ...found, price: { input: input.data * 1e6, output: output.data * 1e6 } };
}

/** One setting in our words; nothing where there is none like it, which is told. */
function settingOf(key: string, value: unknown, { source, path, remarks }: At): Record<string, unknown> {
  const setting = Object.hasOwn(settings, key) ? settings[key] : undefined;
  if (setting?.shape.safeParse(value).success === true) return { [setting.to]: value };
  const host = key === 'apiHost' && typeof value === 'string' && /^[\w.-]+$/.test(value) ? value : undefined;
  if (host !== undefined) return { base_url: `https://${host}/openai/v1` };
  const effort = key === 'reasoning' ? effortOf(value) : undefined;
  if (effort !== undefined) return { reasoning_effort: effort };
  if (key === 'apiKey')
    remarks.note(source, [...path, key], 'apiKey: keys stay in the environment; name it with api_key_env');
  else if (!ignored.has(key) && !(key === 'tool_choice' && value === 'auto'))
    remarks.add(source, [...path, key], `${key} has no counterpart`);
  return {};
}

const effortOf = (value: unknown): string | undefined =>
  z.strictObject({ effort: z.string().regex(/^[a-z]{1,20}$/) }).safeParse(value).data?.effort;

/** A function in the words of OpenAI, Anthropic or Google. */
const Parameters = z.record(z.string(), z.unknown());
const Described = z.looseObject({ name: z.string().min(1), description: z.string().optional() });
const Tool = z.union([
  z
    .looseObject({ function: Described.extend({ parameters: Parameters.optional() }) })
    .transform(({ function: inner }) => [inner]),
  Described.extend({ input_schema: Parameters }).transform(({ input_schema, ...tool }) => [
    { ...tool, parameters: input_schema },
  ]),
  z
    .looseObject({ functionDeclarations: z.array(Described.extend({ parameters: Parameters.optional() })) })
    .transform(({ functionDeclarations }) => functionDeclarations),
  Described.extend({ parameters: Parameters }).transform((tool) => [tool]),
]);

function toolsOf(value: unknown, at: At): Record<string, unknown>[] {
  if (value === undefined) return [];
  const named = typeof value === 'string' ? /^(?:file:\/\/)?(.+\.(?:json|ya?ml))$/.exec(value)?.[1] : undefined;
  const beside = named === undefined ? undefined : at.readBeside(named);
  const read = beside?.ok === true ? readSource(named ?? '', beside.text) : undefined;
  const parsed = z.array(Tool).safeParse(read?.ok === true ? read.source.value : value);
  if (!parsed.success) {
    at.remarks.add(
      at.source,
      at.path,
      'tools: only descriptions of functions are translated, here or in a file of JSON or YAML',
    );
    return [];
  }
  return parsed.data.flat().map(({ name, description, parameters }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters: lowered(parameters) }),
  }));
}

/** Google writes types of JSON Schema in capitals. */
function lowered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'type' && typeof inner === 'string' ? inner.toLowerCase() : lowered(inner),
    ]),
  );
}

/** A program of the repository: a function, or a process. */
function ownProgram(named: Named, config: Config, at: At): ImportedProvider | null | undefined {
  const { id, label } = named;
  if (id === 'echo') return asFunction(named, label ?? 'echo', [bridgeFiles.echo]);
  const command = /^exec:(.+)$/.exec(id)?.[1];
  if (command !== undefined) return asFunction(named, label ?? stemOf(command), [execAgent(stemOf(command), command)]);
  const [, file, name = 'call_api'] =
    /^(?:file:\/\/|python:)(?:\.\/)?([^:]+\.(?:py|[cm]?[jt]s))(?::(\w+))?$/.exec(id) ?? [];
  return file === undefined ? undefined : ownFile(named, { file, name, config }, at);
}

const stemOf = (text: string): string =>
  text
    .replaceAll(/[^a-zA-Z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40);

/** The first of the files is the function. */
const asFunction = ({ id, label }: Named, name: string, files: [BridgeFile, ...BridgeFile[]]): ImportedProvider => ({
  ...{ kind: 'agent', name, label, id, files },
  driver: { type: 'module', file: files[0].path },
});

function ownFile(
  named: Named,
  { file, name, config }: { file: string; name: string; config: Config },
  at: At,
): ImportedProvider | null {
  const { id, label } = named;
  const beside = at.readBeside(file);
  if (!beside.ok) return refuse(at, `provider ${id}: ${beside.reason}`);
  if (/\bvars\b/.test(beside.text))
    return refuse(at, `provider ${id}: it reads the variables of a test, and is told its prompt alone`);
  const copied: BridgeFile = { path: file, text: beside.text };
  const stem = stemOf(file);
  if (!file.endsWith('.py')) return asFunction(named, label ?? stem, [javascriptAgent(stem, file, config), copied]);
  const command = ['python3', bridgeFiles.pythonProvider.path, file, name, JSON.stringify(config)];
  return {
    ...{ kind: 'agent', name: label ?? stem, label, id, driver: { type: 'command', command } },
    files: [bridgeFiles.pythonProvider, copied],
  };
}

/** A service behind an address, whose request and answer are told in data. */
function service(named: Named, config: Config, at: At): ImportedProvider | null | undefined {
  const { id } = named;
  const address = /^https?:\/\//.test(id) ? id : config.url;
  if (!/^https?(?:$|:)/.test(id) || typeof address !== 'string') return undefined;
  const {
    url: _url,
    method = 'POST',
    headers,
    body,
    queryParams,
    transformResponse,
    responseParser,
    ...others
  } = config;
  for (const key of Object.keys(others)) at.remarks.add(at.source, [...at.path, key], `${key} has no counterpart`);
  const response = pathOf(transformResponse ?? responseParser);
  if (response === undefined)
    return refuse(at, `provider ${id}: a program says where its answer stands; name a path such as json.reply.text`);
  const parts = { request: placed(body), headers: placedTexts(headers), query: placedTexts(queryParams) };
  if (Object.values(parts).includes(unclear) || address.includes('{{'))
    return refuse(at, `provider ${id}: its request has other values than {{prompt}} and {{env.NAME}}`);
  return asService(named, { address, method, response, ...parts });
}

/** `json.choices[0].text` as our paths are written; undefined for more of a program than that. */
const pathOf = (answer: unknown): string | undefined =>
  typeof answer === 'string' ? /^json\.?((?:\.?\w+|\[-?\d+\])+)$/.exec(answer.trim())?.[1] : undefined;

interface Request {
  address: string;
  method: unknown;
  request: unknown;
  headers: unknown;
  query: unknown;
  response: string;
}

function asService(
  { id, label }: Named,
  { address, method, request, headers, query, response }: Request,
): ImportedProvider {
  const driver = {
    ...{ type: 'http', url: address, method },
    ...(isEmpty(headers) ? {} : { headers }),
    ...(isEmpty(query) ? {} : { query }),
    mapping: { request, response },
  };
  return { ...{ kind: 'agent', name: label ?? new URL(address).hostname, label, id }, driver, files: [] };
}

const isEmpty = (value: unknown): boolean => Object.keys(Object(value)).length === 0;

/** Stands for a value that is made in a way we have no words for. */
const unclear = Symbol('unclear');

/** A body with the place of the prompt. */
function placed(value: unknown): unknown {
  if (typeof value === 'string') return placedText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(placed);
    return items.includes(unclear) ? unclear : items;
  }
  const entries = Object.entries(value).map(([key, inner]) => [key, placed(inner)] as const);
  return entries.some(([, inner]) => inner === unclear) ? unclear : Object.fromEntries(entries);
}

const prompt = /\{\{\s*prompt\s*\}\}/;

function placedText(text: string): unknown {
  const [before = '', ...after] = text.split(prompt);
  if (before.includes('{{') || after.some((part) => part.includes('{{'))) return unclear;
  if (after.length === 0) return text;
  const parts = [before, ...after.flatMap((part) => [{ $from: 'input' }, part])].filter((part) => part !== '');
  return parts.length === 1 ? parts[0] : { $concat: parts };
}

/** Headers or query, with the names of secrets where a value comes from the environment. */
function placedTexts(value: unknown): unknown {
  const texts = z.record(z.string(), z.union([z.string(), z.number()])).safeParse(value ?? {});
  if (!texts.success) return unclear;
  // The request decides itself what it carries.
  const kept = Object.entries(texts.data).filter(([name]) => !/^content-(?:type|length)$/i.test(name));
  const filled = kept.map(([name, text]) => [name, placedSecret(String(text))] as const);
  return filled.some(([, inner]) => inner === unclear) ? unclear : Object.fromEntries(filled);
}

function placedSecret(text: string): unknown {
  const [, prefix = '', secret] = /^([^{]*)\{\{\s*env\.(\w+)\s*\}\}$/.exec(text) ?? [];
  return secret === undefined ? placedText(text) : { from_env: secret, ...(prefix === '' ? {} : { prefix }) };
}
