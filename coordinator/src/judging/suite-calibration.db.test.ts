import { randomUUID } from 'node:crypto';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { CaseWork } from '@proofmark/contracts/case-work';
import { describe, expect, it } from 'vitest';
import { inTenant } from '../database/transactions.ts';
import { enforceBudgets } from '../ledger/enforce-budgets.ts';
import { recordResults } from '../ledger/record-results.ts';
import { StartStoredRunInput, startStoredRun } from '../start/start-stored-run.ts';
import {
  anOutcome,
  claimAll,
  given,
  leases,
  newRepository,
  newSession,
  newTenant,
  openStory,
  portsOf,
  resultOf,
} from '../story.fixture.ts';
import { judgedRuns, pull, push, sha } from './judged-runs.fixture.ts';

const { ledger, tenant } = await openStory();
await newRepository(ledger, tenant, '77');
const runs = judgedRuns(ledger, tenant);

/** 15 good answers and 15 bad ones; `word` makes other labels of them. */
const labels = (word: string): string =>
  Array.from({ length: 30 }, (_, index) =>
    JSON.stringify({ response: `${word} ${index}`, criterion: 'kind', label: index < 15 ? 'passed' : 'failed' }),
  ).join('\n');

interface Sketch {
  word: string;
  name?: string;
  instructions?: string;
  extra?: string;
}

const files = ({ word, name = 'Measured', instructions = 'Be kind.', extra = '' }: Sketch) => [
  {
    path: 'a.suite.yaml',
    text: `name: ${name}
agent: { name: ${name} agent, instructions: ${instructions}, driver: { type: scripted, replies: [{ reply: yes }] } }
judge: { ai_configuration: judge-1, calibration_file: labels.jsonl }
${extra}
cases:
${Array.from({ length: 10 }, (_, index) => `  - { name: case ${index + 1}, input: q ${index + 1}, expected_outcomes: { kind: yes } }`).join('\n')}
`,
  },
  { path: 'proofmark.yaml', text: 'ai_configurations: { judge-1: { provider: openai, model: judge-1 } }\n' },
  { path: 'labels.jsonl', text: labels(word) },
];

const suiteRunsOf = (runId: string) =>
  ledger.query<{ id: string; purpose: string; status: string; total: number; variant: string }>(
    `select id, purpose, status, variant, total_cases as total from test_suite_runs where run_id = $1 order by purpose, variant`,
    [runId],
  );
const measuringOf = async (runId: string) => (await suiteRunsOf(runId)).find(({ purpose }) => purpose === 'calibrate');
const kept = () => ledger.query('select * from judge_calibrations');

/** What a judge says of one answer, as the runner tells it. */
const says = (passed: boolean | null, judgeHash: string): Partial<CaseOutcome> => ({
  status: passed === null ? 'error' : passed ? 'passed' : 'failed',
  ...(passed === null ? { errorKind: 'judge' as const, errorMessage: 'Timeout after 30000ms' } : {}),
  outcomes: {
    ...{ passed, score: null, error: null, injectionAttempt: false, judgeHash, answers: [] },
    criteria:
      passed === null
        ? []
        : [{ id: 'criterion', requirement: 'kind', reasoning: '', status: passed ? 'passed' : 'failed' }],
  },
});

type Decides = (position: number) => boolean | null;

/** Answers all that is queued: the labelled answers as `decides` says, the cases as `passes` says. */
async function execute(runId: string, decides: Decides, passes = true): Promise<void> {
  const leased = await claimAll(ledger, runId, await newSession(ledger));
  const rows = await ledger.query<{ id: string; purpose: string; position: number; variant: string; hash: string }>(
    `select l.test_run_id as id, s.purpose, l.sort_order as position, l.variant, s.calibration ->> 'judgeHash' as hash
     from ${leases} l join test_suite_runs s on s.id = l.suite_run_id where l.run_id = $1`,
    [runId],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const messages = leased.map((one) => {
    const { purpose, position, variant, hash } = given(byId.get(one.testRunId));
    if (purpose === 'calibrate') return resultOf(one, anOutcome(says(decides(position), hash)));
    return resultOf(one, anOutcome({ status: passes || variant === 'baseline' ? 'passed' : 'failed' }));
  });
  // Twice: a message that comes again changes nothing.
  await recordResults(ledger.database, messages);
  await recordResults(ledger.database, messages);
}

const perfect: Decides = (position) => position < 15;
/** Passes eight of the bad ones, too: kappa 0.47. */
const weak: Decides = (position) => position < 23;

describe('a suite with labelled answers', () => {
  it('has them judged beside its cases, and no verdict before all of them are', async () => {
    const runId = await runs.start({ trigger: { triggeredBy: 'api' }, text: files({ word: 'first' }) });
    expect(await suiteRunsOf(runId)).toMatchObject([
      { purpose: 'calibrate', status: 'pending', total: 30, variant: 'head' },
      { purpose: 'first', total: 10 },
    ]);
    const [lease] = await ledger.query<{ work: unknown }>(
      `select work from ${leases} l where suite_run_id = $1 and case_name = 'labels.jsonl:2'`,
      [given(await measuringOf(runId)).id],
    );
    const work = CaseWork.parse(given(lease).work);
    expect(work).toMatchObject({ case: { name: 'Conversation' }, recorded: { response: 'first 1' } });
    expect(JSON.stringify(work)).not.toMatch(/"label"|"passed"|"failed"/);

    await ledger.query(`update chunks set state = 'leased', session_id = gen_random_uuid() where suite_run_id = $1`, [
      given(await measuringOf(runId)).id,
    ]);
    await execute(runId, perfect);
    expect(await runs.judge(runId)).toEqual(['waiting']);
    expect(await runs.runOf(runId)).toMatchObject({ status: 'running', verdict: null });
    await ledger.query(`update chunks set state = 'queued', session_id = null where suite_run_id = $1`, [
      given(await measuringOf(runId)).id,
    ]);
    await execute(runId, perfect);
    await runs.judge(runId);
    expect((await runs.verdictOf(runId)).judge).toMatchObject({
      ...{ path: 'labels.jsonl', labels: 30, problem: null, isMeasured: true, isWeak: false },
      ...{ kappa: 1, counts: { truePasses: 15, falseFails: 0, trueFails: 15, falsePasses: 0 } },
    });
    expect(await runs.runOf(runId)).toMatchObject({ status: 'completed' });
    expect(
      await ledger.query('select 1 from case_summaries where suite_run_id = $1', [given(await measuringOf(runId)).id]),
    ).toEqual([]);
  });

  it('asks once: an equal judge with equal labels is known, for all suites of the tenant and no other tenant', async () => {
    const started = await runs.start({ trigger: { triggeredBy: 'api' }, text: files({ word: 'known' }) });
    await execute(started, weak);
    await runs.judge(started);
    const again = await runs.start({ trigger: { triggeredBy: 'api' }, text: files({ word: 'known', name: 'Other' }) });
    expect(await suiteRunsOf(again)).toMatchObject([{ purpose: 'first' }]);
    await execute(again, weak);
    await runs.judge(again);
    expect((await runs.verdictOf(again)).judge).toEqual((await runs.verdictOf(started)).judge);
    const changed = await runs.start({ trigger: { triggeredBy: 'api' }, text: files({ word: 'unknown' }) });
    expect(await measuringOf(changed)).toMatchObject({ total: 30 });

    const rival = await newTenant(ledger);
    const theirs = await judgedRuns(ledger, rival).start({
      trigger: { triggeredBy: 'api' },
      text: files({ word: 'known' }),
    });
    expect(await measuringOf(theirs)).toMatchObject({ total: 30 });
    const seen = await inTenant(ledger.database, rival.id, (em) => em.execute('select 1 from judge_calibrations'));
    expect(seen).toEqual([]);
    const own = await inTenant(ledger.database, tenant.id, (em) => em.execute('select 1 from judge_calibrations'));
    expect(own.length).toBeGreaterThan(0);
  });

  it('is neutral with a weak judge although it regressed, and the base that ran beside needs no labels', async () => {
    await runs.start({ trigger: { ...push, headSha: sha('a') }, text: files({ word: 'weak' }) });
    const base = await runs.start({ trigger: { ...push, headSha: sha('c') }, text: files({ word: 'weak' }) });
    await execute(base, weak);
    await runs.judge(base);
    const trigger = { ...pull(81), headSha: sha('b'), baseSha: sha('c') };
    const runId = await runs.start({ trigger, text: files({ word: 'weak', instructions: 'Be rude.' }) });
    await execute(runId, weak, false);
    await runs.judge(runId);
    const verdict = await runs.verdictOf(runId);
    expect(verdict).toMatchObject({ word: 'regressed', conclusion: 'neutral', judge: { isWeak: true } });
    expect(verdict.title).toMatch(/judge too weak \(kappa 0\.47\)$/);
    expect(await runs.runOf(runId)).toMatchObject({ verdict: 'regressed', conclusion: 'neutral' });
  });

  it('is held against the labels of the base: a pull request cannot bring some that make its judge look weak', async () => {
    const base = await runs.start({
      trigger: { ...push, headSha: sha('d') },
      text: files({ word: 'fair', name: 'Fair' }),
    });
    await execute(base, perfect);
    await runs.judge(base);
    const trigger = { ...pull(82), headSha: sha('e'), baseSha: sha('d') };
    const sketch = { word: 'unfair', name: 'Fair', instructions: 'Be rude.' };
    const runId = await runs.start({ trigger, text: files(sketch) });
    expect(await measuringOf(runId)).toBeUndefined();
    await execute(runId, weak, false);
    await runs.judge(runId);
    expect(await runs.verdictOf(runId)).toMatchObject({
      word: 'regressed',
      conclusion: 'failure',
      judge: { kappa: 1 },
    });
  });

  it('is judged as ever where an answer could not be had, and the next run asks again', async () => {
    const before = (await kept()).length;
    const silent = await runs.start({ trigger: { triggeredBy: 'api' }, text: files({ word: 'silent' }) });
    await execute(silent, (position) => (position % 2 === 0 ? null : perfect(position)));
    await runs.judge(silent);
    expect((await runs.verdictOf(silent)).judge).toMatchObject({
      ...{ isMeasured: false, isWeak: false },
      problem: '15 of 30 labelled answers without a decision: Timeout after 30000ms',
    });
    expect((await kept()).length).toBe(before);
    expect(
      await measuringOf(await runs.start({ trigger: { triggeredBy: 'api' }, text: files({ word: 'silent' }) })),
    ).toBeDefined();
  });

  it('is not measured where the budget was spent before', async () => {
    const runId = await runs.start({
      trigger: { triggeredBy: 'api' },
      text: files({ word: 'dear' }),
      settings: { budgetUsd: 0.001 },
    });
    const [first] = await claimAll(ledger, runId, await newSession(ledger));
    await recordResults(ledger.database, [resultOf(given(first))]);
    await enforceBudgets(ledger.database);
    await runs.judge(runId);
    expect((await runs.verdictOf(runId)).judge?.problem).toMatch(
      /of 30 labelled answers not asked about: the budget was spent/,
    );
  });

  it('has the labels of its last run where it is run as it is stored', async () => {
    const made = await runs.start({
      trigger: { ...push, headSha: sha('f') },
      text: files({ word: 'stored', name: 'Stored' }),
    });
    await execute(made, perfect);
    await runs.judge(made);
    const [suite] = await ledger.query<{ id: string }>(`select id from agent_test_suites where name = 'Stored'`);
    const answer = await startStoredRun(portsOf(ledger), tenant.caller, {
      ...StartStoredRunInput.parse({ idempotencyKey: randomUUID(), suiteId: given(suite).id }),
    });
    if (!answer.ok) throw new Error(JSON.stringify(answer.error));
    expect(await measuringOf(answer.runId)).toBeUndefined();
    await execute(answer.runId, perfect);
    await runs.judge(answer.runId);
    expect((await runs.verdictOf(answer.runId)).judge).toMatchObject({ path: 'labels.jsonl', labels: 30, kappa: 1 });
  });
});
