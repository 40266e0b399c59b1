import { type DocumentNode, type GraphQLError, visit } from 'graphql';
import { graphqlError } from '../graphql-error.ts';

/**
 * Postgres stores neither NUL nor half a surrogate pair, in a filter as little as in a row: a caller learns it here, with
 * the place, and not from a statement that failed.
 */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** What is wrong with the texts that stand in a document itself. */
export function unstorableLiterals(document: DocumentNode): GraphQLError[] {
  const errors: GraphQLError[] = [];
  visit(document, {
    StringValue: ({ value }) => {
      if (!isStorable(value)) errors.push(refusal('The query'));
    },
  });
  return errors.slice(0, 1);
}

/** What is wrong with the variables of a request, keys of JSON included; they are at most as deep as a body may be. */
export function unstorableVariables(variables: unknown): GraphQLError[] {
  const place = placeOfUnstorable(variables);
  return place === undefined ? [] : [refusal(`$${place.toWellFormed().replaceAll('\0', '\u{FFFD}')}`)];
}

const refusal = (where: string): GraphQLError =>
  graphqlError('BAD_USER_INPUT', `${where}: text must be well-formed Unicode without NUL.`);

/** `filter.repository`; empty when the value itself is such a text. */
function placeOfUnstorable(value: unknown): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : '';
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, entry] of Object.entries(value)) {
    const inside = isStorable(key) ? placeOfUnstorable(entry) : '';
    if (inside !== undefined) return [key.slice(0, 100), inside].filter((part) => part !== '').join('.');
  }
  return undefined;
}
