import { expect, test } from 'vitest';
import { type AiConfigurations, settingsOf } from './choose-model.ts';

const configurations: AiConfigurations = {
  claude: { provider: 'anthropic', model: 'claude-sonnet' },
  proxied: { provider: 'anthropic', model: 'claude-sonnet', base_url: 'https://proxy.example.org/v1' },
  own_key: { provider: 'mistral', model: 'm', api_key_env: 'MY_KEY' },
  local: { provider: 'ollama', model: 'llama3' },
  gpt: { provider: 'openai', model: 'gpt-4o' },
};
const addressOf = (name: string) => {
  const { base_url, api_key_env } = settingsOf(configurations, name) ?? {};
  return { base_url, api_key_env };
};

test('the provider decides the address and the variable of its key, unless the configuration does (S4-62)', () => {
  expect(addressOf('claude')).toEqual({ base_url: 'https://api.anthropic.com/v1', api_key_env: 'ANTHROPIC_API_KEY' });
  expect(addressOf('own_key')).toEqual({ base_url: 'https://api.mistral.ai/v1', api_key_env: 'MY_KEY' });
  expect(addressOf('local')).toEqual({ base_url: 'http://localhost:11434/v1', api_key_env: undefined });
});

test('an address of its own gets no key that is not named, and openai stays with the operator’s default', () => {
  expect(addressOf('proxied')).toEqual({ base_url: 'https://proxy.example.org/v1', api_key_env: undefined });
  expect(addressOf('gpt')).toEqual({ base_url: undefined, api_key_env: undefined });
});
