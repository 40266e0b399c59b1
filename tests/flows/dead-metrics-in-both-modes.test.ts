import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TestReport } from '@proofmark/contracts/test-report';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Rule } from '../stack/model/rules.ts';
import { makeScratchDirectory } from '../stack/scratch-directory.ts';
import { typeCli } from '../stack/type-cli.ts';
import { pullRequestEvent, runStep } from './action-job.ts';
import { patient, type RunningProduct, startRunningProduct } from './running-product.ts';

const files = {
  'proofmark.yaml': 'ai_configurations:\n  judge: { provider: openai, model: judge-1, api_key_env: OPENAI_API_KEY }\n',
  'evals/support.suite.yaml': `name: Degraded
agent:
  name: Desk
  driver: { type: scripted, replies: [{ reply: We open at 9 and close at 17. }] }
judge: { ai_configuration: judge }
repetitions: 1
evaluations: { metrics: [{ metric: relevance }, { metric: coherence }, { metric: fluency }] }
cases:
  - { name: Opening, input: When do you open? }
  - { name: Closing, input: When do you close? }
`,
};
/** One metric works, two are refused. */
const rules: Rule[] = [
  {
    when: { system: 'How well the response addresses what was asked' },
    reply: JSON.stringify({ reasoning: 'It does.', score: 5, status: 'scored' }),
  },
  { when: {}, status: 400 },
];
const title = 'No baseline yet: 2/2 passed, 2 of 3 metrics not measured';
const told = (metric: string) =>
  new RegExp(`The metric (?:\`|<code>)?${metric}(?:\`|</code>)? was not measured in any of 2 test runs: .+400`);

let running: RunningProduct;
beforeAll(async () => {
  running = await startRunningProduct({ rules });
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

const here = () => ({ OPENAI_API_KEY: 'sk-test-key-of-the-scripted-model', OPENAI_BASE_URL: running.model.url });
const there = () => ({ PROOFMARK_TOKEN: running.product.token });

async function project(): Promise<string> {
  const folder = await makeScratchDirectory('dead-metrics');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

const Answer = z.object({
  exit_code: z.number(),
  run_id: z.string(),
  suite_runs: z.array(
    z.looseObject({
      report: z.string(),
      verdict: z.looseObject({ title: z.string(), text: z.array(z.string()), not_measured: z.array(z.unknown()) }),
    }),
  ),
});

test(
  'S0-37 a suite with 2 of 3 metrics dead on every case is not accepted and says which and why, in one process and on a runner',
  patient,
  async () => {
    const folder = await project();
    const modes = [
      { args: ['run'], env: here() },
      { args: ['run', '--coordinator', running.product.url], env: there() },
    ];
    for (const { args, env } of modes) {
      const { code, stdout, stderr } = await typeCli(args, { folder, env });
      expect(code, stderr).toBe(3);
      expect(stdout).toMatch(/2 of 2 passed.* NOT JUDGED\n/);
      expect(stdout).toContain(title);
      for (const metric of ['coherence', 'fluency']) expect(stdout).toMatch(told(metric));
      expect(stdout).not.toMatch(/accepted|metric `relevance/);

      const json = Answer.parse(JSON.parse((await typeCli([...args, '--json'], { folder, env })).stdout));
      const dead = { measured: 0, test_runs: 2, reason: expect.stringContaining('400'), is_enough: false };
      expect(json).toMatchObject({
        exit_code: 3,
        suite_runs: [
          {
            verdict: {
              title,
              conclusion: 'neutral',
              not_measured: [
                { metric: 'coherence', ...dead },
                { metric: 'fluency', ...dead },
              ],
            },
          },
        ],
      });
      const junit = await typeCli(['report', json.suite_runs[0]?.report ?? '', '--format', 'junit'], { folder });
      expect(junit.stdout).toContain('tests="4" failures="0" errors="2"');
    }
  },
);

test('S0-37 the ledger, GraphQL and the check of a coordinator tell dead metrics', patient, async () => {
  const suite = {
    files: Object.entries(files).map(([path, text]) => ({ path, text })),
    suitePaths: ['evals/support.suite.yaml'],
    projectPath: 'proofmark.yaml',
  };
  const id = await running.start(suite);
  await running.waitForEnd(id);
  const { data, errors } = await running.ask(
    `query ($id: UUID!) { run(id: $id) { conclusion feedback { markdown text }
       suiteRuns { report verdict { title lines conclusion unmeasured { metric measured wanted reason isEnough } } } } }`,
    { id },
  );
  expect(errors).toEqual([]);
  const dead = { measured: 0, wanted: 2, reason: expect.stringContaining('400'), isEnough: false };
  expect(data?.run).toMatchObject({
    conclusion: 'NEUTRAL',
    feedback: { markdown: expect.stringMatching(told('fluency')), text: expect.stringMatching(told('fluency')) },
    suiteRuns: [
      {
        verdict: {
          // It may have run before in this product: then it is held against that.
          ...{ title: expect.stringMatching(/2\/2 passed, 2 of 3 metrics not measured$/), conclusion: 'NEUTRAL' },
          lines: [
            expect.stringMatching(told('coherence')),
            expect.stringMatching(told('fluency')),
            'Worst case, with all that was not measured counted as failed: 0%.',
            expect.anything(),
          ],
          unmeasured: [
            { metric: 'coherence', ...dead },
            { metric: 'fluency', ...dead },
          ],
        },
      },
    ],
  });
  const { report } = z.object({ suiteRuns: z.tuple([z.object({ report: TestReport })]) }).parse(data?.run).suiteRuns[0];
  expect(report.not_measured).toMatchObject([{ metric_name: 'coherence' }, { metric_name: 'fluency' }]);
});

test('S0-37 the Action writes dead metrics into its summary, its log and its outputs', patient, async () => {
  const { outputs, summary, log } = await runStep({
    ...{ eventName: 'pull_request', payload: pullRequestEvent(), files },
    env: here(),
  });
  expect(outputs, log).toMatchObject({ conclusion: 'neutral', 'unmeasured-count': '2', 'pass-rate': '100.0' });
  for (const metric of ['coherence', 'fluency'])
    expect([summary, log].map((text) => told(metric).test(text))).toEqual([true, true]);
});
