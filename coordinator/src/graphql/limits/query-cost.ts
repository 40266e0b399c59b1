import { complexityFromQuery, type FieldComplexityValue } from '@pothos/plugin-complexity';
import type { GraphQLOutputType } from 'graphql';
import { type ExecutionArgs, GraphQLError, getNamedType, getNullableType, isLeafType, isListType, Kind } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { GraphqlContext } from '../context.ts';

const usualMost = 5000;
const largeMost = 50_000;

/** The most that one request of this caller may cost. */
export function mostCostOf({ identity }: GraphqlContext): number {
  return identity.kind === 'caller' && identity.caller.scopes.has('queries:large') ? largeMost : usualMost;
}

/** What is assumed of a list whose arguments do not say how long it may be. */
const usualLength = 10;

/**
 * What a field costs that says nothing else: 1 for each object of the answer. Plain values are free, because they were
 * read with the object that they stand in; what reads something for itself says so at its field.
 */
export function usualCost({ type }: { type: GraphQLOutputType }): FieldComplexityValue {
  if (isLeafType(getNamedType(type))) return 0;
  return isListType(getNullableType(type)) ? { field: usualLength, multiplier: usualLength } : 1;
}

/** Tells with each answer what its request cost, so that nobody has to guess how far the limit is. */
export function tellCost(): Plugin<GraphqlContext> {
  return {
    onExecute: ({ args }) => ({
      onExecuteDone({ result, setResult }) {
        const cost = costOf(args);
        const limit = mostCostOf(args.contextValue);
        if (cost === null || Symbol.asyncIterator in result) return;
        setResult({ ...result, extensions: { ...result.extensions, cost: { query: cost, limit } } });
      },
    }),
  };
}

/** Null when the variables do not fit: the answer says so, and nothing was read. */
function costOf({ document, operationName, schema, variableValues, contextValue }: ExecutionArgs): number | null {
  const isOther = (name: string | undefined) => operationName != null && name !== operationName;
  const definitions = document.definitions.filter(
    (definition) => definition.kind !== Kind.OPERATION_DEFINITION || !isOther(definition.name?.value),
  );
  try {
    const query = { ...document, definitions };
    return complexityFromQuery(query, { schema, variables: { ...variableValues }, ctx: Object(contextValue) })
      .complexity;
  } catch (error) {
    if (error instanceof GraphQLError) return null;
    throw error;
  }
}
