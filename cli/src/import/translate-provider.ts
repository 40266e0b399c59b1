import { z } from 'zod';
import {
  type At,
  type Config,
  type ImportedProvider,
  type Named,
  type OutputShape,
  refuseProvider,
} from './imported-provider.ts';
import { tellSecrets, withoutSecrets } from './provider-secrets.ts';
import { type ReadBeside, readSource } from './source.ts';
import { ownProgram, service } from './translate-program.ts';
import { usualSampling } from './usual-sampling.ts';
import { lowered, settledSettings } from './vendor-settings.ts';

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
  abliteration: server('https://api.abliteration.ai/v1', 'ABLIT_KEY'),
  atlascloud: server('https://api.atlascloud.ai/v1', 'ATLASCLOUD_API_KEY'),
  cometapi: server('https://api.cometapi.com/v1', 'COMETAPI_KEY'),
  databricks: server('', 'DATABRICKS_TOKEN'),
  'mlflow-gateway': server('http://localhost:5000/gateway/mlflow/v1', 'MLFLOW_GATEWAY_API_KEY'),
  helicone: server('http://localhost:8080/ai', 'HELICONE_API_KEY'),
  hyperbolic: server('https://api.hyperbolic.xyz/v1', 'HYPERBOLIC_API_KEY'),
  huggingface: server('https://router.huggingface.co/v1', 'HF_TOKEN'),
  llamaapi: server('https://api.llama.com/compat/v1', 'LLAMA_API_KEY'),
  meta: server('https://api.meta.ai/v1', 'MODEL_API_KEY'),
  openclaw: server('http://127.0.0.1:18789/v1', 'OPENCLAW_GATEWAY_TOKEN'),
  novita: server('https://api.novita.ai/openai/v1', 'NOVITA_API_KEY'),
  orcarouter: server('https://api.orcarouter.ai/v1', 'ORCAROUTER_API_KEY'),
  bedrock: server('https://bedrock-mantle.us-east-1.api.aws/v1', 'AWS_BEARER_TOKEN_BEDROCK'),
  voyage: server('https://api.voyageai.com/v1', 'VOYAGE_API_KEY'),
  cohere: server('https://api.cohere.ai/compatibility/v1', 'COHERE_API_KEY'),
  moonshot: server('https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY'),
  minimax: server('https://api.minimax.io/v1', 'MINIMAX_API_KEY'),
  aimlapi: server('https://api.aimlapi.com/v1', 'AIML_API_KEY'),
  nscale: server('https://inference.api.nscale.com/v1', 'NSCALE_SERVICE_TOKEN'),
  truefoundry: server('https://llm-gateway.truefoundry.com', 'TRUEFOUNDRY_API_KEY'),
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
  /** Only these, by their labels or names. */
  prompts: z.array(z.string()).optional(),
});

/** What of a provider says nothing about its answers. */
const bookkeeping = new Set(['description', 'delay', 'inputs', 'outputs']);

const fileOfProviders = (value: unknown): string | undefined =>
  typeof value === 'string' ? /^file:\/\/(?:\.\/)?(.+\.(?:ya?ml|json))$/.exec(value)?.[1] : undefined;

/** What stands in the files that the entries name. */
export const textsOfProviders = (entries: readonly unknown[], readBeside: ReadBeside): string[] =>
  entries.flatMap((value) => {
    const file = fileOfProviders(value);
    const beside = file === undefined ? undefined : readBeside(file);
    return beside?.ok === true ? beside.text : [];
  });

/** The providers of one entry, each with the prompts that it is asked; none that Proofmark cannot reach. */
export function translateProviders(value: unknown, at: At): ImportedProvider[] {
  const file = fileOfProviders(value);
  if (file === undefined) return [translateProvider(value, at) ?? []].flat();
  const beside = at.readBeside(file);
  const read = beside.ok ? readSource(file, beside.text) : beside;
  if (!read.ok)
    return [refuseProvider(at, `provider ${file}: ${'reason' in read ? read.reason : read.message}`) ?? []].flat();
  const { source } = read;
  const listed: unknown[] = Array.isArray(source.value) ? source.value : [source.value];
  return listed.flatMap((one, index) => {
    const path = Array.isArray(source.value) ? [index] : [];
    return translateProvider(one, { ...at, source, path }) ?? [];
  });
}

const Prompts = z.array(z.string());

/** One provider, or null when Proofmark cannot reach it, or it shall judge and is no model. */
export function translateProvider(value: unknown, at: At, { judges = false } = {}): ImportedProvider | null {
  const parsed = Entry.safeParse(asEntry(value));
  if (!parsed.success) return refuseProvider(at, 'the provider has a form that is not known');
  const { label, prompts, id: _id, config: _config, ...others } = parsed.data;
  const { id, config, hidden } = withoutSecrets(parsed.data, at);
  tellOthers(id, others, at);
  const isWritten = value !== null && typeof value === 'object' && 'id' in value;
  const inside: At = { ...at, path: isWritten ? [...at.path, 'config'] : at.path };
  const named = { id, label, ...(prompts === undefined ? {} : { prompts: Prompts.parse(prompts) }) };
  // Programs and services have settings of their own, whatever they are called.
  const agent = ownProgram(named, config, inside);
  const found = agent === undefined ? service(named, config, inside) : agent;
  const provider = found === undefined ? model(named, settledSettings(config), inside, at) : found;
  // What becomes of its secrets is told only of one that is taken over.
  if (judges && provider !== null && provider.kind !== 'model')
    return refuseProvider(at, `provider ${id}: only a model judges`);
  if (provider !== null) tellSecrets(provider, { hidden, config }, at);
  return provider;
}

function tellOthers(id: string, others: Config, { source, path, remarks }: At): void {
  for (const key of Object.keys(others)) {
    const tell = bookkeeping.has(key) ? remarks.note : remarks.add;
    tell(source, [...path, key], `provider ${id}: ${key} has no counterpart`);
  }
}

/** What of its settings only fills the books of a gateway. */
const booked: Readonly<Record<string, readonly string[]>> = { truefoundry: ['metadata', 'loggingConfig'] };

function withoutBooks(service: string, config: Config, { source, path, remarks }: At): Config {
  const keys = booked[service]?.filter((key) => Object.hasOwn(config, key)) ?? [];
  for (const key of keys) remarks.note(source, [...path, key], `${key} has no counterpart`);
  return Object.fromEntries(Object.entries(config).filter(([key]) => !keys.includes(key)));
}

function model(named: Named, given: Config, at: At, whole: At): ImportedProvider | null {
  const { id, label } = named;
  const called = calledModel(id);
  if (called === null)
    return refuseProvider(whole, `provider ${id}: only chats of models, services and programs are translated`);
  const { service, vendor, name, isOtherwise } = called;
  const config = withoutBooks(service, given, at);
  if (isOtherwise) at.remarks.note(at.source, whole.path, `provider ${id}: asked by chat completions`);
  const settings = { ...settingsOf(config, at), ...placeOf(service, config) };
  if ((vendor.provider === 'azure' || vendor.base_url === '') && settings.base_url === undefined)
    return refuseProvider(whole, `provider ${id}: its address is not in this file; give it as apiHost or apiBaseUrl`);
  const tools = toolsOf(config.tools ?? config.functions, { ...at, path: [...at.path, 'tools'] });
  return {
    ...named,
    ...{ kind: 'model', name: label ?? name, tools, instructions: instructionsOf(config, at.readBeside) },
    shape: tools.length > 0 ? callsOf(service, config) : isParsed(service, config) ? 'json' : null,
    configuration: { provider: 'openai', model: name, ...vendor, ...usualSampling(called, config, whole), ...settings },
  };
}

/** Who is asked for a chat, and for which model; null for everything that is no chat. */
function calledModel(id: string) {
  const [service = '', ...words] = id.split(':');
  const vendor = Object.hasOwn(vendors, service) ? vendors[service] : undefined;
  const [first = '', ...rest] = words;
  const name = chatWords.has(first) ? rest.join(':') : words.join(':');
  if (vendor === undefined || name === '' || otherWords.test(first) || embedders.has(service)) return null;
  if (service === 'huggingface' && first !== 'chat') return null;
  if (service === 'openclaw') return { service, vendor, name: `openclaw/${name}`, isOtherwise: false };
  return { service, vendor, name, isOtherwise: first === 'responses' || service === 'bedrock' };
}

/** Who only embeds. */
const embedders = new Set(['voyage']);

const WithEmbedding = z.looseObject({ id: z.string(), config: z.record(z.string(), z.unknown()).default({}) });

/** The model that compares texts by their meaning; null, which is told, for one that is not reached by its vendor's embeddings. */
export function translateEmbedding(value: unknown, at: At): { model: Record<string, unknown>; name: string } | null {
  const parsed = WithEmbedding.safeParse(asEntry(value)).data;
  const [, service = '', , name = ''] = /^(\w[\w-]*):((?:embeddings?):)?(.+)$/.exec(parsed?.id ?? '') ?? [];
  const vendor = Object.hasOwn(vendors, service) ? vendors[service] : undefined;
  const isOther = service === 'huggingface' || service === 'bedrock' || otherWords.test(name);
  if (parsed === undefined || vendor === undefined || isOther) {
    refuseProvider(at, `provider ${parsed?.id ?? 'embedding'}: only embeddings in the form of OpenAI are translated`);
    return null;
  }
  const settings = { ...settingsOf(parsed.config, at), ...placeOf(service, parsed.config) };
  return { name: `embedding ${name}`, model: { provider: 'openai', model: name, ...vendor, ...settings } };
}

/** The address, where one of the settings says it in the words of the vendor. */
function placeOf(service: string, { region, workspaceUrl, baseUrl, router }: Config): Record<string, unknown> {
  if (service === 'bedrock' && typeof region === 'string' && /^[a-z0-9-]+$/.test(region))
    return { base_url: `https://bedrock-mantle.${region}.api.aws/v1` };
  if (service === 'databricks' && typeof workspaceUrl === 'string')
    return { base_url: `${workspaceUrl.replace(/\/$/, '')}/serving-endpoints` };
  if (service === 'helicone' && (baseUrl !== undefined || router !== undefined)) {
    const root = typeof baseUrl === 'string' ? baseUrl : 'http://localhost:8080';
    return { base_url: typeof router === 'string' ? `${root}/router/${router}` : `${root}/ai` };
  }
  return {};
}

const Spoken = z.union([
  z.string(),
  z
    .object({ parts: z.array(z.object({ text: z.string() })) })
    .transform(({ parts }) => parts.map(({ text }) => text).join('\n')),
]);

/** What the vendors call instructions beside the prompt; those that are templates are told as a setting that is lost. */
const instructionsOf = ({ instructions, systemInstruction }: Config, readBeside: ReadBeside): string => {
  const text = Spoken.safeParse(instructions ?? systemInstruction).data ?? '';
  const beside = /^file:\/\/.+\.(?:txt|md)$/.test(text) ? readBeside(text.slice('file://'.length)) : undefined;
  const spoken = beside?.ok === true ? beside.text : text;
  return spoken.includes('{{') || spoken.startsWith('file://') ? '' : spoken.trim();
};

/** In which form promptfoo hands a call of a tool to an assertion. */
function callsOf(service: string, { functions }: Config): OutputShape {
  if (service === 'google' || service === 'vertex') return 'google';
  if (service === 'anthropic') return 'anthropic';
  return functions === undefined ? 'openai-tools' : 'openai-functions';
}

/** Who is asked by providers of their own, which hand on the text of a JSON that was asked for. */
const leavesText = new Set(['google', 'mistral', 'anthropic', 'ollama', 'cohere', 'bedrock', 'localai']);

/** Whether promptfoo hands on a JSON that was asked for as what is in it. */
function isParsed(service: string, { response_format }: Config): boolean {
  const type = z.looseObject({ type: z.string() }).safeParse(response_format).data?.type;
  return (
    !leavesText.has(service) && (type === 'json_schema' || (type === 'json_object' && service.startsWith('azure')))
  );
}

/** `openai:gpt-4o`, `{ id: … }` or `{ openai:gpt-4o: { config: … } }`. */
function asEntry(value: unknown): unknown {
  if (typeof value === 'string') return { id: value };
  if (value === null || typeof value !== 'object' || 'id' in value) return value;
  const [only, ...more] = Object.entries(value);
  if (only === undefined || more.length > 0) return value;
  return { ...(typeof only[1] === 'object' ? only[1] : {}), id: only[0] };
}

const address = { to: 'base_url', shape: z.url().refine((url) => isPlain(url)) };
const limit = { to: 'max_tokens', shape: z.int().min(1) };
const settings: Record<string, { to: string; shape: z.ZodType }> = {
  temperature: { to: 'temperature', shape: z.number().min(0).max(2) },
  max_tokens: limit,
  max_completion_tokens: limit,
  max_output_tokens: limit,
  maxOutputTokens: limit,
  maxTokens: limit,
  max_new_tokens: limit,
  num_predict: limit,
  seed: { to: 'seed', shape: z.int().min(0).max(2_147_483_647) },
  reasoning_effort: { to: 'reasoning_effort', shape: z.string().regex(/^[a-z]{1,20}$/) },
  stream: { to: 'stream', shape: z.boolean() },
  apiBaseUrl: address,
  baseUrl: address,
  base_url: address,
  apiKeyEnvar: { to: 'api_key_env', shape: z.string().regex(/^[A-Z][A-Z0-9_]*$/) },
};

/** Sent as they are: promptfoo has the words of chat completions for them. */
const passed: Readonly<Record<string, string>> = Object.fromEntries([
  ...[
    ...['top_p', 'top_k', 'min_p', 'stop', 'frequency_penalty', 'presence_penalty', 'repetition_penalty', 'logit_bias'],
    ...['user', 'service_tier', 'parallel_tool_calls', 'tool_choice', 'verbosity', 'store', 'thinking', 'random_seed'],
    ...['include_reasoning', 'reasoning_format', 'safe_prompt', 'search_domain_filter', 'search_recency_filter'],
    ...['return_related_questions', 'return_images', 'web_search_options', 'search_mode', 'enable_thinking'],
  ].map((key) => [key, key]),
  ...[
    ['topP', 'top_p'],
    ['topK', 'top_k'],
    ['frequencyPenalty', 'frequency_penalty'],
    ['presencePenalty', 'presence_penalty'],
    ['stopSequences', 'stop'],
    ['usageContext', 'usage_context'],
  ],
]);

/** The schema of an answer in the words of chat completions, whichever of the two forms it was written in. */
const Format = z.union([
  z.looseObject({ type: z.enum(['json_object', 'text']) }),
  z.looseObject({ type: z.literal('json_schema'), json_schema: z.looseObject({ schema: z.looseObject({}) }) }),
  z
    .looseObject({ type: z.literal('json_schema'), name: z.string().default('answer'), schema: z.looseObject({}) })
    .transform(({ type, ...json_schema }) => ({ type, json_schema })),
]);

/** Fields of the call that stand in no setting of ours; nothing where the setting is none of them. */
function extraOf(key: string, value: unknown): Record<string, unknown> | undefined {
  if (Object.hasOwn(passed, key) && isPlain(value)) return { [passed[key] ?? key]: value };
  if (key === 'passthrough' || key === 'extra_body' || key === 'extraBodyParams')
    return isPlain(value) ? z.record(z.string(), z.unknown()).safeParse(value).data : undefined;
  if (key === 'effort' && typeof value === 'string' && isPlain(value)) return { output_config: { effort: value } };
  if (key !== 'response_format') return undefined;
  const format = Format.safeParse(value);
  return format.success && isPlain(format.data) ? { response_format: format.data } : undefined;
}

/** Neither a file nor a template stands in it. */
const isPlain = (value: unknown): boolean => !/"file:\/\/|\{\{/.test(JSON.stringify(value ?? null));

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
  'isReasoningModel',
  // The key is asked for where there is one.
  'apiKeyRequired',
  'usage_tier',
  'isPayPerToken',
  'workspaceUrl',
  'router',
]);

function settingsOf(config: Config, at: At): Record<string, unknown> {
  const found = Object.assign({}, ...Object.entries(config).map(([key, value]) => settingOf(key, value, at)));
  const extra = Object.entries(config).map(([key, value]) => extraOf(key, value) ?? {});
  const extra_body: Record<string, unknown> = Object.assign({}, ...extra);
  if (Object.keys(extra_body).length > 0) found.extra_body = extra_body;
  const input = Price.safeParse(config.inputCost ?? config.cost);
  const output = Price.safeParse(config.outputCost ?? config.cost);
  if (!input.success || !output.success) return found;
  return { ...found, price: { input: input.data * 1e6, output: output.data * 1e6 } };
}

/** One setting in our words; nothing where there is none like it, which is told. */
function settingOf(key: string, value: unknown, { source, path, remarks, readBeside }: At): Record<string, unknown> {
  const setting = Object.hasOwn(settings, key) ? settings[key] : undefined;
  if (setting?.shape.safeParse(value).success === true) return { [setting.to]: value };
  const host = key === 'apiHost' && typeof value === 'string' && /^[\w.-]+$/.test(value) ? value : undefined;
  if (host !== undefined) return { base_url: `https://${host}/openai/v1` };
  const effort = key === 'reasoning' ? effortOf(value) : undefined;
  if (effort !== undefined) return { reasoning_effort: effort };
  if (key === 'apiKey')
    remarks.note(source, [...path, key], 'apiKey: keys stay in the environment; name it with api_key_env');
  else if (key === 'effort' && isPlain(value))
    remarks.note(source, [...path, key], 'effort: sent as output_config; look whether the model heeds it there');
  else if (!ignored.has(key) && !isInstruction(key, value, readBeside) && extraOf(key, value) === undefined)
    remarks.add(source, [...path, key], `${key} has no counterpart`);
  return {};
}

const isInstruction = (key: string, value: unknown, readBeside: ReadBeside): boolean =>
  (key === 'instructions' || key === 'systemInstruction') && instructionsOf({ instructions: value }, readBeside) !== '';

const effortOf = (value: unknown): string | undefined =>
  z.strictObject({ effort: z.string().regex(/^[a-z]{1,20}$/) }).safeParse(value).data?.effort;

/** A function in the words of OpenAI, Anthropic or Google. */
const Parameters = z.record(z.string(), z.unknown());
const Described = z.looseObject({
  name: z.string().min(1),
  description: z.string().optional(),
  strict: z.unknown().optional(),
});
const Declared = z.array(Described.extend({ parameters: Parameters.optional() }));
const Tool = z.union([
  z
    .looseObject({ function: Described.extend({ parameters: Parameters.optional() }) })
    .transform(({ function: inner }) => [inner]),
  Described.extend({ input_schema: Parameters }).transform(({ input_schema, ...tool }) => [
    { ...tool, parameters: input_schema },
  ]),
  z.looseObject({ functionDeclarations: Declared }).transform(({ functionDeclarations }) => functionDeclarations),
  z.looseObject({ function_declarations: Declared }).transform(({ function_declarations }) => function_declarations),
  Described.extend({ parameters: Parameters }).transform((tool) => [tool]),
]);

function toolsOf(value: unknown, at: At): Record<string, unknown>[] {
  if (value === undefined) return [];
  const named = typeof value === 'string' ? /^(?:file:\/\/)?(.+\.(?:json|ya?ml))$/.exec(value)?.[1] : undefined;
  const beside = named === undefined ? undefined : at.readBeside(named);
  const read = beside?.ok === true ? readSource(named ?? '', beside.text) : undefined;
  const written = read?.ok === true ? read.source.value : value;
  const parsed = z.array(Tool).safeParse(Array.isArray(written) ? written : [written]);
  if (!parsed.success) {
    at.remarks.add(
      at.source,
      at.path,
      'tools: only descriptions of functions are translated, here or in a file of JSON or YAML',
    );
    return [];
  }
  const tools = parsed.data.flat();
  if (tools.some(({ strict }) => strict === true))
    at.remarks.add(at.source, at.path, 'tools: strict has no counterpart');
  return tools.map(({ name, description, parameters }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters: lowered(parameters) }),
  }));
}
