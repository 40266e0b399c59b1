import { GraphQLError } from 'graphql';

/** Every code that a GraphQL error of this service can carry. Expected failures of mutations are members of their result instead. */
export type ErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'BAD_USER_INPUT'
  | 'RATE_LIMITED'
  | 'TIMEOUT'
  | 'UNAVAILABLE'
  | 'TOO_MANY_TOKENS'
  | 'QUERY_TOO_DEEP'
  | 'TOO_MANY_ALIASES'
  | 'TOO_MANY_DIRECTIVES'
  | 'QUERY_TOO_COMPLEX';

const statuses: Partial<Record<ErrorCode, number>> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
  TIMEOUT: 503,
};

/** What was asked may be done by then: the same request, repeated, joins it. */
const retryAfterS: Partial<Record<ErrorCode, string>> = { TIMEOUT: '1' };

/** An error that the caller may read as it is; everything else is masked. */
export function graphqlError(code: ErrorCode, message: string): GraphQLError {
  const status = statuses[code];
  const retryAfter = retryAfterS[code];
  const headers = retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } };
  const http = status === undefined ? {} : { http: { status, ...headers } };
  return new GraphQLError(message, { extensions: { code, ...http } });
}
