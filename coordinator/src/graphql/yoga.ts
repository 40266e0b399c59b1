import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations';
import {
  createSourceEventStream,
  type DocumentNode,
  executeSubscriptionEvent,
  GraphQLError,
  mapSourceToResponseEvent,
  NoSchemaIntrospectionCustomRule,
  parse,
  validateSubscriptionArgs,
} from 'graphql';
import { createYoga, isAsyncIterable, type Plugin } from 'graphql-yoga';
import { actAs } from '../database/acting.ts';
import type { GraphqlContext, GraphqlPorts, Identity } from './context.ts';
import { graphqlError, maskError, type ReportError } from './graphql-error.ts';
import { knownDocuments } from './known-documents.ts';
import { exceededLimits, MAX_TOKENS } from './limits/document-limits.ts';
import { tellCost } from './limits/query-cost.ts';
import { unstorableLiterals, unstorableVariables } from './limits/storable-texts.ts';
import { schema } from './schema.ts';

type ServerContext = { identity: Identity };

type ExecuteOptions = {
  ports: GraphqlPorts;
  allowIntrospection: boolean;
  /** Whether browsers that are signed in may send no text of their own. */
  sessionsKnownOnly?: boolean;
  report: ReportError;
  executionTimeoutMs?: number;
};

/** A request to `/graphql` whose head and size were checked. */
export interface AskedGraphql {
  body: string;
  /** Media types that the answer may have. */
  accept: string;
  /** Aborts when the caller is gone. */
  signal: AbortSignal;
}

export type ExecuteGraphql = (asked: AskedGraphql, identity: Identity) => Promise<Response>;

/** Executes requests whose sender is known: limits before validation, validation before execution, masking at the end. */
export function graphqlExecutor({
  ports,
  allowIntrospection,
  sessionsKnownOnly = false,
  report,
  executionTimeoutMs = 10_000,
}: ExecuteOptions): ExecuteGraphql {
  const yoga = createYoga<ServerContext, GraphqlContext>({
    schema,
    graphiql: false,
    landingPage: false,
    logging: false,
    // Paths, methods, sizes and origins are checked before a request comes here.
    cors: false,
    multipart: false,
    maxRequestBodySize: false,
    maskedErrors: { maskError: (error) => maskError(error, report), errorMessage: 'Unexpected error.' },
    context: ({ identity, request }) => ({ identity, ports, signal: request.signal }),
    plugins: [
      ...(sessionsKnownOnly ? [refuseTextsOfSessions()] : []),
      askByHash(),
      limitDocuments(allowIntrospection),
      endLateQueries(executionTimeoutMs),
      readAnewForEachEvent(),
      tellCost(),
    ],
  });
  // Its own requests hold a text as it is; those of Node make a stream of it.
  const { Request: YogaRequest } = yoga.fetchAPI;
  return async ({ body, accept, signal }, identity) => {
    const headers = { 'content-type': 'application/json', accept };
    const request = new YogaRequest('http://proofmark/graphql', { method: 'POST', headers, body, signal });
    const execute = async () => await yoga.fetch(request, { identity });
    return await (identity.kind === 'caller' ? actAs(identity.caller, execute) : execute());
  };
}

/**
 * What the page and the client of this version ask is known by the hash of its text. Whoever comes from another version is
 * told so, and sends the text.
 */
function askByHash(): Plugin {
  return usePersistedOperations({
    allowArbitraryOperations: true,
    getPersistedOperation: (hash) => (Object.hasOwn(knownDocuments, hash) ? (knownDocuments[hash] ?? null) : null),
    customErrors: {
      notFound: () =>
        graphqlError('PERSISTED_QUERY_NOT_FOUND', 'This coordinator knows no operation by this hash. Send its text.'),
      keyNotFound: () =>
        new GraphQLError(nothingAsked, { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } }),
    },
  });
}

/** Before the hash of a known operation becomes its text. */
function refuseTextsOfSessions(): Plugin<object, ServerContext> {
  return {
    onParams({ params, context }) {
      const isSession = context.identity.kind === 'caller' && context.identity.caller.kind === 'session';
      if (isSession && params.query !== undefined) throw graphqlError('FORBIDDEN', onlyKnown);
    },
  };
}

const onlyKnown =
  'A browser that is signed in may ask only what the page asks (PROOFMARK_SESSIONS_KNOWN_ONLY). Send a token for anything else.';
const nothingAsked =
  'Send an operation as "query", or the SHA-256 of one that is known here as "extensions.persistedQuery.sha256Hash".';

function limitDocuments(allowIntrospection: boolean): Plugin {
  // Those within all limits. The same text is the same document for as long as its parse is kept.
  const measured = new WeakSet<DocumentNode>();
  return {
    onParse({ setParseFn }) {
      setParseFn((source, options) => parseLimited(String(source instanceof Object ? source.body : source), options));
    },
    onParams({ params, setResult }) {
      const errors = unstorableVariables(params.variables);
      if (errors.length > 0) setResult({ errors });
    },
    onValidate({ params: { documentAST: document }, addValidationRule, setResult }) {
      if (!measured.has(document)) {
        const errors = [...exceededLimits(document), ...unstorableLiterals(document)];
        if (errors.length > 0) setResult(errors);
        else measured.add(document);
      }
      if (!allowIntrospection) addValidationRule(NoSchemaIntrospectionCustomRule);
    },
  };
}

function parseLimited(source: string, options: object | undefined): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: MAX_TOKENS });
  } catch (error) {
    const isTooLong = error instanceof GraphQLError && error.message.includes('token');
    if (isTooLong && error.message.includes(String(MAX_TOKENS)))
      throw graphqlError('TOO_MANY_TOKENS', `The query has more than ${MAX_TOKENS} tokens.`);
    throw error;
  }
}

/**
 * A query or mutation that takes too long is answered without its result, and nothing more is read for it; statements in the
 * ledger end by their own timeout.
 */
export function endLateQueries(timeoutMs: number): Plugin<GraphqlContext> {
  return {
    onExecute({ executeFn, setExecuteFn }) {
      setExecuteFn(async (args) => {
        const late = Promise.withResolvers<{ errors: GraphQLError[] }>();
        const { signal: gone } = args.contextValue;
        const stopping = new AbortController();
        let both: AbortSignal | undefined;
        // Few fields ask for it, and a signal of two others is dear to make and to collect.
        const get = () => {
          both ??= AbortSignal.any([gone, stopping.signal]);
          return both;
        };
        Object.defineProperty(args.contextValue, 'signal', { get, enumerable: true });
        const timer = setTimeout(() => {
          stopping.abort();
          late.resolve({ errors: [graphqlError('TIMEOUT', 'The request took too long.')] });
        }, timeoutMs);
        try {
          return await Promise.race([executeFn(args), late.promise]);
        } finally {
          clearTimeout(timer);
        }
      });
    },
  };
}

/** What a request has read is kept by its context. A stream stays open for an hour, so each of its events has one of its own. */
function readAnewForEachEvent(): Plugin {
  return {
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(async (given) => {
        const args = validateSubscriptionArgs(given);
        if (!('schema' in args)) return { errors: args };
        const events = await createSourceEventStream(args);
        if (!isAsyncIterable(events)) return events;
        return mapSourceToResponseEvent(args, events, (event) =>
          executeSubscriptionEvent({ ...event, contextValue: Object.assign({}, event.contextValue) }),
        );
      });
    },
  };
}
