import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';

const definitionKinds = ['aiConfigurations', 'testTypes', 'presets', 'agents', 'suites', 'testCases'] as const;
type DefinitionKind = (typeof definitionKinds)[number];

/** One stored definition: two of the same content are equal, whoever wrote them. */
interface InventoryItem {
  id: string;
  name: string;
  content: string;
}

export type Inventory = Record<DefinitionKind, InventoryItem[]>;

const Items = z.array(z.object({ id: z.string(), name: z.string(), content: z.string() }));

/** What is stored of a repository, or of the tenant where there is none. */
export async function takeInventory(em: EntityManager, repositoryId: string | null): Promise<Inventory> {
  const read = async (select: RawBuilder<unknown>): Promise<InventoryItem[]> =>
    Items.parse((await select.execute(em.getKysely())).rows);
  const isOwn = (alias: string) => sql`${sql.ref(`${alias}.repository_id`)} is not distinct from ${repositoryId}::uuid`;
  // A row as jsonb has one text for one content, whatever the order of keys.
  const shared = (table: string) => sql`
    select t.id, t.name, md5((to_jsonb(t) - 'created_at' - 'updated_at')::text) as content
    from ${sql.table(table)} t where t.deleted_at is null and ${isOwn('t')}`;
  const ofSuites = sql`
    from agent_test_suites s join agents a on a.tenant_id = s.tenant_id and a.id = s.agent_id and a.deleted_at is null`;
  return {
    aiConfigurations: await read(shared('model_configurations')),
    testTypes: await read(shared('test_types')),
    presets: await read(shared('presets')),
    agents: await read(sql`
      select a.id, a.name, md5(jsonb_build_array(a.definition, a.config_path)::text) as content
      from agents a where a.deleted_at is null and ${isOwn('a')}`),
    suites: await read(sql`
      select s.id, s.name, md5(jsonb_build_array(s.definition, s.path, s.is_enabled, s.variables, (
        select jsonb_agg(jsonb_build_array(m.test_case_id, m.sort_order) order by m.test_case_id)
        from test_suite_members m where m.tenant_id = s.tenant_id and m.suite_id = s.id))::text) as content
      ${ofSuites} where s.deleted_at is null and ${isOwn('a')}`),
    testCases: await read(sql`
      select c.id, s.name || ' / ' || c.name as name, md5(jsonb_build_array(c.definition, c.sort_order, c.suite_id)::text) as content
      from test_cases c join (select s.tenant_id, s.id, s.name ${ofSuites} where s.deleted_at is null and ${isOwn('a')}) s
        on s.tenant_id = c.tenant_id and s.id = c.suite_id
      where c.deleted_at is null`),
  };
}

export interface KindChanges {
  added: string[];
  changed: string[];
  removed: string[];
  /** How many are as they were. */
  unchanged: number;
}

export type ChangeReport = Record<DefinitionKind, KindChanges>;

/** What lies between two inventories, each list in the order of the names. */
export function compareInventories(before: Inventory, after: Inventory): ChangeReport {
  const entries = definitionKinds.map((kind) => [kind, compareKind(before[kind], after[kind])] as const);
  return Object.fromEntries(entries) as ChangeReport; // One entry for every kind of the list.
}

function compareKind(before: readonly InventoryItem[], after: readonly InventoryItem[]): KindChanges {
  const old = new Map(before.map(({ id, content }) => [id, content]));
  const present = new Set(after.map(({ id }) => id));
  const sorted = (items: readonly InventoryItem[]) => items.map(({ name }) => name).toSorted();
  const changed = after.filter(({ id, content }) => old.has(id) && old.get(id) !== content);
  const unchanged = after.filter(({ id, content }) => old.get(id) === content);
  return {
    added: sorted(after.filter(({ id }) => !old.has(id))),
    changed: sorted(changed),
    removed: sorted(before.filter(({ id }) => !present.has(id))),
    unchanged: unchanged.length,
  };
}
