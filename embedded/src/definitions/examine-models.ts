import type { LoadedDefinitions } from '@proofmark/contracts/loaded';
import { settingsOf } from '@proofmark/domain/choose-model';
import { chooseEndpoint } from '@proofmark/runner-agent/key-ring';
import type { ModelKeys } from '../environment.ts';

const patienceMs = 5_000;

/** What keeps a model from being asked from here, and what to do; without secrets. */
export interface ModelFinding {
  configuration: string;
  message: string;
}

type Definitions = Pick<LoadedDefinitions, 'project'>;

/** Looks at each AI configuration: whether its key is set, may go where it shall go, and whether anybody answers there. Asks no model. */
export async function examineModels(
  { project }: Definitions,
  keys: ModelKeys,
  signal: AbortSignal,
): Promise<ModelFinding[]> {
  const names = Object.keys(project.ai_configurations);
  const found = await Promise.all(
    names.map(async (configuration) => {
      const message = await whyNotAsked(configuration, { project, keys, signal });
      return message === null ? [] : [{ configuration, message }];
    }),
  );
  return found.flat();
}

interface Looking extends Definitions {
  keys: ModelKeys;
  signal: AbortSignal;
}

async function whyNotAsked(configuration: string, { project, keys, signal }: Looking): Promise<string | null> {
  const settings = settingsOf(project.ai_configurations, configuration);
  if (settings === undefined) return null;
  const endpoint = chooseEndpoint(settings, keys);
  if (!endpoint.ok) return endpoint.message;
  const { baseUrl, key } = endpoint;
  if (key === null && new URL(baseUrl).hostname === 'api.openai.com')
    return 'OPENAI_API_KEY is not set: set it, or write it into .env';
  return await whyNoAnswer({ baseUrl, key, keyEnv: settings.api_key_env ?? 'OPENAI_API_KEY' }, signal);
}

interface Server {
  baseUrl: string;
  key: string | null;
  keyEnv: string;
}

async function whyNoAnswer({ baseUrl, key, keyEnv }: Server, signal: AbortSignal): Promise<string | null> {
  try {
    const answer = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
    });
    await answer.body?.cancel();
    const isRefused = answer.status === 401 || answer.status === 403;
    const { host } = new URL(baseUrl);
    return isRefused ? `The provider at ${host} does not accept the key (${answer.status}): correct ${keyEnv}` : null;
  } catch (error) {
    if (signal.aborted) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : 'no answer in 5 s';
    return `Nobody answers at ${baseUrl} (${cause}): start the server, or correct base_url`;
  }
}
