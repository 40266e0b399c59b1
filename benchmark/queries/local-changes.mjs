import { readFileSync } from 'node:fs';
import pg from 'pg';
const world = JSON.parse(readFileSync('/tmp/hands/reads-prof/world.json', 'utf8'));
const c = new pg.Client({ connectionString: world.databaseUrl }); await c.connect();
const pid = (await c.query('select pg_backend_pid() p')).rows[0].p; const cpu = () => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
await c.query('begin; set session_replication_role = replica');
const { rows } = await c.query('select id, tenant_id from runs order by created_at limit 101');
const T = rows[0].tenant_id; const base = rows[0].id; const heads = rows.slice(1).map(r => r.id);
for (const side of ['base', 'first']) await c.query(`insert into definition_files (tenant_id, content_hash, text) select $1, $2 || n, repeat(left($2, 1), 100001) from generate_series(11, 56) n`, [T, side]);
await c.query(`insert into run_files (tenant_id, run_id, path, content_hash) select $1, $2, 'large/' || n, 'base' || n from generate_series(11,56) n`, [T, base]);
await c.query(`insert into run_files (tenant_id, run_id, path, content_hash) select $1, h, 'large/' || n, 'first' || n from generate_series(11,56) n cross join unnest($2::uuid[]) h`, [T, heads]);
const q = `with pairs as materialized (
        select q.at::int as at, d.* from unnest($1::uuid[], $2::uuid[])
          with ordinality q(head, base, at)
        cross join lateral (
          select coalesce(hf.path, bf.path) as path, hf.content_hash as head, bf.content_hash as base
          from (select path, content_hash from run_files where run_id = q.head) hf
          full join (select path, content_hash from run_files where run_id = q.base) bf on bf.path = hf.path
          where hf.content_hash is distinct from bf.content_hash order by 1 limit 50) d),
      sizes as materialized (
        select content_hash, least(length(text), 100000) as size from definition_files
        where content_hash in (select head from pairs union select base from pairs)),
      measured as (
        select p.*, (0::float8
          + sum(coalesce(b.size, 0) + coalesce(h.size, 0)) over (order by p.at, p.path))::float8 as together
        from pairs p left join sizes b on b.content_hash = p.base left join sizes h on h.content_hash = p.head)
      select m.at, m.path, m.together, left(b.text, 100000) as base, left(h.text, 100000) as head
      from measured m
      left join definition_files b on b.content_hash = m.base and m.together <= 10000000
      left join definition_files h on h.content_hash = m.head and m.together <= 10000000
      order by m.at, m.path`;
const three = [...heads, ...heads, ...heads];
const b0 = cpu(); const r = await c.query('explain analyze ' + q, [three, three.map(() => base)]); console.log('cpu', cpu() - b0);
console.log(r.rows.map(x => x['QUERY PLAN']).join('\n'));
await c.query('rollback'); await c.end();
