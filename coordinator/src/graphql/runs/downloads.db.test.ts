import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Ledger } from '../../database/open-ledger.fixture.ts';
import { downloadRoute } from '../../http/download-route.ts';
import { type HttpServer, serve } from '../../http/serve.ts';
import { judgedRuns, push, sha } from '../../judging/judged-runs.fixture.ts';
import { given, newRepository, newTenant, ownLedger, suiteFile, type Tenant } from '../../story.fixture.ts';
import { type Ask, asker } from '../ask.fixture.ts';
import { downloadLinks } from './download-links.ts';

const key = Buffer.from('a key for downloads');
const links = downloadLinks(key, 'http://proofmark.test');
const many = 5_000;

let ledger: Ledger;
let tenant: Tenant;
let ask: Ask;
let server: HttpServer;
let runId: string;
let suiteRunId: string;

beforeAll(async () => {
  ledger = await ownLedger();
  tenant = await newTenant(ledger);
  ask = asker(ledger, { downloads: links });
  const onError = (error: unknown) => expect.fail(String(error));
  const routes = { '/downloads/*': downloadRoute({ database: ledger.database, links }) };
  server = await serve({ host: '127.0.0.1', port: 0, routes, onError });
  await newRepository(ledger, tenant);
  const runs = judgedRuns(ledger, tenant);
  runId = await runs.start({ trigger: { ...push, headSha: sha('a') }, text: suiteFile({ name: 'Hours', cases: 3 }) });
  await runs.execute(runId, (name) => name !== 'case 2', { response: '=1+1,"said"' });
  await runs.judge(runId);
  const [row] = await ledger.query<{ id: string }>('select id from test_suite_runs where run_id = $1', [runId]);
  suiteRunId = given(row).id;
});
afterAll(() => server?.close(0));

const Link = z.object({ download: z.object({ url: z.string(), expiresAt: z.string() }).nullable() });

async function linkTo(format: string, what = `run(id: "${runId}")`): Promise<string> {
  const { data, errors } = await ask(
    tenant.caller,
    `{ it: ${what} { download(format: ${format}) { url expiresAt } } }`,
  );
  expect(errors).toEqual([]);
  const link = Link.parse(data?.it).download ?? expect.fail('there is no link');
  const inMs = Date.parse(link.expiresAt) - Date.now();
  expect(inMs).toBeGreaterThan(10 * 60_000);
  expect(inMs).toBeLessThan(20 * 60_000);
  return link.url;
}

const get = (url: string, method = 'GET') =>
  fetch(url.replace('http://proofmark.test', `http://127.0.0.1:${server.port}`), { method });

async function download(format: string, what?: string): Promise<string> {
  const response = await get(await linkTo(format, what));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="(suite-)?run-/);
  return await response.text();
}

it('a table has a line for each test run, and runs nothing in a spreadsheet', async () => {
  const [head, ...lines] = (await download('CSV')).trimEnd().split('\r\n');
  expect(head).toMatch(/^agent_name,suite,cell,variant,test_name,passed,/);
  expect(lines.map((line) => line.split(',').slice(1, 6))).toEqual([
    ['Hours', '', 'head', 'case 1', 'true'],
    ['Hours', '', 'head', 'case 2', 'false'],
    ['Hours', '', 'head', 'case 3', 'true'],
  ]);
  expect(lines[0]).toContain(`"'=1+1,""said"""`);
});

it('lines of JSON name run, suite run and test run', async () => {
  const lines = (await download('JSONL', `suiteRun(id: "${suiteRunId}")`)).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { run_id: runId, suite_run_id: suiteRunId, suite: 'Hours', test_name: 'case 1', status: 'passed', repetition: 1 },
    { test_name: 'case 2', status: 'failed' },
    { test_name: 'case 3', status: 'passed' },
  ]);
});

it('JUnit counts what its tests are, and the page is one document', async () => {
  const junit = await download('JUNIT');
  expect(junit).toMatch(/<testsuites name="Proofmark" tests="3" failures="1" errors="0" skipped="0"/);
  expect(junit.match(/<testcase /g)).toHaveLength(3);
  expect(junit.match(/<failure /g)).toHaveLength(1);
  expect(junit.trimEnd().endsWith('</testsuites>')).toBe(true);
  expect(await download('HTML')).toMatch(/^<!doctype html>[\s\S]*case 2[\s\S]*<\/html>\n$/);
});

it('a link that was changed, is over or is of another tenant opens nothing', async () => {
  const url = await linkTo('CSV');
  const expires = Math.floor(Date.now() / 1000) - 3_600;
  const grant = { kind: 'run', id: runId, format: 'csv', tenant: tenant.id, expires: expires + 7_200 } as const;
  const stranger = await newTenant(ledger);
  for (const wrong of [
    url.replace('.csv', '.jsonl'),
    url.replace(/signature=./, 'signature=x'),
    url.replace(/expires=\d/, 'expires=9'),
    url.replace(runId, suiteRunId),
    links.sign({ ...grant, expires }),
    links.sign({ ...grant, tenant: stranger.id }),
    'http://proofmark.test/downloads/run-../secret.csv',
  ])
    expect((await get(wrong)).status).toBe(403);
  expect((await get(links.sign(grant))).status).toBe(200);
});

it('a run of which nothing has ended has no link', async () => {
  const open = await judgedRuns(ledger, tenant).start({ trigger: push, text: suiteFile({ name: 'Open' }) });
  const { data } = await ask(tenant.caller, `{ run(id: "${open}") { download(format: CSV) { url } } }`);
  expect(data).toEqual({ run: { download: null } });
});

it(`${many} results are written as they are read, and are too many for a page`, async () => {
  await ledger.query(
    `insert into test_case_results select p.* from (select * from test_case_results where run_id = $1 limit 1) o
     cross join generate_series(10, $2) n cross join lateral jsonb_populate_record(null::test_case_results,
       to_jsonb(o) || jsonb_build_object('id', gen_random_uuid(), 'repetition', n)) p`,
    [suiteRunId, many + 9],
  );
  await ledger.query(
    'update test_suite_runs set total_cases = total_cases + $2, passed_cases = passed_cases + $2 where id = $1',
    [suiteRunId, many],
  );
  const response = await get(await linkTo('JSONL'));
  const reader = (response.body ?? expect.fail('no body')).getReader();
  let parts = 0;
  let lines = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts += 1;
    lines += Buffer.from(part.value).toString('latin1').split('\n').length - 1;
  }
  expect(lines).toBe(many + 3);
  expect(parts).toBeGreaterThan(10);
  const tooLarge = await linkTo('HTML');
  expect((await get(tooLarge)).status).toBe(413);
  const askFirst = (url: string) => get(url, 'HEAD');
  expect((await askFirst(tooLarge)).status).toBe(413);
  const head = await askFirst(await linkTo('JSONL'));
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
    200,
    expect.stringContaining('json'),
    '',
  ]);
});

it('a report that cannot be made leaves those beside it whole, and says where it is missing', async () => {
  const runs = judgedRuns(ledger, tenant);
  const other = await runs.start({
    trigger: { ...push, headSha: sha('c') },
    text: suiteFile({ name: 'Hours', cases: 3 }),
  });
  await runs.execute(other, () => true);
  await runs.judge(other);
  await ledger.query(
    `update test_case_results set payload = jsonb_set(payload::jsonb, '{tools,matched}', 'false') where run_id = (select id from test_suite_runs where run_id = $1)`,
    [other],
  );
  const { data, errors } = await asker(ledger, { mayFault: true })(
    tenant.caller,
    '{ suiteRuns(orderBy: OLDEST) { edges { node { runId reportMarkdown } } } }',
  );
  expect(data).toMatchObject({
    suiteRuns: { edges: { 0: { node: { runId, reportMarkdown: expect.stringContaining('Hours') } } } },
  });
  expect(errors).toEqual([
    {
      message: 'Unexpected error.',
      path: ['suiteRuns', 'edges', expect.any(Number), 'node', 'reportMarkdown'],
      locations: [expect.anything()],
      extensions: { code: 'INTERNAL', errorId: expect.any(String) },
    },
  ]);
});

it('a report whose results take too much room is refused before they are read, and those beside it are told', async () => {
  const runs = judgedRuns(ledger, tenant);
  const ids: string[] = [];
  for (const letter of ['d', 'e']) {
    const trigger = { ...push, headSha: sha(letter) };
    const id = await runs.start({ trigger, text: suiteFile({ name: 'Hours', cases: 3 }) });
    await runs.execute(id, () => true);
    await runs.judge(id);
    ids.push(id);
  }
  // Stored as it is: what can be compressed takes little room.
  await ledger.query('alter table test_case_results alter column actual_response set storage external');
  await ledger.query(
    `update test_case_results set actual_response = repeat('x', 32000000)
     where run_id = (select id from test_suite_runs where run_id = $1)`,
    [ids[0]],
  );
  const { data, errors } = await ask(
    tenant.caller,
    `{ ${ids.map((id, at) => `r${at}: run(id: "${id}") { suiteRuns { reportMarkdown } }`).join(' ')} }`,
  );
  expect(errors).toMatchObject([
    { extensions: { code: 'QUERY_TOO_COMPLEX' }, path: ['r0', 'suiteRuns', 0, 'reportMarkdown'] },
  ]);
  expect(data).toEqual({
    r0: { suiteRuns: [{ reportMarkdown: null }] },
    r1: { suiteRuns: [{ reportMarkdown: expect.stringContaining('Hours') }] },
  });
});
