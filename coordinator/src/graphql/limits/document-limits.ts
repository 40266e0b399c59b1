import type { DocumentNode, GraphQLError } from 'graphql';
import { graphqlError } from '../graphql-error.ts';
import { measureDocument } from './measure-document.ts';

const limits = {
  tokens: 1000,
  depth: 10,
  // What the standard introspection query of editors and code generators needs.
  introspectionDepth: 16,
  fields: 2000,
  aliases: 30,
  mutationFields: 5,
  directives: 50,
  directivesOfOne: 4,
} as const;

export const MAX_TOKENS = limits.tokens;

/** Every limit that a parsed document is over; none when it may be validated and executed. */
export function exceededLimits(document: DocumentNode): GraphQLError[] {
  const size = measureDocument(document);
  const errors: GraphQLError[] = [];
  const deny = (...[code, message]: Parameters<typeof graphqlError>) => void errors.push(graphqlError(code, message));
  if (size.hasCycle) deny('QUERY_TOO_DEEP', 'A fragment spreads itself.');
  if (size.depth > limits.depth)
    deny('QUERY_TOO_DEEP', `The query is ${size.depth} fields deep, the limit is ${limits.depth}.`);
  if (size.introspectionDepth > limits.introspectionDepth) {
    deny(
      'QUERY_TOO_DEEP',
      `The introspection is ${size.introspectionDepth} fields deep, the limit is ${limits.introspectionDepth}.`,
    );
  }
  if (size.fields > limits.fields)
    deny('QUERY_TOO_COMPLEX', `The query has more than ${limits.fields} fields once its fragments are followed.`);
  if (size.aliases > limits.aliases)
    deny('TOO_MANY_ALIASES', `The query has ${size.aliases} aliases, the limit is ${limits.aliases}.`);
  if (size.mutationFields > limits.mutationFields) {
    deny(
      'TOO_MANY_ALIASES',
      `The request has ${size.mutationFields} mutations, the limit is ${limits.mutationFields}.`,
    );
  }
  if (size.directives > limits.directives || size.mostDirectives > limits.directivesOfOne) {
    deny(
      'TOO_MANY_DIRECTIVES',
      `At most ${limits.directivesOfOne} directives at one place and ${limits.directives} in all.`,
    );
  }
  return errors;
}
