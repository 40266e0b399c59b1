import { z } from 'zod';
import { AnsweredRefusal, operation, type Refusal } from './operation.ts';

const ListedToken = z.looseObject({
  id: z.uuid(),
  name: z.string(),
  scopes: z.array(z.string()),
  login: z.string(),
  repository: z.string().nullable(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
});
export type ListedToken = z.infer<typeof ListedToken>;

/** The newest hundred tokens of programs, ended ones included. */
export const apiTokensOperation = operation<Record<string, never>>()(
  'ApiTokens',
  `query ApiTokens {
    apiTokens(first: 100) { edges { node { id name scopes login repository createdAt expiresAt revokedAt lastUsedAt } } }
  }`,
  z
    .looseObject({ apiTokens: z.looseObject({ edges: z.array(z.looseObject({ node: ListedToken })) }) })
    .transform(({ apiTokens }) => apiTokens.edges.map(({ node }) => node)),
);

export interface NewToken {
  name: string;
  /** As in the schema: RUNS_READ, RUNS_WRITE, BASELINE_WRITE, PULL_REQUESTS_WRITE, QUERIES_LARGE, ADMIN. */
  scopes: string[];
  repositoryId?: string;
  login?: string;
  expiresInDays?: number;
}

/** A token itself is shown this once. */
export type MadeToken = { ok: true; id: string; token: string } | { ok: false; refusal: Refusal };

const Made = z
  .looseObject({ token: z.string().min(1), apiToken: z.looseObject({ id: z.uuid() }) })
  .transform(({ token, apiToken }): MadeToken => ({ ok: true, id: apiToken.id, token }));
const Refused = AnsweredRefusal.transform((refusal): MadeToken => ({ ok: false, refusal }));
const AnsweredToken = z.union([Made, Refused]);
const madeFields =
  '__typename ... on UserError { code message } ... on InvalidInput { arguments: problems { path message } }';

export const createApiTokenOperation = operation<{ input: NewToken }>()(
  'CreateApiToken',
  `mutation CreateApiToken($input: CreateApiTokenInput!) {
    createApiToken(input: $input) { ${madeFields} ... on CreateApiTokenSuccess { token apiToken { id } } }
  }`,
  z.looseObject({ createApiToken: AnsweredToken }).transform(({ createApiToken }) => createApiToken),
);

export interface RotateToken {
  id: string;
  /** How long the old token goes on; 24 unless set. */
  graceHours?: number;
}

export const rotateApiTokenOperation = operation<RotateToken>()(
  'RotateApiToken',
  `mutation RotateApiToken($id: UUID!, $graceHours: Int) {
    rotateApiToken(id: $id, graceHours: $graceHours) { ${madeFields} ... on RotateApiTokenSuccess { token apiToken { id } } }
  }`,
  z.looseObject({ rotateApiToken: AnsweredToken }).transform(({ rotateApiToken }) => rotateApiToken),
);

export type Revoked = { ok: true } | { ok: false; refusal: Refusal };

export const revokeApiTokenOperation = operation<{ id: string }>()(
  'RevokeApiToken',
  'mutation RevokeApiToken($id: UUID!) { revokeApiToken(id: $id) { __typename ... on UserError { code message } } }',
  z
    .looseObject({
      revokeApiToken: z.union([
        z.looseObject({ __typename: z.literal('RevokeApiTokenSuccess') }).transform((): Revoked => ({ ok: true })),
        AnsweredRefusal.transform((refusal): Revoked => ({ ok: false, refusal })),
      ]),
    })
    .transform(({ revokeApiToken }) => revokeApiToken),
);
