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
export const providerNames = Object.keys(known) as [ProviderName, ...ProviderName[]];

/** The provider of this name; undefined for one that is stored from elsewhere. */
export const providerNamed = (name: string): Provider | undefined =>
  Object.hasOwn(known, name) ? providers[name as ProviderName] : undefined; // hasOwn has just said so
