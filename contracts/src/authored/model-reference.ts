import { z } from 'zod';
import { AiConfiguration } from '../definitions/ai-configuration.ts';
import { HttpUrl, KeyName, refusal } from '../definitions/texts.ts';

const keyReference = z
  .string()
  .regex(
    /^\$\{[A-Z][A-Z0-9_]*\}$/,
    refusal(
      'forbidden_field',
      'a key never stands in a file',
      'Write the name of the environment variable that holds it in api_key_env.',
    ),
  );

/** A model written where it is used, as HoloDeck does: provider and model name, instead of the name of an AI configuration. */
export const InlineModel = z.strictObject({
  ...AiConfiguration.shape,
  model: z.string().min(1).optional(),
  /** The model's name in HoloDeck's spelling. */
  name: z.string().min(1).optional(),
  endpoint: HttpUrl.optional(),
  api_key: keyReference.optional(),
  top_p: z.number().min(0).max(1).optional(),
  api_version: z.string().optional(),
  auth_provider: z.string().optional(),
});
export type InlineModel = z.infer<typeof InlineModel>;

export const ModelReference = z.union([KeyName, InlineModel]);
export type ModelReference = z.infer<typeof ModelReference>;

/** The AI configuration that an inline model describes; undefined when it names no model. */
export function inlineConfiguration(inline: InlineModel): AiConfiguration | undefined {
  const {
    name,
    endpoint,
    api_key,
    top_p: _topP,
    api_version: _version,
    auth_provider: _auth,
    model = name,
    ...rest
  } = inline;
  if (model === undefined) return undefined;
  return {
    ...rest,
    model,
    ...(endpoint === undefined ? {} : { base_url: endpoint }),
    ...(api_key === undefined ? {} : { api_key_env: api_key.slice(2, -1) }),
  };
}
