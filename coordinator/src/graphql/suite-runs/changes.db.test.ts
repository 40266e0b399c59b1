import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Ledger } from '../../database/open-ledger.fixture.ts';
import { judgedRuns, pull, sha } from '../../judging/judged-runs.fixture.ts';
import { given, newRepository, newTenant, ownLedger, suiteFile, type Tenant } from '../../story.fixture.ts';
import { type Ask, asker } from '../ask.fixture.ts';

let ledger: Ledger;
let tenant: Tenant;
let ask: Ask;
let runId: string;
let suiteRunId: string;

beforeAll(async () => {
  ledger = await ownLedger();
  tenant = await newTenant(ledger);
  ask = asker(ledger);
  await newRepository(ledger, tenant);
  const runs = judgedRuns(ledger, tenant);
  await runs.baseRun(sha('a'), suiteFile({ name: 'Hours', cases: 5 }), (name) => name !== 'case 5');
  const trigger = { ...pull(7), headSha: sha('b'), baseSha: sha('a'), title: 'Be curt' };
  runId = await runs.start({ trigger, text: suiteFile({ name: 'Hours', cases: 5, instructions: 'Be curt.' }) });
  const checks = [
    { checkType: 'contains_phrases', status: 'fail' as const, passed: false },
    { checkType: 'similarity', status: 'error' as const, passed: false },
    { checkType: 'llm_judge', status: 'skip' as const, passed: true },
  ].map((check, checkIndex) => ({ ...check, checkIndex, error: null, details: {} }));
  await runs.execute(runId, (name) => name !== 'case 2', { checks });
  await runs.judge(runId);
  const [row] = await ledger.query<{ id: string }>(
    `select id from test_suite_runs where run_id = $1 and purpose = 'first' and variant <> 'baseline'`,
    [runId],
  );
  suiteRunId = given(row).id;
  await ledger.query(
    `update test_cases set tags = '{slow}', difficulty = 'hard' where tenant_id = $1 and name <> 'case 1'`,
    [tenant.id],
  );
});

async function answerTo(query: string, of: Tenant = tenant): Promise<unknown> {
  const { data, errors } = await ask(of.caller, query);
  expect(errors).toEqual([]);
  return data;
}

it('a run tells the title of its pull request, and what its files have changed against the base', async () => {
  const hunks = `hunks { baseLine headLine lines }`;
  expect(await answerTo(`{ run(id: "${runId}") { title changes { path added removed ${hunks} } } }`)).toEqual({
    run: {
      title: 'Be curt',
      changes: [
        {
          ...{ path: 'a.suite.yaml', added: 1, removed: 1 },
          hunks: [
            {
              ...{ baseLine: 1, headLine: 1 },
              lines: [
                ...[' name: Hours', ' agent:', '   name: Hours agent', '-  instructions: Be kind.'],
                ...['+  instructions: Be curt.', '   driver: { type: scripted, replies: [ { reply: "yes" } ] }'],
                ...[' repetitions: 1', ' '],
              ],
            },
          ],
        },
      ],
    },
  });
});

it('of runs with many large files a request reads no more than those of one', async () => {
  const large = await newTenant(ledger);
  const [base, first, second] = await Promise.all(
    ['base', 'first', 'second'].map(async (side) => {
      const id = await judgedRuns(ledger, large).start({ trigger: { triggeredBy: 'api' }, text: suiteFile() });
      await ledger.query(
        `with f as (insert into definition_files (tenant_id, content_hash, text)
           select $1, $3 || n, repeat(left($3, 1), 100001) from generate_series(11, 59) n returning content_hash)
         insert into run_files (tenant_id, run_id, path, content_hash)
         select $1, $2, 'large/' || right(content_hash, 2), content_hash from f`,
        [large.id, id, side],
      );
      return id;
    }),
  );
  const changes = (id = '') => `run(id: "${id}") { changes(base: "${base}") { added removed hunks { headLine } } }`;
  const one = z.object({ run: z.object({ changes: z.array(z.unknown()) }) });
  const answer = one.parse(await answerTo(`{ ${changes(first)} }`, large));
  expect(answer.run.changes).toEqual(Array(49).fill({ added: 1, removed: 1, hunks: [{ headLine: 1 }] }));
  // However they are asked for: by two names, or as a list.
  const both = await ask(large.caller, `{ a: ${changes(first)} b: ${changes(second)} }`);
  const [refused, ...others] = both.errors;
  expect([refused?.extensions?.code, refused?.message, others.length < 2]).toEqual([
    ...['QUERY_TOO_COMPLEX', expect.stringContaining('Ask for the changes of fewer runs at once.'), true],
  ]);
  const list = (asked: string) => `{ runs(first: 80) { edges { node { ${asked} } } } }`;
  const tooComplex = { extensions: { code: 'QUERY_TOO_COMPLEX' } };
  const changed = `changes(base: "${base}") { added }`;
  expect((await ask(large.caller, list(changed))).errors[0]).toMatchObject(tooComplex);
  // As many as one request may ask for have more characters together than an integer counts.
  await ledger.query(
    `insert into runs select p.* from (select * from runs where id = $1) o cross join generate_series(1, 77) n
     cross join lateral jsonb_populate_record(null::runs,
       to_jsonb(o) || jsonb_build_object('id', gen_random_uuid(), 'idempotency_key', 'copy ' || n)) p`,
    [first],
  );
  await ledger.query(
    `insert into run_files (tenant_id, run_id, path, content_hash) select f.tenant_id, r.id, f.path, f.content_hash
     from run_files f cross join runs r where f.run_id = $1 and r.idempotency_key like 'copy %'`,
    [first],
  );
  const heavy = { ...large.caller, scopes: new Set([...large.caller.scopes, 'queries:large' as const]) };
  const names = ['a', 'b', 'c'].map((name) => `${name}: ${changed}`);
  const { errors } = await ask(heavy, list(names.join(' ')));
  expect([...new Set(errors.map(({ message }) => message))]).toEqual([refused?.message]);
});

it('a suite run tells what its agent has changed, against its own base or another one', async () => {
  const change = { path: 'instructions', hunks: [{ lines: ['-Be kind.', '+Be curt.'] }] };
  const asked = `{ suiteRun(id: "${suiteRunId}") {
    baselineSuiteRunId agentChanges { path hunks { lines } } self: agentChanges(base: "${suiteRunId}") { path } } }`;
  expect(await answerTo(asked)).toMatchObject({ suiteRun: { agentChanges: [change], self: [] } });
});

it('a suite run tells its failing cases with their reasons, what both sides took, and what it was made of', async () => {
  const asked = `{ suiteRun(id: "${suiteRunId}") {
    failingCases { caseName line reason } none: failingCases(first: 0) { caseName } latencyMs contentHash
    baseline { contentHash }
    verdict { measures { latencyMs { base { mean } head { mean } } } detail } } }`;
  const { suiteRun } = Object(await answerTo(asked));
  expect(suiteRun).toMatchObject({
    failingCases: [{ caseName: 'case 2', line: expect.any(Number), reason: expect.stringMatching(/./) }],
    none: [],
    latencyMs: expect.any(Number),
    contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    verdict: { measures: { latencyMs: { base: { mean: expect.any(Number) }, head: { mean: suiteRun.latencyMs } } } },
  });
  expect(suiteRun.contentHash).not.toBe(suiteRun.baseline.contentHash);
  // Whoever asks for everything gets the cases too.
  expect(suiteRun.verdict.detail.cases).toHaveLength(5);
});

it('a file that differs behind its beginning is listed, without lines', async () => {
  const runs = judgedRuns(ledger, tenant);
  const runOf = (last: string) => {
    const text = suiteFile({ name: 'Long', instructions: `${'Be calm. '.repeat(12_000)}${last}.` });
    return runs.start({ trigger: { triggeredBy: 'api' }, text });
  };
  const [base, head] = [await runOf('kind'), await runOf('curt')];
  const asked = `{ run(id: "${head}") { changes(base: "${base}") { path added removed hunks { baseLine } } } }`;
  expect(await answerTo(asked)).toEqual({
    run: { changes: [{ path: 'a.suite.yaml', added: 0, removed: 0, hunks: null }] },
  });
});

it('another tenant has no base to hold them against', async () => {
  const stranger = await newTenant(ledger);
  const runs = judgedRuns(ledger, stranger);
  const other = await runs.start({ trigger: { triggeredBy: 'api' }, text: suiteFile() });
  const asked = `{ run(id: "${other}") { changes(base: "${runId}") { path } } }`;
  expect(await answerTo(asked, stranger)).toEqual({ run: { changes: null } });
});

it.each([
  ['', ['case 2', 'case 5', 'case 1', 'case 3', 'case 4']],
  ['change: BETTER', ['case 5']],
  ['change: SAME', ['case 1', 'case 3', 'case 4']],
  ['status: FAILED', ['case 2']],
  ['tag: "slow"', ['case 2', 'case 5', 'case 3', 'case 4']],
  ['difficulty: HARD, change: SAME', ['case 3', 'case 4']],
  ['tag: "fast"', []],
  ['failedCheck: "contains_phrases"', ['case 2', 'case 5', 'case 1', 'case 3', 'case 4']],
  ['failedCheck: "similarity", status: FAILED', ['case 2']],
  ['failedCheck: "llm_judge"', []],
  ['search: "SE 3"', ['case 3']],
])('cases with (%s) are listed in the order of what broke, page by page', async (filter, names) => {
  const seen: string[] = [];
  for (let after = ''; ; ) {
    const asked = `{ suiteRun(id: "${suiteRunId}") { cases(first: 2 ${filter} ${after}) {
      edges { node { caseName } } pageInfo { endCursor hasNextPage } } } }`;
    const { suiteRun } = Object(await answerTo(asked));
    seen.push(...suiteRun.cases.edges.map(({ node }: { node: { caseName: string } }) => node.caseName));
    if (!suiteRun.cases.pageInfo.hasNextPage) break;
    after = `after: "${suiteRun.cases.pageInfo.endCursor}"`;
  }
  expect(seen.toSorted()).toEqual(names.toSorted());
  expect(seen[0]).toBe(names[0]);
});

it('a case leads to its stored test, to the test run that is shown, and to all of its repetitions', async () => {
  const cases = `cases(change: WORSE, first: 1) { edges { node { change testCase { name tags } head { testRunId } } } }`;
  const broken = await answerTo(
    `{ suiteRun(id: "${suiteRunId}") { all: cases(first: 1) { edges { node { change } } } ${cases}
       testRuns(caseName: "case 2") { edges { node { id caseName status } } } } }`,
  );
  const [testRun] = Object(broken).suiteRun.testRuns.edges;
  expect(testRun).toMatchObject({ node: { caseName: 'case 2', status: 'FAILED' } });
  const [shown] = Object(broken).suiteRun.cases.edges;
  expect(shown).toEqual({
    node: { change: 'WORSE', testCase: { name: 'case 2', tags: ['slow'] }, head: { testRunId: testRun.node.id } },
  });
});

it('a word that only a newer version knows is told as such, and the rest of the answer is there', async () => {
  await ledger.query(
    `update test_suite_runs set verdict_detail = jsonb_set(verdict_detail, '{conclusion}', '"paused"') where id = $1`,
    [suiteRunId],
  );
  const { data, errors } = await ask(
    tenant.caller,
    `{ suiteRun(id: "${suiteRunId}") { suiteName verdict { conclusion } } }`,
  );
  expect(errors).toMatchObject([
    { message: expect.stringMatching(/^"paused" is stored here, .* newer/), extensions: { code: 'UNKNOWN_WORD' } },
  ]);
  expect(data).toEqual({ suiteRun: { suiteName: 'Hours', verdict: null } });
});
