import type { At, Config } from './imported-provider.ts';

/** Models that promptfoo asks without a temperature and a limit, because they refuse the one and think beyond the other. */
const thinking = /(?:^|[/.])(?:o\d|gpt-5(?!-chat))/;
const thinkingOnAzure = /deepseek[-_]r1|phi-4-(?:mini-)?reasoning|mai-(?:thinking|ds-r1|reasoning)|grok.*reasoning/i;
const steadyClaude = /claude-(?:opus-4-[789]|(?:opus|sonnet|haiku)-[5-9]|fable|mythos)/;
/** Whose own usual temperature promptfoo leaves alone, as it does for Kimi. */
const ownUsual = new Set([
  ...['google', 'mistral', 'ollama', 'cohere', 'localai', 'llamafile', 'vllm', 'litellm', 'minimax'],
]);
/** Models that think, and are given as much room as they want. */
const roomy: Readonly<Record<string, RegExp>> = {
  groq: /gpt-oss|qwen/,
  hyperbolic: /deepseek-r1|qwq/i,
  meta: /^/,
  xai: /^grok-(?:4(?!.*non-reasoning)|build|code|latest|3-mini)/,
};

const isThinking = (service: string, name: string, { isReasoningModel }: Config): boolean =>
  isReasoningModel === true || thinking.test(name) || (service.startsWith('azure') && thinkingOnAzure.test(name));

interface Asked {
  service: string;
  name: string;
}

const hasOwnUsual = ({ service, name }: Asked): boolean =>
  ownUsual.has(service) || (service === 'moonshot' && /^kimi-/i.test(name));

/** What promptfoo sends where nothing is said: the same question has to be asked in the same way. */
export function usualSampling(
  asked: Asked,
  config: Config,
  { source, path, remarks }: At,
): { temperature?: number; max_tokens?: number } {
  const { service, name } = asked;
  if (isThinking(service, name, config)) return {};
  if (hasOwnUsual(asked) && config.temperature === undefined)
    remarks.note(
      source,
      path,
      `provider ${name}: promptfoo leaves the temperature to ${service}; here it is 0.7 unless you write another one`,
    );
  return {
    ...(isSteady(asked, config) || hasOwnUsual(asked) ? {} : { temperature: 0 }),
    ...(isUnbound(asked, config) ? {} : { max_tokens: 1024 }),
  };
}

const isSteady = ({ service, name }: Asked, { top_p, thinking: thoughts, effort }: Config): boolean =>
  steadyClaude.test(name) || (service === 'anthropic' && (top_p ?? thoughts ?? effort) !== undefined);

const isUnbound = (asked: Asked, { thinking: thoughts }: Config): boolean =>
  (hasOwnUsual(asked) && asked.service !== 'mistral') ||
  roomy[asked.service]?.test(asked.name) === true ||
  (asked.service === 'anthropic' && thoughts !== undefined);
