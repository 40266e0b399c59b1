import { z } from 'zod';
import type { Config } from './imported-provider.ts';

/** Settings in the words of Google's and Anthropic's own calls, in those of chat completions; what is none of these stays as it is. */
export const settledSettings = (config: Config): Config => withChoice(withGeneration(config));

const Generation = z.looseObject({ generationConfig: z.record(z.string(), z.unknown()) });
const Thoughts = z.union([
  z.strictObject({ thinkingLevel: z.string().regex(/^[a-zA-Z]{1,20}$/) }).transform(({ thinkingLevel }) => ({
    reasoning_effort: thinkingLevel.toLowerCase(),
  })),
  z.strictObject({ thinkingBudget: z.int() }).transform(({ thinkingBudget }) => ({
    // The field is called so on the wire: it is one of Google's chat, not ours.
    extra_body: { extra_body: { google: { thinking_config: { thinking_budget: thinkingBudget } } } },
  })),
]);
const Written = z.strictObject({
  response_mime_type: z.literal('application/json'),
  response_schema: z.looseObject({}),
});

/** What Google has in a group of its own, beside the others, where it has the last word. */
function withGeneration(config: Config): Config {
  const found = Generation.safeParse(config);
  if (!found.success) return config;
  const { generationConfig, ...others } = found.data;
  const { thinkingConfig, response_mime_type, response_schema, ...own } = generationConfig;
  const thoughts = Thoughts.safeParse(thinkingConfig);
  const format = Written.safeParse({ response_mime_type, response_schema });
  return {
    ...others,
    ...own,
    ...(thinkingConfig === undefined ? {} : thoughts.success ? thoughts.data : { thinkingConfig }),
    ...(format.success
      ? { response_format: { type: 'json_schema', name: 'answer', schema: lowered(format.data.response_schema) } }
      : Object.fromEntries(
          Object.entries({ response_mime_type, response_schema }).filter(([, value]) => value !== undefined),
        )),
  };
}

const Mode = z.strictObject({ mode: z.string() });
const Choice = z.union([
  z.strictObject({ function_calling_config: Mode }).transform((written) => written.function_calling_config.mode),
  z.strictObject({ functionCallingConfig: Mode }).transform((written) => written.functionCallingConfig.mode),
]);
const choices: Readonly<Record<string, string>> = { auto: 'auto', any: 'required', none: 'none' };

const Chosen = z.union([
  z.strictObject({ type: z.literal('tool'), name: z.string() }).transform(({ name }) => ({
    ...{ type: 'function', function: { name } },
  })),
  z.strictObject({ type: z.enum(['auto', 'any', 'none']) }).transform(({ type }) => choices[type]),
]);

/** Whether a model has to call a tool, in the words of chat completions. */
function withChoice({ tool_config, toolConfig, tool_choice, ...others }: Config): Config {
  const written = tool_config ?? toolConfig;
  const chosen = Chosen.safeParse(tool_choice).data ?? choices[Choice.safeParse(written).data?.toLowerCase() ?? ''];
  if (chosen !== undefined) return { ...others, tool_choice: chosen };
  return {
    ...others,
    ...(tool_choice === undefined ? {} : { tool_choice }),
    ...(written === undefined ? {} : { tool_config: written }),
  };
}

/** Google writes types of JSON Schema in capitals. */
export function lowered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'type' && typeof inner === 'string' ? inner.toLowerCase() : lowered(inner),
    ]),
  );
}
