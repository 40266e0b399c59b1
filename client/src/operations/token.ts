import { z } from 'zod';
import { operation } from './operation.ts';

/** The token of a workflow run, and whether the coordinator itself writes checks and comments for its repository. */
export const JobToken = z
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
export type JobToken = z.infer<typeof JobToken>;

/** The only operation that takes the OIDC token of a CI job as its bearer; each token works once. */
export const exchangeTokenOperation = operation<Record<string, never>>()(
  'ExchangeToken',
  'mutation ExchangeToken { exchangeToken { token expiresAt reporting maxBodyBytes } }',
  z.looseObject({ exchangeToken: JobToken }).transform(({ exchangeToken }) => exchangeToken),
);

/** Whom a token stands for. */
export const Viewer = z
  .looseObject({ tenant: z.string(), login: z.string(), kind: z.string(), scopes: z.array(z.string()) })
  .transform(({ tenant, login, kind, scopes }) => ({ tenant, login, kind, scopes }));
export type Viewer = z.infer<typeof Viewer>;

export const viewerOperation = operation<Record<string, never>>()(
  'Viewer',
  'query Viewer { viewer { tenant login kind scopes } }',
  z.looseObject({ viewer: Viewer }).transform(({ viewer }) => viewer),
);
