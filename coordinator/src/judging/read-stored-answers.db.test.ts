import { CaseWork } from '@proofmark/contracts/case-work';
import { describe, expect, it } from 'vitest';
import { enforceBudgets } from '../ledger/enforce-budgets.ts';
import { given, leases, newRepository, openStory } from '../story.fixture.ts';
import { judgedRuns, pull, push, sha } from './judged-runs.fixture.ts';

const { ledger, tenant } = await openStory();
await newRepository(ledger, tenant, '77');
const runs = judgedRuns(ledger, tenant);

const service = '{ type: http, url: "https://agent.example.com/ask" }';

/** A service whose base nobody can run beside its head, and a judge of its answers. */
const suite = ({ name, judge = 'judge-1', cases = 10, extra = '', driver = service }: Sketch): string => `name: ${name}
agent:
  name: ${name} agent
  instructions: Be kind.
  driver: ${driver}
judge: { ai_configuration: ${judge} }
repetitions: 2
${extra}
cases:
${Array.from({ length: cases }, (_, index) => `  - { name: case ${index + 1}, input: question ${index + 1}, expected_outcomes: { kind: yes } }`).join('\n')}
`;

interface Sketch {
  name: string;
  judge?: string;
  cases?: number;
  extra?: string;
  driver?: string;
}

const project = `ai_configurations:
  judge-1: { provider: openai, model: judge-1 }
  judge-2: { provider: openai, model: judge-2 }
`;

const said = {
  response: 'We are open',
  transcript: [
    { role: 'user' as const, text: 'question' },
    { role: 'agent' as const, text: 'We are open' },
  ],
  toolCalls: [
    {
      ...{ id: '1', name: 'get_hours', args: {}, argsError: null, result: { monday: '9-17' }, error: null },
      ...{ source: 'reported' as const, turn: 0, durationMs: 3 },
    },
  ],
};

const textOf = (sketch: Sketch) => [
  { path: 'a.suite.yaml', text: suite(sketch) },
  { path: 'proofmark.yaml', text: project },
];

interface SuiteRunRow {
  id: string;
  variant: string;
  purpose: string;
  status: string;
  total: number;
  takenFrom: { suiteRunId: string; how: string } | null;
}

const suiteRunsOf = (runId: string) =>
  ledger.query<Record<string, unknown> & SuiteRunRow>(
    `select id, variant, purpose, status, total_cases as total, taken_from as "takenFrom" from test_suite_runs
     where run_id = $1 order by purpose, variant`,
    [runId],
  );
const rejudgingOf = async (runId: string) => (await suiteRunsOf(runId)).find(({ purpose }) => purpose === 'rejudge');

async function baseRun(sketch: Sketch, commit: string, outcome = {}): Promise<string> {
  const runId = await runs.start({ trigger: { ...push, headSha: commit }, text: textOf(sketch) });
  await runs.execute(runId, () => true, { ...said, ...outcome });
  await runs.judge(runId);
  return runId;
}

async function propose(sketch: Sketch, number: number, settings = {}): Promise<string> {
  const trigger = { ...pull(number), headSha: sha('b'), baseSha: sha('a') };
  const runId = await runs.start({ trigger, text: textOf({ judge: 'judge-2', ...sketch }), settings });
  await runs.execute(runId, () => true, said);
  await runs.judge(runId);
  return runId;
}

describe('a judge that a pull request changes', () => {
  it('judges the stored answers of the base again before anything is compared, and no agent is asked', async () => {
    const base = await baseRun({ name: 'Changed' }, sha('a'));
    const runId = await propose({ name: 'Changed' }, 71);

    expect(await runs.runOf(runId)).toMatchObject({ status: 'running', verdict: null });
    const rejudging = given(await rejudgingOf(runId));
    const [source] = await suiteRunsOf(base);
    expect(rejudging).toMatchObject({ variant: 'baseline', status: 'pending', total: 20 });
    expect(rejudging.takenFrom).toMatchObject({ suiteRunId: source?.id, how: 'judged_again' });
    const [lease] = await ledger.query<{ work: unknown }>(
      `select work from ${leases} l where suite_run_id = $1 and case_name = 'case 3' and repetition = 2`,
      [rejudging.id],
    );
    const work = CaseWork.parse(given(lease).work);
    const [answer] = await ledger.query<{ id: string }>(
      `select id from test_case_results where run_id = $1 and case_name = 'case 3' and repetition = 2`,
      [source?.id],
    );
    expect(work).toMatchObject({ variant: 'baseline', repetition: 2, instrument: { judge: { model: 'judge-2' } } });
    expect(work.recorded).toMatchObject({ ...said, testRunId: given(answer).id, error: null });

    await runs.execute(runId, () => true, { status: 'failed' });
    await runs.judge(runId);
    const verdict = await runs.verdictOf(runId);
    expect(verdict).toMatchObject({ word: 'improved', basePassRate: 0, headPassRate: 100 });
    expect(verdict.judgedAgain).toMatchObject({ answers: 20, cases: 10, leftOut: 0, changedParts: ['judge'] });
    expect(verdict.lines.flat()).toContain(': 20 stored answers of main were judged again.');
    expect(await runs.runOf(runId)).toMatchObject({ status: 'completed', verdict: 'improved' });
  });

  it('is asked once about an answer: another head with the same judge takes its word', async () => {
    await baseRun({ name: 'Once' }, sha('a'));
    const first = await propose({ name: 'Once' }, 72);
    await runs.execute(first, () => true, { status: 'failed', costUsd: 0 });
    await runs.judge(first);

    const second = await propose({ name: 'Once' }, 73);
    await runs.judge(second);

    expect(await rejudgingOf(second)).toMatchObject({ status: 'completed', total: 20 });
    const asked = await ledger.query(`select 1 from ${leases} l where suite_run_id = $1`, [
      given(await rejudgingOf(second)).id,
    ]);
    expect(asked).toEqual([]);
    expect(await runs.verdictOf(second)).toMatchObject({ word: 'improved', judgedAgain: { answers: 20 } });
  });

  it('leaves out cases of which an answer was cut, and says so', async () => {
    await baseRun({ name: 'Cut' }, sha('a'));
    await ledger.query(
      `update test_case_results set truncated = true where case_name = 'case 1' and repetition = 2 and run_id in (
         select id from test_suite_runs where suite_name = 'Cut')`,
    );
    const runId = await propose({ name: 'Cut' }, 74);
    expect(await rejudgingOf(runId)).toMatchObject({ total: 18 });
    await runs.execute(runId, () => true);
    await runs.judge(runId);
    const verdict = await runs.verdictOf(runId);
    expect(verdict.judgedAgain).toMatchObject({ answers: 18, cases: 9, leftOut: 1 });
    expect(verdict.cases[0]).toMatchObject({ notComparable: true, changedParts: ['judge'] });
  });

  it('compares nothing where no answer is kept whole', async () => {
    await baseRun({ name: 'Gone' }, sha('a'), { transcript: [] });
    const runId = await propose({ name: 'Gone' }, 75);
    expect(await rejudgingOf(runId)).toBeUndefined();
    const verdict = await runs.verdictOf(runId);
    expect(verdict).toMatchObject({ word: 'no-baseline', reason: 'not_comparable', conclusion: 'neutral' });
    expect(JSON.stringify(verdict.paragraph)).toContain('its stored answers are not kept whole');
  });

  it('is no reason to judge answers to other mocks or within other limits again', async () => {
    await baseRun({ name: 'Mocks' }, sha('a'));
    const extra = 'mocks: [ { tool: get_hours, returns: closed, times: always } ]';
    const runId = await propose({ name: 'Mocks', extra }, 76);
    expect(await rejudgingOf(runId)).toBeUndefined();
    expect(await runs.verdictOf(runId)).toMatchObject({ reason: 'not_comparable', judgedAgain: null });
  });

  it('spends what is left of the budget and no more, and what nobody judged is told', async () => {
    await baseRun({ name: 'Poor' }, sha('a'));
    const runId = await propose({ name: 'Poor' }, 77, { budgetUsd: 0.001 });
    await enforceBudgets(ledger.database);
    await runs.judge(runId);
    const verdict = await runs.verdictOf(runId);
    expect(verdict).toMatchObject({ reason: 'not_comparable', judgedAgain: { answers: 0, unjudged: 20 } });
    expect(JSON.stringify(verdict.paragraph)).toContain('its stored answers were not judged again in time');
  });

  it('asks the base as often as the head where it can be asked, however long its history is', async () => {
    const sketch = { name: 'Asked', cases: 2, driver: '{ type: scripted, replies: [ { reply: "yes" } ] }' };
    for (const commit of ['1', '2', '3', '4', '5']) await baseRun(sketch, sha(commit));
    const trigger = { ...pull(79), headSha: sha('b'), baseSha: sha('5') };
    const sides = async (judge: string) => {
      const runId = await runs.start({ trigger, text: textOf({ ...sketch, judge }) });
      return (await suiteRunsOf(runId)).map(({ variant, total }) => [variant, total]);
    };
    expect(await sides('judge-1')).toEqual([
      ['baseline', 2],
      ['candidate', 4],
    ]);
    expect(await sides('judge-2')).toEqual([
      ['baseline', 4],
      ['candidate', 4],
    ]);
  });

  it('does not make history of answers that it judged again', async () => {
    await baseRun({ name: 'History' }, sha('a'));
    const runId = await propose({ name: 'History' }, 78);
    await runs.execute(runId, () => true);
    await runs.judge(runId);
    const summaries = await ledger.query(
      `select 1 from case_summaries h join test_suite_runs s on s.id = h.suite_run_id
       where s.run_id = $1 and s.purpose = 'rejudge'`,
      [runId],
    );
    expect(summaries).toEqual([]);
  });
});
