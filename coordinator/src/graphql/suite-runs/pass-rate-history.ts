import type { VerdictWord } from '@proofmark/contracts/gate';
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../../database/prepared.ts';
import { type Database, readInTenant } from '../../database/transactions.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { canSeeSuite } from '../definitions/read-suites.ts';
import { VerdictWordType } from '../words.ts';
import { type Counters, passRateOf, spentOfSuiteRun } from './read-suite-runs.ts';

const usual = 50;
const most = 500;

export function clampSize(first: number | null | undefined): number {
  return Math.max(0, Math.min(first ?? usual, most));
}

/** What a curve costs: as much as it may have points, each of which is one row. */
export const costOfHistory = ({ first }: { first?: number | null | undefined }) => ({
  field: Math.max(1, clampSize(first)),
  multiplier: 1,
});

/** What bounds a curve that has no pages. */
export const historyArguments = () =>
  builder.args((t) => ({
    cellKey: t.string({ description: 'Only this combination of matrix values; absent: all of them.' }),
    onlyBase: t.boolean({ defaultValue: false, description: 'Only runs that others are compared with.' }),
    first: t.int({ defaultValue: usual, description: 'How many of the newest, up to 500.' }),
  }));

/** One ended suite run as a point of a curve. */
export interface PassRatePoint extends Counters {
  suiteRunId: string;
  cellKey: string;
  runId: string;
  headSha: string | null;
  agentHash: string;
  isBase: boolean;
  verdict: VerdictWord | null;
  completedAt: string;
}

export interface PassRateQuestion {
  tenantId: string;
  suiteId: string;
  /** Null: all combinations of matrix values. */
  cellKey: string | null;
  onlyBase: boolean;
  size: number;
}

/** The newest ended suite runs of a suite, newest first. */
export function passRatesQuery(question: Omit<PassRateQuestion, 'tenantId'>): RawBuilder<PassRatePoint> {
  const { suiteId, cellKey, onlyBase, size } = question;
  const ofCell = cellKey === null ? sql`true` : sql`s.cell_key = ${cellKey}`;
  return sql<PassRatePoint>`${prepared}
    select s.id as "suiteRunId", s.cell_key as "cellKey", s.run_id as "runId", r.head_sha as "headSha", s.agent_hash as "agentHash",
      r.is_base as "isBase", s.verdict, s.total_cases as "totalCases", s.passed_cases as "passedCases",
      s.failed_cases as "failedCases", s.skipped_cases as "skippedCases", s.completed_at as "completedAt"
    from test_suite_runs s join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where s.suite_id = ${suiteId} and ${ofCell} and s.status in ('completed', 'failed')
      and s.variant <> 'baseline' and s.purpose = 'first' and (r.is_base or ${!onlyBase}::boolean)
    order by s.created_at desc, s.id limit ${size}`;
}

/** The same oldest first, as a curve is drawn. */
async function readPassRates(database: Database, question: PassRateQuestion): Promise<PassRatePoint[]> {
  const rows = await readInTenant(database, question.tenantId, passRatesQuery(question));
  return rows.toReversed();
}

export const PassRatePointType = builder.objectRef<PassRatePoint>('PassRatePoint').implement({
  description: 'One ended suite run as a point of a curve.',
  fields: (t) => ({
    suiteRunId: t.expose('suiteRunId', { type: 'UUID', description: 'Id of the suite run.' }),
    cellKey: t.exposeString('cellKey', { description: 'Its matrix values as one text; empty without a matrix.' }),
    runId: t.expose('runId', { type: 'UUID', description: 'Id of the run.' }),
    headSha: t.exposeString('headSha', { nullable: true, description: 'The commit that was run.' }),
    agentHash: t.exposeString('agentHash', { description: 'The version of the agent.' }),
    isBase: t.exposeBoolean('isBase', { description: 'Whether others are compared with it.' }),
    passRate: t.float({
      nullable: true,
      description: '0 to 100 percent; null when nothing was executed.',
      resolve: passRateOf,
    }),
    verdict: t.field({
      type: VerdictWordType,
      nullable: true,
      description: 'The verdict in one word; null while it is open.',
      resolve: ({ verdict }) => verdict,
    }),
    costUsd: t.float({
      nullable: true,
      description: 'What it cost, as far as prices are known.',
      resolve: async ({ suiteRunId }, _args, context) => (await spentOfSuiteRun(context, suiteRunId))?.usd ?? null,
    }),
    completedAt: t.expose('completedAt', { type: 'DateTime', description: 'When the suite run ended.' }),
  }),
});

builder.queryField('passRateHistory', (t) =>
  t.field({
    type: [PassRatePointType],
    nullable: true,
    authScopes: { readAll: true },
    args: {
      suiteId: t.arg({ type: 'UUID', required: true, description: 'Id of the suite.' }),
      ...historyArguments(),
    },
    complexity: costOfHistory,
    deprecationReason: 'Ask suite or suites for `history`, which has pages as every list has.',
    description:
      'How the pass rate of a suite developed, oldest first, all cells of its matrix in one list; null when there is no such suite.',
    resolve: async (_root, { suiteId, cellKey, onlyBase, first }, context) => {
      const caller = callerOf(context);
      const { database } = context.ports;
      const question = { suiteId, cellKey: cellKey ?? null, onlyBase: onlyBase ?? false, size: clampSize(first) };
      // Nearly whoever asks may see it: one way to the ledger instead of two.
      const [isSeen, points] = await Promise.all([
        canSeeSuite(database, caller, suiteId),
        readPassRates(database, { tenantId: caller.tenantId, ...question }),
      ]);
      return isSeen ? points : null;
    },
  }),
);
