import { expect, test } from 'vitest';
import { lastUserText, systemText } from '../stack/model/chat-request.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { expectSoundLedger, patient, type RunningProduct, type Suite, startRunningProduct } from './running-product.ts';

const verdictOf = (passed: boolean): string => JSON.stringify({ reasoning: 'as told', passed });
const [baseInstructions, headInstructions] = ['You answer for a shop.', 'You answer for a shop, briefly.'];

/** The agent tells its version and what it was asked; the second judge lets nothing pass. */
const rules = [
  { when: { model: 'judge-1' }, reply: verdictOf(true) },
  { when: { model: 'judge-2' }, reply: verdictOf(false) },
  {
    reply: (request: Parameters<typeof systemText>[0]) =>
      `${systemText(request).includes('briefly') ? 'Head' : 'Base'} says 17 to: ${lastUserText(request)}`,
  },
];

/** A shop whose base is never asked beside the head once ten answers of it are known. */
function shop({ judge, instructions, repetitions }: { judge: string; instructions: string; repetitions: number }) {
  const cases = ['one', 'two', 'three', 'four'].map(
    (name) =>
      `  - { name: ${name}, input: "When do you close? (${name})", expected_behavior: { checks: [{ type: llm_judge, expected_answer: At 17 }] } }`,
  );
  const files = [
    {
      path: 'proofmark.yaml',
      text: [
        'ai_configurations:',
        '  desk: { provider: openai, model: desk-1, price: { input: 1000, output: 1000 } }',
        '  lenient: { provider: openai, model: judge-1, price: { input: 1, output: 1 } }',
        '  strict: { provider: openai, model: judge-2, price: { input: 1, output: 1 } }',
        '',
      ].join('\n'),
    },
    {
      path: 'shop.suite.yaml',
      text: [
        'name: Shop',
        `agent: { name: Desk, ai_configuration: desk, instructions: "${instructions}" }`,
        `judge: { ai_configuration: ${judge} }`,
        `repetitions: ${repetitions}`,
        'gate: { concurrent_base_trials: 0 }',
        'cases:',
        ...cases,
        '',
      ].join('\n'),
    },
  ];
  return { files, suitePaths: ['shop.suite.yaml'], projectPath: 'proofmark.yaml' };
}

const forge = { host: 'github.com', repositoryExternalId: '77', triggeredBy: 'CI' };
const [base, head] = ['a'.repeat(40), 'b'.repeat(40)];
const onMain = { ...forge, event: 'push', ref: 'refs/heads/main', headSha: base };
const onPull = {
  ...forge,
  event: 'pull_request',
  pullRequest: 4,
  ref: 'refs/pull/4/merge',
  headSha: head,
  baseSha: base,
};

const triggered = (suite: Suite, trigger: object): Suite => ({ ...suite, ...{ trigger } });

async function enrol({ rows }: RunningProduct): Promise<void> {
  await rows(
    `insert into repositories (tenant_id, host, external_id, owner_external_id, full_name, default_branch)
     select id, 'github.com', '77', '7', 'acme/shop', 'main' from tenants limit 1`,
  );
}

const readVerdict = `query ($id: UUID!) {
  run(id: $id) { suiteRuns {
    purpose variant totalCases takenFrom { how suiteRunId }
    verdict { word basePassRate headPassRate lines detail }
    testRuns(first: 10) { edges { node { status response costUsd promptTokens recordedFrom } } }
  } }
}`;

interface SuiteRunAnswer {
  purpose: string;
  totalCases: number;
  takenFrom: { how: string; suiteRunId: string } | null;
  verdict: { word: string; basePassRate: number; headPassRate: number; lines: string[]; detail: object } | null;
  testRuns: { edges: { node: { response: string; costUsd: number; promptTokens: number; recordedFrom: string } }[] };
}

async function suiteRunsOf({ ask }: RunningProduct, id: string): Promise<SuiteRunAnswer[]> {
  const { data, errors } = await ask(readVerdict, { id });
  expect(errors).toEqual([]);
  return (data as { run: { suiteRuns: SuiteRunAnswer[] } }).run.suiteRuns; // The query above has this shape.
}

test(
  'a stricter judge in a pull request judges what main said before, whatever becomes of a runner, and main is not asked',
  patient,
  async () => {
    await using running = await startRunningProduct({ hasShortLeases: true, rules });
    const { model, product, rows } = running;
    await enrol(running);
    const lenient = shop({ judge: 'lenient', instructions: baseInstructions, repetitions: 10 });
    const first = await running.start(triggered(lenient, onMain));
    const known = await running.waitForEnd(first);
    expect(known.results.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 'passed'));

    const seen = model.requests.length;
    model.hold({ model: 'judge-2', user: 'Base says' });
    const strict = shop({ judge: 'strict', instructions: headInstructions, repetitions: 3 });
    const runId = await running.start(triggered(strict, onPull));
    const isJudgedAgain = () => model.requests.slice(seen).some(({ user }) => user.includes('Base says')) || undefined;
    await waitUntil(async () => isJudgedAgain(), { what: 'a stored answer is judged again' });
    await product.runners[0]?.kill('SIGKILL');
    model.release();
    await product.addRunner();

    const ended = await running.waitForEnd(runId);
    expect(ended).toMatchObject({ status: 'completed' });
    expect(ended.results).toHaveLength(52);
    expect(ended.results.some(({ attempt }) => attempt === 2)).toBe(true);
    await expectSoundLedger(rows, runId);

    const suiteRuns = await suiteRunsOf(running, runId);
    const [judged, again] = ['FIRST', 'REJUDGE'].map((wanted) => suiteRuns.find(({ purpose }) => purpose === wanted));
    expect(judged?.verdict).toMatchObject({ word: 'UNCHANGED', basePassRate: 0, headPassRate: 0 });
    expect(judged?.verdict?.lines).toContain(
      'The judge changed since aaaaaaa: 40 stored answers of main were judged again.',
    );
    expect(again).toMatchObject({ purpose: 'REJUDGE', totalCases: 40, takenFrom: { how: 'JUDGED_AGAIN' } });
    for (const { node } of again?.testRuns.edges ?? []) {
      expect(node).toMatchObject({ response: expect.stringContaining('Base says'), costUsd: 0, promptTokens: 0 });
      expect(node.recordedFrom).toMatch(/^[0-9a-f-]{36}$/);
    }
    // An answer of the agent costs a thousand times what judging it costs.
    const [spent] = await rows<{ most: number }>(
      `select max(c.spent_usd) as most from test_case_results c join test_suite_runs s on s.id = c.run_id
       where s.run_id = $1 and s.purpose = 'rejudge'`,
      [runId],
    );
    expect(spent?.most).toBeGreaterThan(0);
    expect(spent?.most).toBeLessThan(0.001);
    const asked = model.requests.slice(seen).filter((request) => request.model === 'desk-1');
    expect(asked).not.toEqual([]);
    expect(asked.filter(({ system }) => !system.includes('briefly'))).toEqual([]);
  },
);
