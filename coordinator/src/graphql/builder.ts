import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import ValidationPlugin from '@pothos/plugin-validation';
import type { Scope } from '@proofmark/contracts/words';
import { mayDo } from '../access/caller.ts';
import type { GraphqlContext } from './context.ts';
import { graphqlError } from './graphql-error.ts';
import { mostCostOf, usualCost } from './limits/query-cost.ts';

type SchemaTypes = {
  Context: GraphqlContext;
  AuthScopes: Record<'read' | 'readAll' | 'write' | 'admin' | 'job', boolean>;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: { list: false; items: false };
  DefaultNodeNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    UUID: { Input: string; Output: string };
    DateTime: { Input: string; Output: Date | string };
    JSON: { Input: unknown; Output: unknown };
  };
};

export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [ScopeAuthPlugin, RelayPlugin, ComplexityPlugin, ValidationPlugin],
  defaultFieldNullability: false,
  scopeAuth: {
    authScopes: ({ identity }) => {
      const has = (scope: Scope) => identity.kind === 'caller' && mayDo(identity.caller, scope);
      // A job sees its own workflow run; the development of suites is for tokens of programs and people.
      const isJob = identity.kind === 'caller' && identity.caller.kind === 'run';
      return {
        readAll: has('runs:read') && !isJob,
        read: has('runs:read'),
        write: has('runs:write'),
        // What is the tenant's alone is nothing to a token for one of its repositories.
        admin: has('admin') && identity.kind === 'caller' && identity.caller.repositoryId === null,
        job: identity.kind === 'job',
      };
    },
    unauthorizedError: () => graphqlError('FORBIDDEN', 'This token may not do that.'),
  },
  relay: {
    // There is no `node(id)`: every object is asked for by its own field, under the rights of that field.
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    cursorType: 'String',
    edgesFieldOptions: {
      // The page itself is what multiplies.
      complexity: { field: 1, multiplier: 1 },
      nullable: { list: false, items: false },
      description: 'The rows, in the order of the list.',
    },
    nodeFieldOptions: { nullable: false, description: 'The row that stands there.' },
    cursorFieldOptions: { description: 'Where the row lies; valid for this list and this tenant only.' },
    // Nothing is read for it: it would count once for each row of its page.
    pageInfoFieldOptions: { complexity: 0, description: 'Where the page lies in the list.' },
    hasNextPageFieldOptions: { nullable: false, description: 'Whether there are rows behind the page.' },
    hasPreviousPageFieldOptions: { nullable: false, description: 'Whether there are rows before the page.' },
    startCursorFieldOptions: {
      nullable: true,
      description: 'Where the first row of the page lies; null: it is empty.',
    },
    endCursorFieldOptions: { nullable: true, description: 'Where the last row of the page lies; null: it is empty.' },
    pageInfoTypeOptions: {
      description: 'Where a page lies in its list. There is no total: counting would read the whole list.',
    },
  },
  complexity: {
    limit: (context) => ({ complexity: mostCostOf(context) }),
    fieldComplexity: (_args, _context, field) => usualCost(field),
    complexityError: (_kind, { complexity, maxComplexity }) =>
      graphqlError(
        'QUERY_TOO_COMPLEX',
        `The query costs ${complexity}, the limit is ${maxComplexity}. Ask for fewer rows with \`first\`, or in several requests.`,
      ),
  },
  validation: {
    validationError: ({ issues }) =>
      graphqlError(
        'BAD_USER_INPUT',
        issues.map(({ path, message }) => [...(path ?? []).map(keyOf), message].join(': ')).join('; '),
      ),
  },
});

function keyOf(segment: PropertyKey | { key: PropertyKey }): string {
  return String(typeof segment === 'object' ? segment.key : segment);
}

/** What the fields of an input type are made with. */
export type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];
