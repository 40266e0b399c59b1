import {
  ApiTokensDocument,
  CreateApiTokenDocument,
  RevokeApiTokenDocument,
  RotateApiTokenDocument,
} from '@proofmark/client/documents';
import { constantOf, wordOf } from '@proofmark/client/words';
import { Scope } from '@proofmark/contracts/words';
import { z } from 'zod';
import { wholeNumberOption, wordOption } from '../arguments/parse-arguments.ts';
import { askOnce, deedOf, findOne, listVerb, nounCommand, verb } from '../coordinator/noun-command.ts';
import type { OpenCoordinator } from '../coordinator/open-coordinator.ts';

/** No name is meant of those that open nothing any more. */
const opens = ({ revokedAt, expiresAt }: { revokedAt: string | null; expiresAt: string | null }): boolean =>
  revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > Date.now());

const findToken = async ({ patient }: OpenCoordinator, word: string) =>
  await findOne({
    ...{ word, what: 'token' },
    read: async (cut) => {
      const sent = await patient.ask(ApiTokensDocument, cut);
      if (!sent.ok) return sent;
      const { edges, pageInfo } = sent.answer.apiTokens;
      return { ok: true, answer: { edges: edges.filter(({ node }) => opens(node)), pageInfo } };
    },
    nameOf: ({ name }) => name,
  });

export const tokens = nounCommand({
  name: 'tokens',
  verbs: {
    list: listVerb({
      does: 'list the tokens of programs, newest first, ended ones included',
      document: ApiTokensDocument,
      page: ({ apiTokens }) => apiTokens,
      row: ({ id, name, login, scopes, repository, createdAt, expiresAt, revokedAt, lastUsedAt }) => ({
        ...{ id, name, acts_for: login, scopes: scopes.map((scope) => wordOf(Scope.options, scope)), repository },
        ...{ created_at: createdAt, last_used_at: lastUsedAt, expires_at: expiresAt, revoked_at: revokedAt },
      }),
    }),
    create: verb({
      takes: ['NAME'],
      does: 'make a token for a program; it is shown this once',
      options: {
        scope: [
          'SCOPE…',
          `what it may do: ${Scope.options.join(', ')}`,
          z.array(wordOption(Scope.options), { error: 'say what it may do' }),
        ],
        for: ['LOGIN', 'the person or service that it acts for; you unless set', z.string().optional()],
        repository: ['ID', 'the only repository that it is for', z.uuid('must be the id of a repository').optional()],
        days: ['N', 'after how many days it ends; never unless set', wholeNumberOption(1, 3650).optional()],
      },
      run: async ({ words: [name = ''], options, coordinator }) => {
        const input = {
          ...{ name, scopes: options.scope.map(constantOf), login: options.for },
          ...{ repositoryId: options.repository, expiresInDays: options.days },
        };
        return deedOf(
          await askOnce(coordinator, {
            ...{ document: CreateApiTokenDocument, variables: { input } },
            cure: '`proofmark tokens list` shows it. Revoke it, and make another.',
          }),
          ({ createApiToken }) => createApiToken,
          ({ token, apiToken: { id } }) => ({
            ...{ did: `Token ${name} is made (${id}).`, secret: token },
            answer: { id, name, token },
          }),
        );
      },
    }),
    rotate: verb({
      takes: ['TOKEN'],
      does: 'put a new token in the place of one, by its id or its name; it is shown this once',
      options: {
        'grace-hours': [
          'N',
          'how long the old one goes on beside it, 24 unless set',
          wholeNumberOption(0, 168).optional(),
        ],
      },
      run: async ({ words: [word = ''], options, coordinator }) => {
        const found = await findToken(coordinator, word);
        if (!found.ok) return found;
        const graceHours = options['grace-hours'];
        return deedOf(
          await askOnce(coordinator, {
            ...{ document: RotateApiTokenDocument, variables: { id: found.id, graceHours } },
            cure: '`proofmark tokens list` shows it. Revoke it, and make another with `proofmark tokens create`.',
          }),
          ({ rotateApiToken }) => rotateApiToken,
          ({ token, apiToken: { id } }) => ({
            ...{ did: `Token ${id} is in the place of ${found.id}.`, secret: token },
            answer: { id, replaces: found.id, token },
          }),
        );
      },
    }),
    revoke: verb({
      takes: ['TOKEN'],
      does: 'end a token at once, by its id or its name',
      run: async ({ words: [word = ''], coordinator }) => {
        const found = await findToken(coordinator, word);
        if (!found.ok) return found;
        return deedOf(
          await coordinator.patient.ask(RevokeApiTokenDocument, { id: found.id }),
          ({ revokeApiToken }) => revokeApiToken,
          ({ id }) => ({ did: `Token ${id} opens nothing any more.`, answer: { id, revoked: true } }),
        );
      },
    }),
  },
});
