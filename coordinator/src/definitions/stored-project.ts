import type { EntityManager } from '@mikro-orm/postgresql';
import { AiConfiguration } from '@proofmark/contracts/ai-configuration';
import { Limits } from '@proofmark/contracts/project';
import { TestType } from '@proofmark/contracts/test-type';
import { VariableValue } from '@proofmark/contracts/variables';
import { sql } from 'kysely';
import { z } from 'zod';

/** What the suites of one repository share, as a project file would say it. */
export interface StoredProject {
  aiConfigurations: Readonly<Record<string, AiConfiguration>>;
  testTypes: readonly TestType[];
  presets: Readonly<Record<string, Record<string, VariableValue>>>;
  /** Null: the usual ones. */
  limits: Limits | null;
}

const AiConfigurations = z.array(z.object({ name: z.string(), definition: AiConfiguration }));
const TestTypes = z.array(TestType);
const Presets = z.array(z.object({ name: z.string(), values: z.record(z.string(), VariableValue) }));

/** The definitions that suites of a repository can name: the tenant's, where the repository has none of that name itself. */
export async function readStoredProject(em: EntityManager, repositoryId: string | null): Promise<StoredProject> {
  const kysely = em.getKysely();
  const owned = sql`deleted_at is null and (repository_id is null or repository_id = ${repositoryId}::uuid)
    order by repository_id nulls first, name`;
  const configurations = await sql`
    select name, jsonb_strip_nulls(jsonb_build_object('provider', provider, 'model', model, 'base_url', base_url,
      'api_key_env', api_key_env, 'temperature', temperature, 'max_tokens', max_tokens, 'stream', stream,
      'seed', seed, 'reasoning_effort', reasoning_effort, 'structured_output', structured_output,
      'log_probabilities', log_probabilities, 'price', price,
      'limits', limits, 'pool', pool, 'label', label, 'description', description))
      -- A null in it is a value that is sent.
      || case when extra_body is null then '{}' else jsonb_build_object('extra_body', extra_body) end as definition
    from model_configurations where ${owned}`.execute(kysely);
  const types = await sql`
    select jsonb_strip_nulls(jsonb_build_object('name', name, 'description', description)) || jsonb_build_object(
      'variables_schema', coalesce(variables_schema, '{"schemaVersion": "1.0", "variables": []}')) as type
    from test_types where ${owned}`.execute(kysely);
  const presets = await sql`select name, "values" from presets where ${owned}`.execute(kysely);
  const limits = await sql<{ limits: unknown }>`
    select limits from repositories where id = ${repositoryId}::uuid and limits is not null`.execute(kysely);
  return {
    aiConfigurations: byName(AiConfigurations.parse(configurations.rows), ({ definition }) => definition),
    testTypes: Object.values(byName(TestTypes.parse(types.rows.map(typeOf)), (type) => type)),
    presets: byName(Presets.parse(presets.rows), ({ values }) => values),
    limits: limits.rows[0] === undefined ? null : Limits.parse(limits.rows[0].limits),
  };
}

const typeOf = (row: unknown): unknown => z.object({ type: z.unknown() }).parse(row).type;

/** Of two with one name the later counts: the repository's own. */
function byName<Row extends { name: string }, Value>(
  rows: readonly Row[],
  value: (row: Row) => Value,
): Record<string, Value> {
  return Object.fromEntries(rows.map((row) => [row.name, value(row)]));
}
