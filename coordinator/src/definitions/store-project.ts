import type { EntityManager } from '@mikro-orm/postgresql';
import type { AiConfiguration } from '@proofmark/contracts/ai-configuration';
import type { Project } from '@proofmark/contracts/project';
import type { TestType, VariableDefinition } from '@proofmark/contracts/test-type';
import type { VariableValue } from '@proofmark/contracts/variables';
import { sql } from 'kysely';
import { type Columns, names, unnest } from '../database/unnest.ts';

export interface ProjectToStore {
  tenantId: string;
  /** Null: the definitions become those of the whole tenant. */
  repositoryId: string | null;
  project: Pick<Project, 'ai_configurations' | 'presets' | 'limits'>;
  testTypes: readonly TestType[];
}

type Configuration = AiConfiguration & { name: string };

/** The columns of an AI configuration that come from its definition. */
export const configurationColumns: Columns<Configuration> = {
  name: { type: 'text', of: ({ name }) => name },
  provider: { type: 'text', of: ({ provider }) => provider },
  model: { type: 'text', of: ({ model }) => model },
  base_url: { type: 'text', of: ({ base_url }) => base_url },
  api_key_env: { type: 'text', of: ({ api_key_env }) => api_key_env },
  temperature: { type: 'float8', of: ({ temperature }) => temperature },
  max_tokens: { type: 'int4', of: ({ max_tokens }) => max_tokens },
  stream: { type: 'bool', of: ({ stream }) => stream },
  seed: { type: 'int4', of: ({ seed }) => seed },
  reasoning_effort: { type: 'text', of: ({ reasoning_effort }) => reasoning_effort },
  structured_output: { type: 'text', of: ({ structured_output }) => structured_output },
  log_probabilities: { type: 'bool', of: ({ log_probabilities }) => log_probabilities },
  extra_body: { type: 'jsonb', of: ({ extra_body }) => extra_body },
  price: { type: 'jsonb', of: ({ price }) => price },
  limits: { type: 'jsonb', of: ({ limits }) => limits },
  pool: { type: 'text', of: ({ pool }) => pool },
  label: { type: 'text', of: ({ label }) => label },
  description: { type: 'text', of: ({ description }) => description },
};

export const testTypeColumns: Columns<TestType> = {
  name: { type: 'text', of: ({ name }) => name },
  description: { type: 'text', of: ({ description }) => description },
  variables_schema: {
    type: 'jsonb',
    of: ({ variables_schema }) => ({ ...variables_schema, variables: variables_schema.variables.map(withoutEntities) }),
  },
};

/** The values of an entity are looked up anew by whoever reads the type. */
function withoutEntities({ possibleValues, ...variable }: VariableDefinition): VariableDefinition {
  return variable.valueSource === 'entity' || possibleValues === undefined ? variable : { ...variable, possibleValues };
}

export interface NamedPreset {
  name: string;
  values: Record<string, VariableValue>;
}

export const presetColumns: Columns<NamedPreset> = {
  name: { type: 'text', of: ({ name }) => name },
  values: { type: 'jsonb', of: ({ values }) => values },
};

/** Stores what a project file and its test types define, each by its name. What is not named stays as it was. */
export async function storeProject(em: EntityManager, storing: ProjectToStore): Promise<void> {
  const { project, testTypes, repositoryId } = storing;
  const configurations = Object.entries(project.ai_configurations).map(([name, one]) => ({ ...one, name }));
  const presets = Object.entries(project.presets).map(([name, values]) => ({ name, values }));
  await upsert(em, storing, { table: 'model_configurations', columns: configurationColumns, rows: configurations });
  await upsert(em, storing, { table: 'test_types', columns: testTypeColumns, rows: testTypes });
  await upsert(em, storing, { table: 'presets', columns: presetColumns, rows: presets });
  if (repositoryId === null) return;
  const limits = JSON.stringify(project.limits);
  await sql`
    update repositories set limits = ${limits}::jsonb, updated_at = now()
    where id = ${repositoryId} and limits is distinct from ${limits}::jsonb`.execute(em.getKysely());
}

interface Batch<Row> {
  table: 'model_configurations' | 'test_types' | 'presets';
  columns: Columns<Row>;
  rows: readonly Row[];
}

async function upsert<Row>(
  em: EntityManager,
  { tenantId, repositoryId }: ProjectToStore,
  { table, columns, rows }: Batch<Row>,
): Promise<void> {
  if (rows.length === 0) return;
  const columnNames = Object.keys(columns);
  const list = (row: string) => sql.join(columnNames.map((column) => sql`${sql.ref(`${row}.${column}`)}`));
  const assignments = columnNames.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`);
  // In the order of their names, so that two of these at once cannot deadlock.
  await sql`
    insert into ${sql.table(table)} as t (tenant_id, repository_id, ${names(columns)})
    select ${tenantId}::uuid, ${repositoryId}::uuid, n.* from ${unnest(rows, columns, 'n')} order by n.name
    on conflict (tenant_id, repository_id, name) where deleted_at is null
    do update set ${sql.join(assignments)}, updated_at = now()
    where (${list('t')}) is distinct from (${list('excluded')})`.execute(em.getKysely());
}
