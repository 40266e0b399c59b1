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
    .array(z.looseObject({ message: z.string(), extensions: z.looseObject({ code: z.string() }).optional() }))
    .default([]),
  extensions: z.looseObject({ cost: z.object({ query: z.number(), limit: z.number() }).optional() }).optional(),
});

/** An answer of the schema, and how many statements the ledger was asked for it. */
type Asked = Pick<z.infer<typeof Answer>, 'data' | 'errors'> & {
  cost: { query: number; limit: number } | undefined;
  statements: number;
};

export type Ask = (caller: Caller, query: string, variables?: object) => Promise<Asked>;

/** Asks the schema over a ledger as a request would, without a process around it. What is masked from callers is thrown. */
export function asker(ledger: Ledger, given: Partial<GraphqlPorts> = {}): Ask {
  let faults: unknown[] = [];
  const execute = graphqlExecutor({
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
      settingVariables: {},
      ...given,
    },
    allowIntrospection: true,
    report: (error) => void faults.push(error),
  });
  return async (caller, query, variables = {}) => {
    const request = new Request('http://proofmark.test/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
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

const frame = /^\s*(begin|commit|set |rollback|savepoint|release)/i;

type Send = (this: unknown, ...given: unknown[]) => unknown;

/** Statements that connections send from now on, without those that only frame a transaction. */
function countStatements(): { count: () => number; stop: () => void } {
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
