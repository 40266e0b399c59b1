import { describe, expect, it } from 'vitest';
import { judgedRuns, pull, push, sha } from '../judging/judged-runs.fixture.ts';
import { given, leases, newRepository, openStory, suiteFile } from '../story.fixture.ts';

const { ledger, tenant } = await openStory();
await newRepository(ledger, tenant, '5');
const runs = judgedRuns(ledger, tenant);

interface Row {
  variant: string;
  status: string;
  queued: number;
  taken: { how: string; runId: string; pullRequest: number | null } | null;
}

const suiteRunsOf = (runId: string) =>
  ledger.query<Record<string, unknown> & Row>(
    `select variant, status, taken_from as taken, (
       select count(*)::int from ${leases} l where l.suite_run_id = s.id) as queued
     from test_suite_runs s where run_id = $1 order by variant desc`,
    [runId],
  );

const text = (name: string, instructions = 'Be odd.', extra = '') =>
  suiteFile({ name, cases: 6, repetitions: 3, instructions, extra });
const [first, second, third] = [sha('a'), sha('b'), sha('c')];

/** A pull request with a judged run on its first commit. */
async function judged(
  name: string,
  number: number,
  passes: (caseName: string) => boolean = () => true,
  more: { isFork?: boolean } = {},
) {
  await runs.baseRun(sha('1'), text(name, 'Be kind.'));
  const trigger = { ...pull(number), baseSha: sha('1'), ...more };
  const runId = await runs.start({ trigger: { ...trigger, headSha: first }, text: text(name) });
  await runs.execute(runId, passes);
  await runs.judge(runId);
  return { trigger, runId };
}

describe('equal content on a new commit', () => {
  it('3.6: has the results of the run before on both sides, is judged at once, and counts them once', async () => {
    const { trigger, runId } = await judged('Same', 51, (caseName) => caseName !== 'case 1');
    const before = await runs.verdictOf(runId);
    const again = await runs.start({ trigger: { ...trigger, headSha: second }, text: text('Same') });
    const taken = { how: 'reused', runId, pullRequest: 51, suiteRunId: expect.any(String) };
    expect(await suiteRunsOf(again)).toEqual([
      { variant: 'candidate', status: 'completed', queued: 0, taken },
      { variant: 'baseline', status: 'completed', queued: 0, taken },
    ]);
    await runs.judge(again);
    const after = await runs.verdictOf(again);
    expect(after).toMatchObject({ word: before.word, midp: before.midp, pooledRuns: before.pooledRuns });
    expect(after.cases.map(({ base, head }) => ({ base, head }))).toEqual(
      before.cases.map(({ base, head }) => ({ base, head })),
    );
    // A third commit takes from the first run, never from a copy.
    const third_ = await runs.start({ trigger: { ...trigger, headSha: third }, text: text('Same') });
    expect((await suiteRunsOf(third_)).map((row) => row.taken?.runId)).toEqual([runId, runId]);
  });

  it.each([
    ['other content', {}, text('Fresh', 'Be quiet.'), {}],
    ['a caller who wants it measured', {}, text('Fresh'), { reuse: false }],
    ['a re-run of the job', { workflowRunAttempt: '2' }, text('Fresh'), {}],
    ['a dispatch', { event: 'workflow_dispatch' }, text('Fresh'), {}],
    ['the same commit', { headSha: first }, text('Fresh'), {}],
  ])('is not taken for %s', async (_what, given_, files, settings) => {
    const { trigger } = await judged('Fresh', 52);
    const runId = await runs.start({ trigger: { ...trigger, headSha: second, ...given_ }, text: files, settings });
    expect((await suiteRunsOf(runId)).map(({ taken }) => taken)).toEqual([null, null]);
  });

  it('is measured again where something had gone wrong', async () => {
    await runs.baseRun(sha('1'), text('Broken', 'Be kind.'));
    const trigger = { ...pull(53), baseSha: sha('1') };
    const runId = await runs.start({ trigger: { ...trigger, headSha: first }, text: text('Broken') });
    await runs.execute(runId, () => true, { status: 'error', errorKind: 'agent', errorMessage: 'no answer' });
    await runs.judge(runId);
    const again = await runs.start({ trigger: { ...trigger, headSha: second }, text: text('Broken') });
    expect((await suiteRunsOf(again)).map(({ taken }) => taken)).toEqual([null, null]);
  });
});

describe('content that comes to the base branch', () => {
  it('3.8: is promoted from its pull request: a base, and no history', async () => {
    await judged('Merged', 54);
    const runId = await runs.start({ trigger: { ...push, headSha: sha('d') }, text: text('Merged') });
    expect(await suiteRunsOf(runId)).toMatchObject([
      { variant: 'head', status: 'completed', queued: 0, taken: { how: 'promoted', pullRequest: 54 } },
    ]);
    await runs.judge(runId);
    expect(await runs.runOf(runId)).toMatchObject({ status: 'completed' });
    const [baseline] = await ledger.query(
      `select b.commit_sha from baselines b join test_suite_runs s on s.id = b.suite_run_id where s.run_id = $1`,
      [runId],
    );
    expect(baseline).toEqual({ commit_sha: sha('d') });
    const summaries = await ledger.query<{ is_base: boolean; is_history: boolean }>(
      `select h.is_base, h.is_history from case_summaries h join test_suite_runs s on s.id = h.suite_run_id where s.run_id = $1`,
      [runId],
    );
    expect(summaries).toHaveLength(6);
    expect(summaries.every(({ is_base, is_history }) => !is_base && !is_history)).toBe(true);
    // The next proposal is compared with it, and runs it as often as itself: nothing is known about it yet.
    const next = { ...pull(55), baseSha: sha('d'), headSha: sha('e') };
    const proposal = await runs.start({ trigger: next, text: text('Merged', 'Be short.') });
    const rows = await ledger.query<{ variant: string; total: number }>(
      'select variant, total_cases as total from test_suite_runs where run_id = $1 order by 1',
      [proposal],
    );
    expect(rows).toEqual([
      { variant: 'baseline', total: 18 },
      { variant: 'candidate', total: 18 },
    ]);
    await runs.execute(proposal, () => true);
    await runs.judge(proposal);
    const verdict = await runs.verdictOf(proposal);
    expect(verdict.baseline).toEqual({ rung: 1, label: 'merge base' });
    expect(given(verdict.cases[0]).base).toMatchObject({ passed: 3 });
  });

  it('is never promoted from a fork, with whatever token its run was sent', async () => {
    const { trigger, runId } = await judged('Forked', 57, undefined, { isFork: true });
    const merged = await runs.start({ trigger: { ...push, headSha: sha('d') }, text: text('Forked') });
    expect((await suiteRunsOf(merged)).map(({ taken, queued }) => [taken, queued])).toEqual([[null, 18]]);
    const kinds = await ledger.query<{ is_base: boolean; is_history: boolean }>(
      `select distinct h.is_base, h.is_history from case_summaries h join test_suite_runs s on s.id = h.suite_run_id where s.run_id = $1`,
      [runId],
    );
    expect(kinds).toEqual([{ is_base: false, is_history: false }]);
    // Only the same pull request may take its results over.
    const elsewhere = await runs.start({
      trigger: { ...pull(58), baseSha: sha('1'), headSha: second },
      text: text('Forked'),
    });
    expect((await suiteRunsOf(elsewhere)).map(({ taken }) => taken)).toEqual([null, null]);
    const again = await runs.start({ trigger: { ...trigger, headSha: second }, text: text('Forked') });
    expect((await suiteRunsOf(again)).map(({ taken }) => taken?.runId)).toEqual([runId, runId]);
  });

  it('is not promoted from a pull request of which GitHub says that it is a fork, though its job did not', async () => {
    const forge = {
      mergeBase: async () => sha('1'),
      ancestors: async () => null,
      pullRequest: async () => ({
        ...{ headSha: first, headRef: 'change', headRepository: 'stranger/shop', baseSha: sha('1'), author: null },
        ...{ title: null, isOpen: true, isMerged: false, isFork: true },
      }),
    };
    const asking = judgedRuns(ledger, tenant, forge);
    await runs.baseRun(sha('1'), text('Silent', 'Be kind.'));
    const proposal = { ...pull(59), baseSha: sha('1'), headSha: first };
    const runId = await asking.start({ trigger: proposal, text: text('Silent') });
    await asking.execute(runId, () => true);
    await asking.judge(runId);
    const merged = await asking.start({ trigger: { ...push, headSha: sha('d') }, text: text('Silent') });
    expect((await suiteRunsOf(merged)).map(({ taken }) => taken)).toEqual([null]);
  });

  it('is never promoted from a branch, nor from what another repository did', async () => {
    await judged('Elsewhere', 56);
    await ledger.query(`update runs set event = 'push', pull_request = null where pull_request = 56`);
    const runId = await runs.start({ trigger: { ...push, headSha: sha('f') }, text: text('Elsewhere') });
    expect((await suiteRunsOf(runId)).map(({ taken }) => taken)).toEqual([null]);
  });
});
