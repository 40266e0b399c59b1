import pg from 'pg';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import type { Ledger } from '../database/open-ledger.fixture.ts';
import { portsOf } from '../story.fixture.ts';
import type { GraphqlPorts } from './context.ts';
import { downloadLinks } from './runs/download-links.ts';
import { countSubscriptions } from './runs/open-subscriptions.ts';
import { graphqlExecutor } from './yoga.ts';

const Answer = z.looseObject({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z
    .array(
      z.looseObject({
        message: z.string(),
        path: z.array(z.union([z.string(), z.number()])).optional(),
        extensions: z.looseObject({ code: z.string() }).optional(),
      }),
    )
    .default([]),
  extensions: z.looseObject({ cost: z.object({ query: z.number(), limit: z.number() }).optional() }).optional(),
});

/** An answer of the schema, and how many statements the ledger was asked for it. */
type Asked = Pick<z.infer<typeof Answer>, 'data' | 'errors'> & {
  cost: { query: number; limit: number } | undefined;
  statements: number;
};

/** An object is what is sent in the place of a text, such as the hash of a known one. */
export type Ask = (caller: Caller, query: string | object, variables?: object) => Promise<Asked>;

/** The executor of a coordinator over a ledger, without a process around it. */
type Given = Partial<GraphqlPorts> & { sessionsKnownOnly?: boolean; mayFault?: boolean };

const executorOf = (ledger: Ledger, { sessionsKnownOnly = false, ...given }: Given, report: (error: unknown) => void) =>
  graphqlExecutor({
    ports: {
      database: ledger.database,
      publicUrl: 'http://proofmark.test',
      forgeUrl: () => 'https://github.com',
      starting: portsOf(ledger),
      cursorKey: Buffer.from('a key for tests'),
      runStarted: () => 'IMMEDIATE',
      runCancelled: () => undefined,
      runChanges: async function* () {},
      subscriptions: countSubscriptions(),
      downloads: downloadLinks(Buffer.from('another key for tests'), 'http://proofmark.test'),
      enrolment: {
        database: ledger.database,
        verify: async () => ({ ok: false, code: 'UNAUTHENTICATED' as const }),
        installations: null,
        trustsAdmins: true,
      },
      hasApp: () => false,
      alerts: {
        ...{ sealingKey: Buffer.alloc(32, 1), signingKey: Buffer.alloc(32, 2), allowedOrigins: new Set<string>() },
        ...{ mail: null, feedback: null, wake: () => undefined },
      },
      settingVariables: {},
      ...given,
    },
    allowIntrospection: true,
    sessionsKnownOnly,
    report,
    // What is claimed is what is answered, and with how many statements; a busy machine may be late.
    executionTimeoutMs: 120_000,
  });

/** Asks the schema over a ledger as a request would. What is masked from callers is thrown, except where it `mayFault`. */
export function asker(ledger: Ledger, { mayFault = false, ...given }: Given = {}): Ask {
  let faults: unknown[] = [];
  const execute = executorOf(ledger, given, (error) => void (mayFault || faults.push(error)));
  return async (caller, query, variables = {}) => {
    const request = requestOf({ ...(typeof query === 'string' ? { query } : query), variables });
    const counted = countStatements();
    faults = [];
    try {
      const response = await execute(request, { kind: 'caller', caller });
      const { data, errors, extensions } = Answer.parse(await response.json());
      if (faults.length > 0) throw faults[0];
      return { data, errors, cost: extensions?.cost, statements: counted.count() };
    } finally {
      counted.stop();
    }
  };
}

const requestOf = (body: object, accept = 'application/json') => ({
  ...{ body: JSON.stringify(body), accept },
  signal: new AbortController().signal,
});

interface Followed {
  /** What the next event says; null when the stream has ended. */
  next: () => Promise<unknown>;
}

/** Follows a subscription over a ledger; a test gives the hints that something changed. */
export function follower(ledger: Ledger): { hint: () => void; follow: (caller: Caller, query: string) => Followed } {
  let bell = Promise.withResolvers<void>();
  const runChanges = async function* () {
    for (;;) {
      await bell.promise;
      bell = Promise.withResolvers<void>();
      yield;
    }
  };
  const execute = executorOf(ledger, { runChanges }, (error) => {
    throw error;
  });
  return {
    hint: () => bell.resolve(),
    follow: (caller, query) => {
      const events = eventsOf(execute(requestOf({ query }, 'text/event-stream'), { kind: 'caller', caller }));
      return { next: async () => (await events.next()).value ?? null };
    },
  };
}

/** What server-sent events say, one by one. */
async function* eventsOf(answer: Promise<Response>): AsyncGenerator<unknown> {
  let text = '';
  for await (const part of (await answer).body ?? []) {
    text += Buffer.from(part).toString('utf8');
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: ?(\{.*)$/m.exec(event)?.[1];
      if (data !== undefined && /^event: next$/m.test(event)) yield JSON.parse(data);
    }
  }
}

const frame = /^\s*(begin|commit|set |rollback|savepoint|release)/i;

type Send = (this: unknown, ...given: unknown[]) => unknown;

/** Statements that connections send from now on, without those that only frame a transaction. */
export function countStatements(): { count: () => number; stop: () => void } {
  // What has parameters is bound, what has none is sent as it is.
  const wire: Record<'query' | 'bind', Send> = Object(pg.Connection.prototype);
  const { query, bind } = wire;
  let statements = 0;
  wire.query = function (...given) {
    if (!frame.test(String(given[0]))) statements += 1;
    return Reflect.apply(query, this, given);
  };
  wire.bind = function (...given) {
    statements += 1;
    return Reflect.apply(bind, this, given);
  };
  const stop = () => void Object.assign(wire, { query, bind });
  return { count: () => statements, stop };
}
