import { type RawBuilder, sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { facets } from '../../ledger/facets.ts';
import { builder, type InputFields } from '../builder.ts';
import type { PageRequest } from '../connection.ts';
import { RunStatusType, RunTriggerType, VerdictWordType } from '../words.ts';

type Maybe<Value> = Value | null | undefined;

/** What lists of runs and of suite runs are filtered by alike. */
export interface SharedFilter {
  status?: Maybe<string>;
  verdict?: Maybe<string>;
  trigger?: Maybe<string>;
  person?: Maybe<string>;
  repository?: Maybe<string>;
  branch?: Maybe<string>;
  pullRequest?: Maybe<number>;
  headSha?: Maybe<string>;
  isBase?: Maybe<boolean>;
  suiteId?: Maybe<string>;
  suite?: Maybe<string>;
  agent?: Maybe<string>;
  aiConfiguration?: Maybe<string>;
  tag?: Maybe<string>;
  alertFired?: Maybe<boolean>;
  variable?: Maybe<{ name: string; value?: unknown }>;
  createdAfter?: Maybe<string>;
  createdBefore?: Maybe<string>;
}

const VariableFilterType = builder.inputType('VariableFilter', {
  description: 'A value of a variable, as a run or its suite gave it or as a cell of the matrix has it.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Name of the variable, such as Temperature.' }),
    value: t.field({ type: 'JSON', required: true, description: 'Its value: a text, a number, true or false.' }),
  }),
});

/** The fields of both filters. */
export const sharedFilterFields = (t: InputFields) => ({
  status: t.field({ type: RunStatusType, description: 'Those that stand there now.' }),
  verdict: t.field({ type: VerdictWordType, description: 'What the gate said of them.' }),
  trigger: t.field({ type: RunTriggerType, description: 'Those that were started so.' }),
  person: t.string({ description: 'Login of who started them, or of who wrote the change that they are about.' }),
  repository: t.string({ description: 'Owner and name of their repository.' }),
  branch: t.string({ description: 'The branch whose push they are about, such as main.' }),
  pullRequest: t.int({ description: 'Number of the pull request that they are about.' }),
  headSha: t.string({ description: 'The commit that was run, in all its 40 digits.' }),
  isBase: t.boolean({ description: 'Whether others are compared with them.' }),
  suiteId: t.field({ type: 'UUID', description: 'Those that ran this suite.' }),
  suite: t.string({ description: 'Those that ran a suite of this name.' }),
  agent: t.string({ description: 'Those that ran an agent of this name.' }),
  aiConfiguration: t.string({ description: 'Those whose agent used the AI configuration of this name.' }),
  tag: t.string({ description: 'Those that ran a case with this tag.' }),
  alertFired: t.boolean({ description: 'true: those of which the alert rule of a suite fired.' }),
  variable: t.field({ type: VariableFilterType, description: 'Those that had this value of a variable.' }),
  createdAfter: t.field({ type: 'DateTime', description: 'Those that were accepted later than this.' }),
  createdBefore: t.field({ type: 'DateTime', description: 'Those that were accepted earlier than this.' }),
});

/** What a bound token sees of every list: its repository, and for a job its own workflow run. */
export type RunBounds = { repositoryId: string | null; workflowRunId: string | null };

export function boundsOf({ repositoryId, claims }: Caller): RunBounds {
  return { repositoryId, workflowRunId: claims?.workflowRunId ?? null };
}

type Conditions = (RawBuilder<unknown> | false | null | undefined | '' | 0)[];

export const allOf = (conditions: Conditions): RawBuilder<unknown> => {
  const given = conditions.filter((condition) => typeof condition === 'object' && condition !== null);
  return given.length === 0 ? sql`true` : sql.join(given, sql` and `);
};

/** What bounds and filter say of the run `r`, whose repository is `p`. */
export const runConditions = (bounds: RunBounds, filter: SharedFilter): Conditions => [
  bounds.repositoryId && sql`r.repository_id = ${bounds.repositoryId}`,
  bounds.workflowRunId && sql`r.trigger ->> 'workflowRunId' = ${bounds.workflowRunId}`,
  filter.trigger && sql`r.triggered_by = ${filter.trigger}`,
  filter.person &&
    sql`r.id in (
      select w.id from runs w join users o on o.tenant_id = w.tenant_id and o.id = w.created_by where o.login = ${filter.person}
      union all select f.run_id from suite_run_facets f where f.facet = ${facets.author(filter.person)})`,
  filter.repository &&
    sql`r.repository_id in (select o.id from repositories o where o.full_name = ${filter.repository})`,
  filter.branch && sql`r.ref = ${`refs/heads/${filter.branch}`}`,
  filter.pullRequest && sql`r.pull_request = ${filter.pullRequest}`,
  filter.headSha && sql`r.head_sha = ${filter.headSha}`,
  typeof filter.isBase === 'boolean' && sql`r.is_base = ${filter.isBase}`,
];

/** The words that a suite run has to be about. */
export function facetsIn({ suite, agent, aiConfiguration, tag, alertFired, variable }: SharedFilter): string[] {
  const given = <Text>(value: Maybe<Text>, word: (text: Text) => string): string[] =>
    value === null || value === undefined ? [] : [word(value)];
  return [
    ...given(suite, facets.suite),
    ...given(agent, facets.agent),
    ...given(aiConfiguration, facets.aiConfiguration),
    ...given(tag, facets.tag),
    ...(alertFired === true ? [facets.alert()] : []),
    ...given(variable, ({ name, value }) => facets.value(name, value)),
  ];
}

/** How a list is ordered: by a time that an index has, and by an id where that is the same. */
interface ListOrder {
  key: RawBuilder<unknown>;
  id: RawBuilder<unknown>;
  isDescending: boolean;
}

/** Where the page of a list begins, its order and its end. */
export function pageOf({ key, id, isDescending }: ListOrder, page: PageRequest) {
  const isDown = isDescending !== page.isBackwards;
  const direction = isDown ? sql`desc` : sql`asc`;
  const [at, last] = page.from ?? [];
  return {
    position: sql`array[${key}::text, ${id}::text]`,
    from:
      page.from === null
        ? sql`true`
        : sql`(${key}, ${id}) ${isDown ? sql`<` : sql`>`} (${at}::timestamptz, ${last}::uuid)`,
    rest: sql`order by ${key} ${direction}, ${id} ${direction} limit ${page.size + 1}`,
  };
}

export type TimeOrder = 'newest' | 'oldest' | 'last-ended';

/** The orders in which runs and suite runs are listed. */
export function timeOrder(
  row: RawBuilder<unknown>,
  order: Maybe<TimeOrder>,
): ListOrder & { only: RawBuilder<unknown> } {
  const id = sql`${row}.id`;
  return order === 'last-ended'
    ? { id, key: sql`${row}.completed_at`, isDescending: true, only: sql`${row}.completed_at is not null` }
    : { id, key: sql`${row}.created_at`, isDescending: order !== 'oldest', only: sql`true` };
}
