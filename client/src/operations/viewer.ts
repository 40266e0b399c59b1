import { z } from 'zod';
import { operation } from '../operation.ts';

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
