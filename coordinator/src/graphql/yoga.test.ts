import { GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { expect, test } from 'vitest';
import type { GraphqlContext } from './context.ts';
import { endLateQueries } from './yoga.ts';

test('a query that takes too long is answered, and what still reads for it is told to stop', async () => {
  const stopped = Promise.withResolvers<string>();
  const endless = {
    type: GraphQLString,
    resolve: async (_root: unknown, _args: unknown, { signal }: GraphqlContext) => {
      signal.addEventListener('abort', () => stopped.resolve('stopped'));
      return await stopped.promise;
    },
  };
  const yoga = createYoga({
    schema: new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: { endless } }) }),
    context: ({ request }) => ({ signal: request.signal }),
    plugins: [endLateQueries(1)],
    logging: false,
  });
  const response = await yoga.fetch('http://proofmark.test/graphql?query={endless}');
  expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'TIMEOUT' } }] });
  expect(await stopped.promise).toBe('stopped');
});
