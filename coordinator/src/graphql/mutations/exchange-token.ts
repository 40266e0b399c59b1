import { exchangeToken, type RunToken } from '../../access/exchange-token.ts';
import { MAX_BODY_BYTES } from '../../http/graphql-endpoint.ts';
import { builder } from '../builder.ts';
import { graphqlError } from '../graphql-error.ts';
import { WhoReportsType } from '../objects/who-reports.ts';

const RunTokenType = builder.objectRef<RunToken>('ExchangeTokenSuccess').implement({
  description: 'A token for this workflow run.',
  fields: (t) => ({
    token: t.exposeString('token', { description: 'The run token. Send it as a bearer token from now on.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When it ends, 15 minutes from now; exchange a new token then.',
    }),
    reporting: t.expose('reporting', { type: WhoReportsType, description: 'Who writes checks and comments.' }),
    maxBodyBytes: t.int({ description: 'The largest request that is accepted.', resolve: () => MAX_BODY_BYTES }),
  }),
});

builder.mutationField('exchangeToken', (t) =>
  t.field({
    type: RunTokenType,
    authScopes: { job: true },
    description:
      'Exchanges the OIDC token of a CI job, sent as the bearer token of this request, for a run token. It works once for each token.',
    resolve: async (_root, _args, { identity, ports }) => {
      if (identity.kind !== 'job') throw graphqlError('FORBIDDEN', 'Send the token of the job.');
      return await exchangeToken(ports.database, identity.job, ports.hasApp);
    },
  }),
);
