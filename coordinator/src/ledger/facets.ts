import type { EntityManager } from '@mikro-orm/postgresql';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import { sql } from 'kysely';
import { type Columns, names, unnest } from '../database/unnest.ts';

const longest = 300;
const mostOfOne = 200;

/** The word by which a list finds what is about this. */
const facet = (kind: string, text: string): string => `${kind}=${text}`.slice(0, longest);

export const facets = {
  suite: (name: string) => facet('suite', name),
  agent: (name: string) => facet('agent', name),
  aiConfiguration: (name: string) => facet('ai', name),
  tag: (tag: string) => facet('tag', tag),
  author: (login: string) => facet('author', login),
  alert: () => facet('alert', 'fired'),
  value: (variable: string, value: unknown) => facet('value', `${variable}=${JSON.stringify(value)}`),
};

/** Everything that a suite run is about: its suite and agent, the AI configurations, tags and values of what it runs. */
function facetsOf({ suiteName, agentName, resolvedVariables, testRuns }: PlannedSuiteRun): string[] {
  const found = new Set([facets.suite(suiteName), facets.agent(agentName)]);
  for (const [name, value] of Object.entries(resolvedVariables.values)) found.add(facets.value(name, value));
  for (const { work } of testRuns) {
    if (work === null) continue;
    if (work.model !== null) found.add(facets.aiConfiguration(work.model.configuration));
    for (const tag of work.case.tags) found.add(facets.tag(tag));
    if (found.size > mostOfOne) break;
  }
  return [...found].slice(0, mostOfOne);
}

interface FacetRow {
  suiteRunId: string;
  facet: string;
}

const columns: Columns<FacetRow> = {
  suite_run_id: { type: 'uuid', of: ({ suiteRunId }) => suiteRunId },
  facet: { type: 'text', of: (row) => row.facet },
};

/** Notes that the alert rule of a suite fired, so that lists find the suite run by it. */
export async function noteAlert(em: EntityManager, { tenantId, id }: { tenantId: string; id: string }): Promise<void> {
  await sql`
    insert into suite_run_facets (tenant_id, run_id, suite_run_id, created_at, facet)
    select s.tenant_id, s.run_id, s.id, s.created_at, ${facets.alert()} from test_suite_runs s
    where s.tenant_id = ${tenantId} and s.id = ${id} on conflict do nothing`.execute(em.getKysely());
}

/** Notes what these suite runs are about, in the transaction that stores them. */
export async function storeFacets(
  em: EntityManager,
  run: { tenantId: string; runId: string; author: string | null },
  suiteRuns: readonly { id: string; planned: PlannedSuiteRun }[],
): Promise<void> {
  const ofRun = run.author === null ? [] : [facets.author(run.author)];
  const rows = suiteRuns.flatMap(({ id, planned }) =>
    planned.variant === 'baseline'
      ? []
      : [...facetsOf(planned), ...ofRun].map((word) => ({ suiteRunId: id, facet: word })),
  );
  await sql`
    insert into suite_run_facets (tenant_id, run_id, created_at, ${names(columns)})
    select ${run.tenantId}::uuid, ${run.runId}::uuid, now(), f.* from ${unnest(rows, columns, 'f')}`.execute(
    em.getKysely(),
  );
}
