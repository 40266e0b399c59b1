import { z } from 'zod';
import { PoolName } from './pool.ts';
import { FreeForm, HttpUrl } from './texts.ts';

/** What the name of a provider decides where an AI configuration does not say it itself. */
interface Provider {
  /** Where its OpenAI-compatible interface is; absent: the operator's default, or the configuration must say it. */
  baseUrl?: string;
  /** The variable that holds its key. */
  keyEnv?: string;
  /** The model that `semantic_similarity` embeds with; absent: it has none. */
  embeddingModel?: string;
  /** Whether `base_url` is required, because every customer has another one. */
  needsUrl?: true;
}

/** All providers are called by the chat completions of OpenAI; these are the ones whose address is known, or asked for. */
const known = {
  openai: { embeddingModel: 'text-embedding-3-small' },
  azure_openai: { needsUrl: true, embeddingModel: 'text-embedding-3-small' },
  azure: { needsUrl: true, embeddingModel: 'text-embedding-3-small' },
  anthropic: { baseUrl: 'https://api.anthropic.com/v1', keyEnv: 'ANTHROPIC_API_KEY' },
  google: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keyEnv: 'GEMINI_API_KEY',
    embeddingModel: 'gemini-embedding-001',
  },
  mistral: { baseUrl: 'https://api.mistral.ai/v1', keyEnv: 'MISTRAL_API_KEY', embeddingModel: 'mistral-embed' },
  groq: { baseUrl: 'https://api.groq.com/openai/v1', keyEnv: 'GROQ_API_KEY' },
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1', keyEnv: 'OPENROUTER_API_KEY' },
  ollama: { baseUrl: 'http://localhost:11434/v1' },
  openai_compatible: { needsUrl: true },
} as const satisfies Record<string, Provider>;

type ProviderName = keyof typeof known;

export const providers: Readonly<Record<ProviderName, Provider>> = known;

// The keys of a literal object are its names.
const providerNames = Object.keys(known) as [ProviderName, ...ProviderName[]];

/** The provider of this name; undefined for one that is stored from elsewhere. */
export const providerNamed = (name: string): Provider | undefined =>
  Object.hasOwn(known, name) ? providers[name as ProviderName] : undefined; // hasOwn has just said so

/** US dollars per million tokens. */
export const TokenPrice = z.strictObject({
  input: z.number().min(0).describe('Tokens sent.'),
  output: z.number().min(0).describe('Tokens received.'),
  cached_input: z.number().min(0).optional().describe('Tokens sent that the provider had cached.'),
});
export type TokenPrice = z.infer<typeof TokenPrice>;

/** What the provider allows. All runners of a coordinator keep to it together. */
export const ModelLimits = z.strictObject({
  requests_per_minute: z
    .number()
    .positive()
    .max(6_000_000)
    .optional()
    .describe('Calls that all runners together make to the model in a minute, spread evenly.'),
  tokens_per_minute: z
    .number()
    .positive()
    .max(1_000_000_000)
    .optional()
    .describe('Tokens of questions and answers that all runners together use in a minute, spread evenly.'),
  in_flight: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe('Calls of all runners together that are under way at the same time.'),
  burst: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe('Calls at once after a quiet time, where requests are limited; 1 unless set.'),
});
export type ModelLimits = z.infer<typeof ModelLimits>;

/**
 * The ways to ask for an answer of a given shape, the strictest first. A model that refuses one is asked in the next. A
 * forced tool call is refused or ignored by more models than any other, so nobody is asked for one who does not say so.
 */
export const answerForms = ['tool', 'strict_schema', 'schema', 'json_object', 'plain'] as const;
export type AnswerForm = (typeof answerForms)[number];

/** What Proofmark writes itself into each call: it stands in a field of the configuration, or nowhere. */
const ownFields: Readonly<Record<string, string>> = {
  model: '`model` of the configuration',
  messages: 'the agent and its case',
  stream: '`stream` of the configuration',
  stream_options: '`stream` of the configuration',
  temperature: '`temperature` of the configuration',
  max_tokens: '`max_tokens` of the configuration',
  max_completion_tokens: '`max_tokens` of the configuration',
  seed: '`seed` of the configuration',
  reasoning_effort: '`reasoning_effort` of the configuration',
  logprobs: '`log_probabilities` of the configuration',
  top_logprobs: '`log_probabilities` of the configuration',
  tools: 'the tools of the agent',
  n: 'repetitions: each answer is a call of its own',
};

const mostExtra = 16_384;

/** Fields that a server knows and Proofmark does not. What Proofmark writes itself is refused, so that nothing has two values. */
const ExtraBody = FreeForm.superRefine((body, context) => {
  for (const key of Object.keys(body)) {
    const home = Object.hasOwn(ownFields, key) ? ownFields[key] : undefined;
    if (home === undefined) continue;
    context.addIssue({ code: 'custom', path: [key], message: `comes from ${home}: leave it out here` });
  }
  if (JSON.stringify(body).length > mostExtra)
    context.addIssue({ code: 'custom', path: [], message: `is longer than ${mostExtra} characters as JSON` });
});

/** A named model set-up. The key itself never appears: only the name of the variable that holds it in the runner. */
export const AiConfiguration = z.strictObject({
  provider: z
    .enum(providerNames)
    .describe('Who serves the model: decides its address and the variable of its key where they are not given.'),
  model: z.string().min(1).describe('Name of the model at the provider.'),
  base_url: HttpUrl.optional().describe('Address of its OpenAI-compatible interface; that of the provider unless set.'),
  api_key_env: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/)
    .optional()
    .describe('Name of the environment variable with the key, where cases run.'),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .optional()
    .describe(
      '0 to 2; for agents, values that run, suite or case give the variable Temperature win. Judges: 0 unless set.',
    ),
  max_tokens: z
    .int()
    .min(1)
    .optional()
    .describe(
      'Longest answer; for agents, values that run, suite or case give the variable MaxTokens win. Judges: 800 to 8000 unless set.',
    ),
  seed: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .optional()
    .describe('Sent with every call, for models that can repeat themselves.'),
  reasoning_effort: z
    .string()
    .regex(/^[a-z]{1,20}$/)
    .optional()
    .describe('How long a model that reasons may think, in its own words, such as minimal, low, medium or high.'),
  structured_output: z
    .enum(answerForms)
    .optional()
    .describe(
      'How judges and simulators are asked for JSON; strict_schema unless set. A model that refuses it is asked in the next form.',
    ),
  log_probabilities: z
    .boolean()
    .optional()
    .describe('Whether the model tells how probable its tokens were: G-Eval scores are weighted with it then.'),
  stream: z
    .boolean()
    .optional()
    .describe('Whether answers are asked for as a stream; false unless set. What is stored is the same.'),
  extra_body: ExtraBody.optional().describe(
    'Fields that are sent with each call as they are, for what only this server knows, such as top_p or thinking. No keys: they stay in the environment.',
  ),
  price: TokenPrice.optional().describe('US dollars per million tokens.'),
  limits: ModelLimits.optional().describe('What the model may be asked at a time; anything unless set.'),
  pool: PoolName.optional().describe(
    'Pool of runners from which the model is reached; without a coordinator it says nothing.',
  ),
  label: z.string().min(1).optional().describe('How lists show it.'),
  description: z.string().optional().describe('For people.'),
});
export type AiConfiguration = z.infer<typeof AiConfiguration>;

/** What one model call uses after variables are resolved: a configuration with its name, variables already applied. */
export const ModelSettings = AiConfiguration.omit({ pool: true, label: true, description: true }).extend({
  provider: z.string().min(1),
  configuration: z.string(),
});
export type ModelSettings = z.infer<typeof ModelSettings>;
