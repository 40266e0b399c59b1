import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  askToStart,
  expectSoundLedger,
  modelSuite,
  patient,
  type RunningProduct,
  type Suite,
  startRunningProduct,
} from './running-product.ts';

let running: RunningProduct;

beforeAll(async () => {
  running = await startRunningProduct({
    // Whatever hangs keeps its slot, and the case that is answered needs one.
    runnerEnv: { PROOFMARK_SLOTS: '24' },
    rules: [
      { when: { system: 'slow shop', user: '(1)' }, reply: 'At 17.' },
      { when: { system: 'slow shop' }, hangs: true },
      { when: { system: 'odd', user: ['(1)'] }, reply: 'Who knows.' },
      { when: { system: 'odd', user: ['(2)'] }, reply: 'Who knows.' },
      { reply: 'At 17.' },
    ],
  });
  await running.rows(
    `insert into repositories (tenant_id, host, external_id, owner_external_id, full_name, default_branch)
     select id, 'github.com', '77', '7', 'acme/shop', 'main' from tenants`,
  );
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

/** The suite of the flows with one text of its files changed. */
function changed(suite: Suite, path: string, from: string, to: string): Suite {
  const files = suite.files.map((file) => (file.path === path ? { ...file, text: file.text.replace(from, to) } : file));
  expect(files).not.toEqual(suite.files);
  return { ...suite, files };
}

const slow = () => changed(modelSuite({ cases: 6 }), 'agents/desk.agent.yaml', 'for a shop', 'for a slow shop');
const priced = 'model: scripted, price: { input: 1, output: 1 }';
const withLimit = (suite: Suite, limit: string) =>
  changed(suite, 'proofmark.yaml', ' }\n', ` }\nlimits: { ${limit} }\n`);

interface EndedSuiteRun {
  purpose: string;
  variant: string;
  verdict: { word: string; reason: string | null; conclusion: string; lines: string[]; paragraph: string } | null;
}

async function endOf(runId: string) {
  const { data, errors } = await running.ask(
    `query ($id: UUID!) { run(id: $id) { status conclusion
      suiteRuns { purpose variant verdict { word reason conclusion lines paragraph } } } }`,
    { id: runId },
  );
  expect(errors).toEqual([]);
  // As the query asks for it.
  return data?.run as { status: string; conclusion: string; suiteRuns: EndedSuiteRun[] };
}

describe('a budget at the coordinator', patient, () => {
  test.each([
    ['of tokens', () => withLimit(slow(), 'budget_tokens: 1')],
    ['of money', () => withLimit(changed(slow(), 'proofmark.yaml', 'model: scripted', priced), 'budget_usd: 0.000001')],
  ])('%s ends the run with what is known: the rest is skipped for it, told, and never green', async (_of, suite) => {
    const runId = await running.start(suite());
    const { status, results } = await running.waitForEnd(runId);
    expect(status).toBe('completed');
    expect(results.map((result) => result.status).toSorted()).toEqual(['passed', ...Array(5).fill('skipped')]);
    const skipped = await running.rows(
      `select distinct c.skip_reason from test_case_results c join test_suite_runs s on s.id = c.run_id
       where s.run_id = $1 and c.status = 'skipped'`,
      [runId],
    );
    expect(skipped).toEqual([{ skip_reason: 'budget' }]);
    const { conclusion, suiteRuns } = await endOf(runId);
    expect(conclusion).toBe('NEUTRAL');
    expect(suiteRuns[0]?.verdict?.lines.join(' ')).toContain('The budget was spent: 5 of 6 test runs were not run.');
    await expectSoundLedger(running.rows, runId);
  });
});

describe('confirm: auto', patient, () => {
  const trigger = (head: object) => ({
    triggeredBy: 'CI',
    host: 'github.com',
    repositoryExternalId: '77',
    ...head,
  });
  const onMain = trigger({ event: 'push', ref: 'refs/heads/main', headSha: 'a'.repeat(40) });
  const proposed = trigger({
    event: 'pull_request',
    ref: 'refs/pull/5/merge',
    pullRequest: 5,
    headSha: 'b'.repeat(40),
    baseSha: 'a'.repeat(40),
  });

  async function run(suite: Suite, given: object): Promise<string> {
    const started = await askToStart(
      (query, variables = {}, token) =>
        running.ask(query, { input: { ...(variables.input as object), trigger: given } }, token), // The one variable of the mutation.
      suite,
      randomUUID(),
    );
    expect(started).toMatchObject({ __typename: 'StartRunSuccess' });
    const { id } = (started as { run: { id: string } }).run; // Matched one line above.
    await running.waitForEnd(id);
    return id;
  }

  test('statistics 7: a suspicion runs all cases of both sides again by itself, and what they say is the verdict', async () => {
    const once = modelSuite({ cases: 10 });
    const suite = changed(
      once,
      'evals/hours.suite.yaml',
      'repetitions: 1\n',
      'repetitions: 1\ngate: { confirm: auto }\n',
    );
    await run(suite, onMain);
    const odd = changed(suite, 'agents/desk.agent.yaml', 'for a shop', 'for an odd shop');
    const before = running.model.requests.length;
    const runId = await run(odd, proposed);
    // Ten cases on two sides: once, and three fresh times.
    expect(running.model.requests.length - before).toBe(80);
    const { suiteRuns, conclusion } = await endOf(runId);
    expect(conclusion).toBe('FAILURE');
    const rounds = suiteRuns.map(({ purpose, variant }) => `${purpose} ${variant}`).toSorted();
    expect(rounds).toEqual(['CONFIRM BASELINE', 'CONFIRM CANDIDATE', 'FIRST BASELINE', 'FIRST CANDIDATE']);
    const judged = suiteRuns.find(({ purpose, variant }) => purpose === 'FIRST' && variant === 'CANDIDATE');
    expect(judged?.verdict).toMatchObject({ word: 'REGRESSED', reason: 'confirmed', conclusion: 'FAILURE' });
    expect(judged?.verdict?.paragraph).toContain('a fresh rerun of all cases confirmed it');
    await expectSoundLedger(running.rows, runId);
  });
});
