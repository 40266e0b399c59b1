import { Migration } from '@mikro-orm/migrations';

// After a commit the setting is '' and not null, and '' is no uuid.
const setting = (name: string) => `nullif(current_setting('app.${name}', true), '')::uuid`;

/** Within a text of SQL. */
const quoted = (sql: string) => sql.replaceAll("'", "''");

/** What people and programs set up: the table, what one row of it is called, and the column by which people know it. */
const watched = [
  ['users', 'principal', 'login'],
  ['api_tokens', 'token', 'name'],
  ['repositories', 'repository', 'full_name'],
  ['system_settings', 'setting', 'key'],
  ['model_configurations', 'ai-configuration', 'name'],
  ['test_types', 'test-type', 'name'],
  ['presets', 'preset', 'name'],
  ['agents', 'agent', 'name'],
  ['agent_test_suites', 'suite', 'name'],
  ['test_cases', 'case', 'name'],
  ['alert_channels', 'alert-channel', 'name'],
] as const;

/**
 * One entry for each statement and tenant, in the transaction of the change. What follows by a foreign key is done by the owner of
 * the tables, who sees no tenant: it is noted with what it follows, and what goes with its tenant nowhere. Columns that say nothing about
 * what somebody wanted are left out, and so are secrets: not even the hash of a token is kept twice. Tokens of CI jobs are no change.
 */
const noteChange = `
create function note_change() returns trigger language plpgsql as $$
declare
  said constant text[] := array['updated_at', 'last_used_at', 'flakiness', 'token_hash', 'sealed_url'];
begin
  if tg_op = 'UPDATE' then
    insert into audit_entries (tenant_id, user_id, token_id, action, subject, names, total, changes)
    -- Each row becomes JSON once, and not at each look at it.
    with n as materialized (select to_jsonb(t) as r from new_rows t), o as materialized (select to_jsonb(t) as r from old_rows t)
    select c.tenant, ${setting('user_id')}, ${setting('token_id')}, c.action, c.subject, (array_agg(c.name))[1:20], count(*),
      case when count(*) = 1 then jsonb_agg(c.changes) -> 0 end
    from (
      select (n.r ->> 'tenant_id')::uuid as tenant, n.r ->> tg_argv[1] as name,
        case when n.r ->> 'kind' = 'session' then 'session' else tg_argv[0] end as subject,
        case when o.r ->> 'deleted_at' is null and n.r ->> 'deleted_at' is not null then 'deleted'
          when o.r ->> 'deleted_at' is not null and n.r ->> 'deleted_at' is null then 'restored'
          else 'changed' end as action,
        (select jsonb_object_agg(k, jsonb_build_array(left(o.r ->> k, 500), left(n.r ->> k, 500)))
          from jsonb_object_keys(n.r) k where n.r -> k is distinct from o.r -> k and k <> all(said)) as changes
      -- Each row has its like; a full join is never a loop in a loop, whatever is guessed of how many there are.
      from n full join o on o.r ->> 'tenant_id' = n.r ->> 'tenant_id'
        and coalesce(o.r ->> 'id', o.r ->> 'key') = coalesce(n.r ->> 'id', n.r ->> 'key')
      where tg_argv[0] <> 'token' or n.r ->> 'kind' <> 'run') c
    where c.changes is not null and exists (select from tenants where id = c.tenant) group by c.tenant, c.action, c.subject;
  else
    -- By their columns: a run may bring 10,000 cases, and to make JSON of each took a fifth of what it takes to store them.
    execute format(
      'insert into audit_entries (tenant_id, user_id, token_id, action, subject, names, total)
       select c.tenant_id, ${quoted(setting('user_id'))}, ${quoted(setting('token_id'))}, $1, %s, (array_agg(c.%I))[1:20], count(*)
       from touched c where %s and ($1 = ''created'' or exists (select from tenants where id = c.tenant_id)) group by c.tenant_id, 5',
      case when tg_argv[0] = 'token' then 'case when c.kind = ''session'' then ''session'' else ''token'' end' else quote_literal(tg_argv[0]) end,
      tg_argv[1],
      case when tg_argv[0] <> 'token' then 'true' when tg_op = 'INSERT' then 'c.kind <> ''run''' else 'c.kind = ''api''' end)
    using case when tg_op = 'INSERT' then 'created' else 'deleted' end;
  end if;
  return null;
end $$`;

/** Who changed what, kept by the ledger itself: no way of changing something goes past it. */
export class NoteChanges extends Migration {
  override name = '0009-note-changes';

  override up(): void {
    this.addSql(`create table audit_entries (
      tenant_id uuid not null,
      id uuid not null default gen_random_uuid(),
      at timestamptz not null default now(),
      user_id uuid,
      token_id uuid,
      action text not null,
      subject text not null,
      names text[] not null,
      total int not null,
      changes jsonb,
      primary key (tenant_id, id),
      constraint audit_entries_tenant_id_foreign foreign key (tenant_id) references tenants (id) on delete cascade
    )`);
    this.addSql('create index audit_entries_at_idx on audit_entries (tenant_id, at, id)');
    this.addSql(noteChange);
    for (const [table, subject, name] of watched) this.watch(table, `'${subject}', '${name}'`);
  }

  private watch(table: string, what: string): void {
    const call = `for each statement execute function note_change(${what})`;
    this.addSql(`create trigger note_created after insert on ${table} referencing new table as touched ${call}`);
    this.addSql(
      `create trigger note_changed after update on ${table} referencing old table as old_rows new table as new_rows ${call}`,
    );
    this.addSql(`create trigger note_deleted after delete on ${table} referencing old table as touched ${call}`);
  }
}
