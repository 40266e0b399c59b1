import { readFileSync } from 'node:fs';
import pg from 'pg';
const world = JSON.parse(readFileSync('/tmp/hands/reads-prof/world.json', 'utf8'));
const c = new pg.Client({ connectionString: world.databaseUrl }); await c.connect();
const { rows } = await c.query(`select id, tenant_id t from test_suite_runs order by created_at desc limit 40`);
const pid = (await c.query('select pg_backend_pid() p')).rows[0].p; const cpu = () => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
const time = async (name, f, prep = '') => { if (prep) await c.query(prep); const q = (i) => c.query(f(`'{${rows[i].id},${rows[i + 1].id}}'::uuid[]`)); for (let i=0;i<4;i++) await q(i); const b0 = cpu(); for (let i=0;i<16;i++) await q(i); const best = (cpu()-b0)/16; console.log(name, best.toFixed(2)); };
const T = rows[0].t;
const inner = (cols, where = '') => `from unnest(A) s(id) cross join lateral (select ${cols} from test_case_results c where c.tenant_id='${T}' and c.run_id = s.id ${where} order by c.sort_order, c.repetition, c.id) t`;
const v = (sel, cols) => (a) => `select ${sel} ${inner(cols)}`.replace('A)', a + ')');

const cols = `c.id, c.sort_order, c.case_name, c.repetition, c.status, c.error_kind, left(c.error_message, 500) as error_message,
        c.skip_reason, c.latency_ms, c.prompt_tokens + c.completion_tokens as tokens, c.cost_usd, c.case_hash, c.instrument_hash,
        case c.status when 'passed' then 'p' when 'failed' then 'f' else 'o' end as ended,
        case when c.metric_results <> '[]' then (
          select jsonb_agg(jsonb_build_object('name', m ->> 'metric_name', 'error', left(m ->> 'error', 500)) order by place)
          from jsonb_array_elements(c.metric_results) with ordinality as listed (m, place)) end as metrics,
        case when c.adjustments <> '[]' then c.adjustments end as adjustments`;
const cond = `and (c.sort_order, c.repetition, c.id) > (-1, 0, '00000000-0000-0000-0000-000000000000'::uuid)`;
const from = (cols) => `from test_case_results c where c.tenant_id='${T}' and c.run_id = s.id ${cond} order by c.sort_order, c.repetition, c.id limit null`;
const wrap = (sel, win, cs = cols) => (a) => `select s.id, p.* from unnest(${a}) s(id) cross join lateral (select ${sel} from (select o.* ${win} from (select ${cs} ${from()}) o) t having count(*) > 0) p`;
const further = `json_agg(json_build_object('at', t.at, 'status', t.status, 'errorKind', t.error_kind, 'errorMessage', t.error_message,
      'skipReason', t.skip_reason, 'metrics', t.metrics, 'adjustments', t.adjustments)) filter (where t.has_more) as further`;
const W = `, row_number() over () - 1 as at, o.ended = 'o' or o.error_message is not null or o.metrics is not null or o.adjustments is not null as has_more`;
const rest = `string_agg(t.repetition::text, ' ') as repetitions, string_agg(t.ended, '') as ends,
    string_agg(coalesce(t.latency_ms::text, ''), ' ') as "latencyMs", string_agg(coalesce(t.tokens::text, ''), ' ') as tokens,
    string_agg(coalesce(t.cost_usd::text, ''), ' ') as "costUsd", (array_agg(t.sort_order))[count(*)] as "sortOrder", (array_agg(t.id))[count(*)] as "lastId"`;

const cols2 = cols.replace('c.instrument_hash', 'nullif(c.instrument_hash, u.usual) as instrument');
const wrap2 = (sel, win, cs = cols2) => (a) => `select s.id, u.usual, p.* from unnest(${a}) s(id) cross join lateral (select x.instrument_hash as usual from test_case_results x where x.tenant_id='${T}' and x.run_id = s.id limit 1) u cross join lateral (select ${sel} from (select o.* ${win} from (select ${cs} ${from()}) o) t having count(*) > 0) p`;
const all = `json_agg(t.case_name) as "caseNames", string_agg(t.case_hash, ' ') as "caseHashes"`;
const inst = `json_object_agg(t.at, t.instrument) filter (where t.instrument is not null)`;
await time('usual', wrap2(`${all}, ${inst}, ${rest}, ${further}`, W));
const W3 = `, o.ended = 'o' or o.error_message is not null or o.metrics is not null or o.adjustments is not null as has_more`;
await time('usual, no rownum', wrap2(`${all}, ${rest}`, W3));
const ended = `case when c.status = 'passed' and c.error_message is null and c.metric_results = '[]' and c.adjustments is null then 'p' else 'o' end as ended`;
await time('usual, md', wrap2(`${all}, ${inst}, string_agg(t.ended, ''), string_agg(coalesce(t.latency_ms::text, ''), ' ')`, `, row_number() over () at`, `c.sort_order, c.repetition, c.id, c.case_name, c.case_hash, c.latency_ms, nullif(c.instrument_hash, u.usual) as instrument, 'p' as ended`));
await time('usual, arrays', wrap2(`json_agg(t.case_name), array_agg(t.case_hash), array_agg(t.latency_ms), array_agg(t.tokens), array_agg(t.cost_usd), array_agg(t.repetition), string_agg(t.ended, '')`, ``));
const old = (a) => `select c.id, c.run_id as "suiteRunId", c.sort_order as "sortOrder", c.case_name as "caseName", c.repetition, c.status,
  c.error_kind as "errorKind", left(c.error_message, 500) as "errorMessage", c.skip_reason as "skipReason",
  c.latency_ms as "latencyMs", c.prompt_tokens + c.completion_tokens as tokens, c.cost_usd as "costUsd",
  case when c.metric_results <> '[]' then (
    select jsonb_agg(jsonb_build_object('name', m ->> 'metric_name', 'error', left(m ->> 'error', 500)) order by place)
    from jsonb_array_elements(c.metric_results) with ordinality as listed (m, place)) end as metrics,
  c.adjustments, c.case_hash as "caseHash", c.instrument_hash as "instrumentHash" from test_case_results c
      where c.tenant_id = '${T}' and c.run_id = any(${a})
        and (c.sort_order, c.repetition, c.id) > (-1, 0, '00000000-0000-0000-0000-000000000000'::uuid)
      order by c.run_id, c.sort_order, c.repetition, c.id limit null`;
await time('old', old);
await c.end();
