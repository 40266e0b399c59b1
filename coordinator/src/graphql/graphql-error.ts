import { randomUUID } from 'node:crypto';
import { GraphQLError, type GraphQLErrorOptions } from 'graphql';
import { isLedgerDown } from '../database/ledger-down.ts';

/** Every code that a GraphQL error of this service can carry. Expected failures of mutations are members of their result instead. */
export type ErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'BAD_USER_INPUT'
  | 'RATE_LIMITED'
  | 'TIMEOUT'
  | 'UNAVAILABLE'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'UNKNOWN_WORD'
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

/** An error that the caller may read as it is; everything else is masked. `place`: the field that it is about, where it is not yet known. */
export function graphqlError(code: ErrorCode, message: string, place: Place = {}): GraphQLError {
  const status = statuses[code];
  const retryAfter = retryAfterS[code];
  const headers = retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } };
  const http = status === undefined ? {} : { http: { status, ...headers } };
  return new GraphQLError(message, { ...place, extensions: { code, ...http } });
}

type Place = Pick<GraphQLErrorOptions, 'nodes' | 'source' | 'positions' | 'path'>;

const placeOf = ({ nodes, source, positions, path }: GraphQLError): Place => ({ nodes, source, positions, path });

/** A stored word that this version has no name for. No error of GraphQL: one that a word throws is masked like any other. */
export class UnknownWord extends Error {}

/** Logs an error that callers do not see; they get the id, which finds it in the log. */
export type ReportError = (error: unknown, errorId: string) => void;

// Postgres: statement timeout, lock timeout.
const timedOut: ReadonlySet<string> = new Set(['57014', '55P03']);

/** What a caller reads of an error: our own as they are, a ledger that is down as such, all else only as a number to ask for. */
export function maskError(error: unknown, report: ReportError): Error {
  const cause = error instanceof GraphQLError ? (error.originalError ?? null) : error;
  if (error instanceof GraphQLError && (cause === null || cause instanceof GraphQLError)) return withCode(error);
  const place = error instanceof GraphQLError ? placeOf(error) : {};
  if (cause instanceof UnknownWord) return graphqlError('UNKNOWN_WORD', cause.message, place);
  const errorId = randomUUID();
  report(cause, errorId);
  if (isLedgerDown(cause)) return graphqlError('UNAVAILABLE', 'The ledger does not answer. Try again later.', place);
  if (codesOf(cause).some((code) => timedOut.has(code)))
    return graphqlError('TIMEOUT', 'The request took too long.', place);
  return new GraphQLError('Unexpected error.', { ...place, extensions: { code: 'INTERNAL', errorId } });
}

/** Errors of graphql-js itself are about the text of the request: nothing in them is secret. */
function withCode(error: GraphQLError): GraphQLError {
  const { message, extensions } = error;
  // What the parser of a body threw says how it reads, and nothing that the message does not say.
  if (extensions.originalError !== undefined)
    return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } });
  if (extensions.code !== undefined) return error;
  return new GraphQLError(message, { ...placeOf(error), extensions: { code: 'BAD_USER_INPUT', ...extensions } });
}

function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause ?? previousOf(at)) {
    if ('code' in at && typeof at.code === 'string') codes.push(at.code);
  }
  return codes;
}

// The ORM keeps the driver's error there.
function previousOf(error: Error): unknown {
  return 'previous' in error ? error.previous : undefined;
}
