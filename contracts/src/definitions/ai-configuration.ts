import { z } from 'zod';
import { HttpUrl } from './texts.ts';

/** US dollars per million tokens. */
export const TokenPrice = z.strictObject({
  input: z.number().min(0),
  output: z.number().min(0),
  cached_input: z.number().min(0).optional(),
});
export type TokenPrice = z.infer<typeof TokenPrice>;

/** A named model set-up. The key itself never appears: only the name of the variable that holds it in the runner. */
export const AiConfiguration = z.strictObject({
  provider: z.string().min(1),
  model: z.string().min(1),
  base_url: HttpUrl.optional(),
  api_key_env: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/)
    .optional(),
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().min(1).optional(),
  price: TokenPrice.optional(),
  label: z.string().min(1).optional(),
  description: z.string().optional(),
});
export type AiConfiguration = z.infer<typeof AiConfiguration>;

/** What one model call uses after variables are resolved: a configuration with its name, variables already applied. */
export const ModelSettings = AiConfiguration.omit({ label: true, description: true }).extend({
  configuration: z.string(),
});
export type ModelSettings = z.infer<typeof ModelSettings>;
