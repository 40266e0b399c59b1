import { z } from 'zod';
import { operation } from '../operation.ts';

/** The token of a workflow run, and whether the coordinator itself writes checks and comments for its repository. */
export const RunToken = z
  .looseObject({
    token: z.string().min(1),
    expiresAt: z.iso.datetime({ offset: true }),
    reporting: z.enum(['APP', 'NONE']),
    maxBodyBytes: z.int().positive(),
  })
  .transform((answer) => ({
    token: answer.token,
    expiresAtMs: Date.parse(answer.expiresAt),
    hasApp: answer.reporting === 'APP',
    maxBodyBytes: answer.maxBodyBytes,
  }));
export type RunToken = z.infer<typeof RunToken>;

/** The only operation that takes the OIDC token of a CI job as its bearer; each token works once. */
export const exchangeTokenOperation = operation<Record<string, never>>()(
  'ExchangeToken',
  'mutation ExchangeToken { exchangeToken { token expiresAt reporting maxBodyBytes } }',
  z.looseObject({ exchangeToken: RunToken }).transform(({ exchangeToken }) => exchangeToken),
);
