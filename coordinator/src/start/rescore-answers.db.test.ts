import { randomUUID } from 'node:crypto';
import { CaseWork } from '@proofmark/contracts/case-work';
import { expect, it } from 'vitest';
import type { Caller } from '../access/caller.ts';
import { judgedRuns } from '../judging/judged-runs.fixture.ts';
import { anInput, given, leases, newRepository, newTenant, openStory, portsOf } from '../story.fixture.ts';
import { repeatTestRun } from './repeat-test-run.ts';
import { startRun } from './start-run.ts';

const { ledger, tenant } = await openStory();
await newRepository(ledger, tenant);
const runs = judgedRuns(ledger, tenant);

const cli = { triggeredBy: 'manual' as const };
const suite = ({ phrase = 'open', asked = 'When?', more = '' } = {}) => `name: Hours
agent: { name: Desk, instructions: Be kind., driver: { type: http, url: "https://agent.example.com/ask" } }
repetitions: 2
cases:
  - { name: Open, input: "${asked}", expected_behavior: { checks: [{ type: contains_phrases, phrases: [${phrase}] }] } }
  - { name: Closed, input: And on Sunday?, expected_behavior: { checks: [{ type: contains_phrases, phrases: [closed] }] } }
${more}`;

const said = {
  response: 'We are open',
  transcript: [
    { role: 'user' as const, text: 'question' },
    { role: 'agent' as const, text: 'We are open' },
  ],
};

const rescore = (runId: string, text: string, caller: Caller = tenant.caller) =>
  startRun(
    portsOf(ledger),
    caller,
    anInput({ files: [{ path: 'a.suite.yaml', text }], suitePaths: ['a.suite.yaml'], trigger: cli, rescores: runId }),
  );

const worksOf = async (runId: string) => {
  const rows = await ledger.query(
    `select l.case_name as name, l.repetition, l.work from ${leases} l where l.run_id = $1 order by l.case_name, l.repetition`,
    [runId],
  );
  return rows.map(({ name, repetition, work }) => ({ name, repetition, work: CaseWork.parse(work) }));
};

it("a run on the answers of another one carries what was said in each of its test runs, and today's checks", async () => {
  const old = await runs.start({ trigger: cli, text: suite() });
  await runs.execute(old, () => true, said);
  const answer = await rescore(old, suite({ phrase: 'shut' }));
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  const works = await worksOf(answer.runId);
  expect(works.map(({ name, repetition, work }) => [name, repetition, work.recorded?.response])).toEqual(
    ['Closed', 'Open'].flatMap((name) => [1, 2].map((repetition) => [name, repetition, 'We are open'])),
  );
  expect(new Set(works.map(({ work }) => work.recorded?.testRunId)).size).toBe(4);
  expect(works[2]?.work.case.expected_behavior?.checks).toMatchObject([{ phrases: ['shut'] }]);
  await runs.execute(answer.runId, () => false);
  const [row] = await ledger.query('select rerun_of, requested from runs where id = $1', [answer.runId]);
  expect(row).toMatchObject({ rerun_of: old, requested: { rescores: old } });
  const planned = await ledger.query(
    `select c.case_name as name, c.repetition, c.status from test_case_results c
     join test_suite_runs s on s.id = c.run_id where s.run_id = $1 order by 1, 2`,
    [answer.runId],
  );
  expect(planned).toEqual(
    ['Closed', 'Open'].flatMap((name) => [1, 2].map((repetition) => ({ name, repetition, status: 'failed' }))),
  );
});

it('asks nobody: what was asked otherwise, or never, is skipped for its reason', async () => {
  const old = await runs.start({ trigger: cli, text: suite() });
  await runs.execute(old, () => true, said);
  const more = '  - { name: New, input: Well?, expected_behavior: { checks: [{ type: length, min: 1 }] } }\n';
  const answer = await rescore(old, suite({ asked: 'When not?', more }));
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  const skipped = await ledger.query(
    `select c.case_name as name, c.skip_reason as reason from test_case_results c
     join test_suite_runs s on s.id = c.run_id where s.run_id = $1 and c.status = 'skipped' order by 1, c.repetition`,
    [answer.runId],
  );
  expect(skipped).toEqual([
    { name: 'New', reason: 'no_answer' },
    ...[1, 2].map(() => ({ name: 'Open', reason: 'other_question' })),
  ]);
  const works = await worksOf(answer.runId);
  expect(works.map(({ name, work }) => [name, work.recorded?.response])).toEqual(
    [1, 2].map(() => ['Closed', 'We are open']),
  );
});

it('one test run alone is judged again: what it said then, by the checks of then', async () => {
  const old = await runs.start({ trigger: cli, text: suite() });
  await runs.execute(old, () => true, said);
  const [row] = await ledger.query<{ id: string }>(
    `select c.id from test_case_results c join test_suite_runs s on s.id = c.run_id
     where s.run_id = $1 and c.case_name = 'Open' and c.repetition = 2`,
    [old],
  );
  const testRunId = given(row).id;
  const repeat = (what: 'all' | 'judging', idempotencyKey: string = randomUUID()) =>
    repeatTestRun(portsOf(ledger), tenant.caller, { testRunId, idempotencyKey, notes: null, what });
  const key = randomUUID();
  const answer = await repeat('judging', key);
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  const [only, ...others] = await worksOf(answer.runId);
  expect(others).toEqual([]);
  expect(only).toMatchObject({
    name: 'Open',
    repetition: 2,
    work: { recorded: { testRunId, response: 'We are open' } },
  });
  // The same key asks for the same, not for an answer anew.
  expect(await repeat('judging', key)).toMatchObject({ ok: true, runId: answer.runId, created: false });
  expect(await repeat('all', key)).toMatchObject({ ok: false, error: { code: 'IDEMPOTENCY_CONFLICT' } });
  const asked = await repeat('all');
  expect(asked.ok && (await worksOf(asked.runId)).map(({ work }) => work.recorded)).toEqual([undefined]);
});

it('an answer that is not kept whole is not judged again', async () => {
  const old = await runs.start({ trigger: cli, text: suite() });
  await runs.execute(old, () => true, { ...said, truncated: true });
  const [row] = await ledger.query<{ id: string }>(
    'select c.id from test_case_results c join test_suite_runs s on s.id = c.run_id where s.run_id = $1 limit 1',
    [old],
  );
  const input = { testRunId: given(row).id, idempotencyKey: randomUUID(), notes: null, what: 'judging' as const };
  expect(await repeatTestRun(portsOf(ledger), tenant.caller, input)).toMatchObject({
    ok: false,
    error: { code: 'INVALID_INPUT', problems: [{ message: expect.stringContaining('not kept whole') }] },
  });
});

it('is refused for a run of somebody else', async () => {
  const old = await runs.start({ trigger: cli, text: suite() });
  await runs.execute(old, () => true, said);
  const other = await newTenant(ledger);
  for (const [runId, caller] of [
    [old, other.caller],
    [randomUUID(), tenant.caller],
  ] as const) {
    expect(await rescore(runId, suite(), caller)).toMatchObject({
      ok: false,
      error: { code: 'INVALID_INPUT', problems: [{ path: 'rescores', code: 'not_found' }] },
    });
  }
});

it('is refused to a job, which speaks for its commit also where it names none', async () => {
  const claims = {
    ...{ host: 'github.com', repositoryId: '42', ownerId: '9', repository: 'acme/shop', workflowRunId: '555' },
    ...{ workflowRunAttempt: '1', event: 'pull_request', ref: 'refs/pull/7/merge', sha: null },
  };
  const scopes = new Set(['runs:write' as const]);
  const answer = await rescore(randomUUID(), suite(), { ...tenant.caller, kind: 'run', scopes, claims });
  expect(answer).toMatchObject({
    ok: false,
    error: { code: 'INVALID_INPUT', problems: [{ path: 'rescores', message: expect.stringContaining('no commit') }] },
  });
});

it('is refused for more than the coordinator may hold in memory', async () => {
  const old = await runs.start({ trigger: cli, text: suite() });
  const response = 'We are open. '.repeat(700_000);
  await runs.execute(old, () => true, { ...said, response });
  expect(await rescore(old, suite())).toMatchObject({
    ok: false,
    error: { code: 'INVALID_INPUT', problems: [{ code: 'limit', message: expect.stringContaining('32 MiB') }] },
  });
});
