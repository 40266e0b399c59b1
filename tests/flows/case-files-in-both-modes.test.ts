import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TestReport } from '@proofmark/contracts/test-report';
import { withoutTimes } from '@proofmark/domain/without-times';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type ChatRequest, lastUserText } from '../stack/model/chat-request.ts';
import { pullRequestEvent, runStep } from './action-job.ts';
import { patient, type RunningProduct, startRunningProduct } from './running-product.ts';

const suite = `name: Price list
agent: { name: Clerk, instructions: Answer from the documents., ai_configuration: small }
repetitions: 1
cases:
  - name: Price of tea
    input: What does tea cost?
    files: [{ path: docs/prices.csv, type: csv }, { path: "docs/holiday hours.txt", type: text }]
    expected_behavior: { checks: [{ type: contains_phrases, phrases: [tea, "3.50", closes at 15] }] }
`;
const files = {
  'proofmark.yaml': 'ai_configurations:\n  small: { provider: openai, model: scripted, api_key_env: OPENAI_API_KEY }\n',
  'evals/support.suite.yaml': suite,
  'docs/prices.csv': 'item,price\ntea,3.50\n',
  'docs/holiday hours.txt': 'On holidays the shop closes at 15.\n',
};

const Results = z.object({
  suites: z.array(z.looseObject({ report: z.json().optional(), report_path: z.string().optional() })),
});
const key = 'sk-test-key-of-the-scripted-model';

test(
  'a case with local documents is the same case with the same report in the job and on a coordinator',
  patient,
  async () => {
    // The model answers with what it was given, so that the documents have to arrive.
    await using running = await startRunningProduct({
      rules: [{ reply: withoutMarks }],
      coordinatorEnv: { PROOFMARK_ALLOW_ADMIN_ENROLL: '1' },
    });
    await running.ask(
      'mutation { enrollRepository(input: { host: "github.com", repositoryId: "4711", ownerId: "42" }) { __typename } }',
    );
    const here = await run({ OPENAI_API_KEY: key, OPENAI_BASE_URL: running.model.url });
    const there = await run({}, { coordinator: running.product.url, 'api-token': running.product.token });

    expect(withoutTimes(there.report)).toEqual(withoutTimes(here.report));
    expect(here.report.results).toMatchObject([{ passed: true, processed_files: [{ error: null }, { error: null }] }]);
    expect(await hashesThere(running)).toEqual(await hashesHere(here.reportPath));
    expect(await running.rows('select size_bytes::int as bytes from blobs order by 1')).toEqual([
      { bytes: 20 },
      { bytes: 35 },
    ]);
  },
);

/** What the agent was asked; the marks around documents are new in each request. */
const withoutMarks = (request: ChatRequest): string => lastUserText(request).replaceAll(/<\/?file \w+>/g, '');

/** The real Action on a pull request of this repository, and the one report that came of it. */
async function run(env: Record<string, string>, inputs: Record<string, string> = {}) {
  const { outputs, log } = await runStep({
    eventName: 'pull_request',
    payload: pullRequestEvent(),
    files,
    inputs: { ...inputs, 'fail-on': 'never' },
    env,
  });
  expect(outputs['results-path'], log).toBeTruthy();
  const [found] = Results.parse(JSON.parse(await readFile(outputs['results-path'] ?? '', 'utf8'))).suites;
  const report =
    found?.report_path === undefined ? found?.report : JSON.parse(await readFile(found.report_path, 'utf8'));
  return { report: TestReport.parse(report), reportPath: found?.report_path ?? '' };
}

const hashesThere = (running: RunningProduct) =>
  running.rows('select case_name, case_hash from test_case_results order by sort_order');

async function hashesHere(reportPath: string) {
  const lines = (await readFile(join(dirname(reportPath), 'results.jsonl'), 'utf8')).trim().split('\n');
  const Line = z.object({ case_name: z.string(), case_hash: z.string() });
  return lines.flatMap((line) => Line.safeParse(JSON.parse(line)).data ?? []);
}
