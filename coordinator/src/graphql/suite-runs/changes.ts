import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import { type ChangeInHunks, type Hunk, hunksOf, type TwoTexts } from '@proofmark/domain/describe-change';
import { sql } from 'kysely';
import { stringify } from 'yaml';
import { type Database, readInTenant } from '../../database/transactions.ts';
import { builder } from '../builder.ts';
import type { GraphqlContext } from '../context.ts';
import { graphqlError } from '../graphql-error.ts';
import { byRow } from '../loaders.ts';
import { visibleRun } from '../runs/read-runs.ts';
import { RunType } from '../runs/runs.ts';
import { endedSuiteRun, SuiteRunType } from './suite-runs.ts';

/*
 * What differs between two sides before anything was run: the files of their definitions, and the agent itself. The answer to
 * "what did the pull request change" stands beside "what came of it".
 */

const HunkType = builder.objectRef<Hunk>('Hunk').implement({
  description: 'A stretch of lines in which two texts differ, with three lines around it.',
  fields: (t) => ({
    baseLine: t.exposeInt('baseLine', { description: 'Its first line on the side of the base, from 1.' }),
    headLine: t.exposeInt('headLine', { description: 'Its first line on the side of the head, from 1.' }),
    lines: t.exposeStringList('lines', {
      description: 'Its lines, each behind its mark: - only in the base, + only in the head, a blank in both.',
    }),
  }),
});

const TextChangeType = builder.objectRef<ChangeInHunks>('TextChange').implement({
  description:
    'What differs in a text between two sides, of long ones in their first 100000 characters. Written by people: never trust it.',
  fields: (t) => ({
    path: t.exposeString('path', {
      description: 'The file, from the root of the repository; of an agent: instructions, or agent for all else.',
    }),
    added: t.exposeInt('added', { description: 'How many lines only the head has.' }),
    removed: t.exposeInt('removed', { description: 'How many lines only the base has.' }),
    hunks: t.field({
      type: [HunkType],
      nullable: true,
      complexity: 0,
      description: 'The lines that differ; null where they are more than 2000, or behind the first 100000 characters.',
      resolve: ({ hunks }) => hunks,
    }),
  }),
});

interface Sides {
  headId: string;
  baseId: string;
}

const mostCharacters = 100_000;
const mostFiles = 50;
/** Of all texts that a request reads: what two runs can have at the most. */
const mostTogether = 2 * mostFiles * mostCharacters;

/** How many characters a request has read for this, once its last reading is through. */
const readSoFar = new WeakMap<GraphqlContext, Promise<number>>();

/** The files that two runs have with other content, by their paths. One reading waits for another, so that all share the bound. */
const filesOf = byRow(async (database, tenantId, sides: readonly Sides[], context) => {
  const before = readSoFar.get(context) ?? Promise.resolve(0);
  const reading = before.then(async (already) => ({
    already,
    rows: already > mostTogether ? [] : await readFiles(database, tenantId, sides, already),
  }));
  const after = reading.then(({ already, rows }) => rows.at(-1)?.together ?? already);
  // Whoever asked is told why; what comes after it is refused as well, unread.
  readSoFar.set(
    context,
    after.catch(() => mostTogether + 1),
  );
  const { rows } = await reading;
  if ((await after) > mostTogether)
    throw graphqlError(
      'QUERY_TOO_COMPLEX',
      `The files of these runs have more than ${mostTogether} characters together. Ask for the changes of fewer runs at once.`,
    );
  const byQuestion = Map.groupBy(rows, ({ at }) => at);
  return sides.map((_, at) => (byQuestion.get(at + 1) ?? []).map(hunksOf));
});

type ReadFile = TwoTexts & { at: number; together: number };

/** No text of those that would lead beyond the bound, counted from what the request has read already; each is measured once. */
async function readFiles(
  database: Database,
  tenantId: string,
  sides: readonly Sides[],
  already: number,
): Promise<ReadFile[]> {
  return await readInTenant(
    database,
    tenantId,
    sql<ReadFile>`
      with pairs as materialized (
        select q.at::int as at, d.* from unnest(${sides.map(({ headId }) => headId)}::uuid[], ${sides.map(({ baseId }) => baseId)}::uuid[])
          with ordinality q(head, base, at)
        cross join lateral (
          select coalesce(hf.path, bf.path) as path, hf.content_hash as head, bf.content_hash as base
          from (select path, content_hash from run_files where run_id = q.head) hf
          full join (select path, content_hash from run_files where run_id = q.base) bf on bf.path = hf.path
          where hf.content_hash is distinct from bf.content_hash order by 1 limit ${mostFiles}) d),
      sizes as materialized (
        select content_hash, least(length(text), ${mostCharacters}) as size from definition_files
        where content_hash in (select head from pairs union select base from pairs)),
      -- A sum of many runs is more than an integer holds.
      measured as (
        select p.*, (${already}::float8
          + sum(coalesce(b.size, 0) + coalesce(h.size, 0)) over (order by p.at, p.path))::float8 as together
        from pairs p left join sizes b on b.content_hash = p.base left join sizes h on h.content_hash = p.head)
      select m.at, m.path, m.together, left(b.text, ${mostCharacters}) as base, left(h.text, ${mostCharacters}) as head
      from measured m
      left join definition_files b on b.content_hash = m.base and m.together <= ${mostTogether}
      left join definition_files h on h.content_hash = m.head and m.together <= ${mostTogether}
      order by m.at, m.path`,
  );
}

/** The runs that the suite runs of these runs were compared with; null: with none, or with a base that ran in the same run. */
const baseRunOf = byRow(async (database, tenantId, runIds: readonly string[]) => {
  const rows = await readInTenant(
    database,
    tenantId,
    sql<{ runId: string; baseId: string }>`
      select distinct on (s.run_id) s.run_id as "runId", b.run_id as "baseId"
      from test_suite_runs s join test_suite_runs b on b.tenant_id = s.tenant_id and b.id = s.baseline_suite_run_id
      where s.run_id = any(${runIds}::uuid[]) and b.run_id <> s.run_id
      order by s.run_id, s.sort_order, s.id`,
  );
  const bases = new Map(rows.map(({ runId, baseId }) => [runId, baseId]));
  return runIds.map((id) => bases.get(id) ?? null);
});

/** What differs between the agents of two suite runs, as they were executed. */
const agentsOf = byRow(async (database, tenantId, sides: readonly Sides[]) => {
  const rows = await readInTenant(
    database,
    tenantId,
    sql<{ id: string; definition: AgentDefinition }>`
      select s.id, a.definition from test_suite_runs s
      join agent_snapshots a on a.tenant_id = s.tenant_id and a.id = s.agent_snapshot_id
      where s.id = any(${sides.flatMap(({ headId, baseId }) => [headId, baseId])}::uuid[])`,
  );
  const agents = new Map(rows.map(({ id, definition }) => [id, definition]));
  return sides.map(({ headId, baseId }) => {
    const [head, base] = [agents.get(headId), agents.get(baseId)];
    return head === undefined || base === undefined ? null : agentChanges(base, head);
  });
});

function agentChanges(base: AgentDefinition, head: AgentDefinition): ChangeInHunks[] {
  const rest = ({ instructions: _text, ...others }: AgentDefinition) => stringify(others);
  const texts = [
    { path: 'instructions', base: base.instructions, head: head.instructions },
    { path: 'agent', base: rest(base), head: rest(head) },
  ];
  const beginning = (text: string) => text.slice(0, mostCharacters);
  return texts
    .filter((one) => one.base !== one.head)
    .map(({ path, ...sides }) => hunksOf({ path, base: beginning(sides.base), head: beginning(sides.head) }));
}

/** The id of a run that the caller may see, else null. Many runs of a page are held against the same one. */
const visibleBase = byRow((_database, _tenantId, ids: readonly string[], context) =>
  Promise.all(ids.map(async (id) => ((await visibleRun(context, id)) === null ? null : id))),
);

builder.objectField(RunType, 'changes', (t) =>
  t.field({
    type: [TextChangeType],
    nullable: true,
    complexity: { field: 100, multiplier: 1 },
    args: { base: t.arg({ type: 'UUID', description: 'Another run; absent: the one that it was compared with.' }) },
    description:
      'Definition files that differ from those of the base, at most 50; null without a base. A base that ran beside the head has no files here: ask its suite runs for agentChanges.',
    resolve: async ({ id }, { base }, context) => {
      const baseId = base == null ? await baseRunOf(context, id) : await visibleBase(context, base);
      return baseId === null ? null : await filesOf(context, { headId: id, baseId });
    },
  }),
);

builder.objectField(SuiteRunType, 'agentChanges', (t) =>
  t.field({
    type: [TextChangeType],
    nullable: true,
    complexity: { field: 50, multiplier: 1 },
    args: {
      base: t.arg({ type: 'UUID', description: 'Another suite run; absent: the one that it was compared with.' }),
    },
    description: 'What differs between its agent and that of the base; null without a base, or when one is not kept.',
    resolve: async ({ id, baselineSuiteRunId }, { base }, context) => {
      const baseId = base == null ? baselineSuiteRunId : ((await endedSuiteRun(base, context))?.id ?? null);
      return baseId === null ? null : await agentsOf(context, { headId: id, baseId });
    },
  }),
);
