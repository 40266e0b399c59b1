import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { serverDialects } from '../stack/model/dialects.ts';
import { runCli } from '../stack/run-cli.ts';
import { makeScratchDirectory } from '../stack/scratch-directory.ts';
import { runInProcess } from './run-in-process.ts';
import { patient, type Suite, startRunningProduct } from './running-product.ts';

const verdict = { reasoning: 'the same hours', passed: true };
const rules = [
  { when: { system: 'against an expected answer' }, reply: JSON.stringify(verdict) },
  { reply: 'We close at 17.' },
];
/** Nobody wrote a temperature: 0.7 is that of the test type, 0 that of judges. The second one was written. */
const suite: Suite = {
  projectPath: 'proofmark.yaml',
  suitePaths: ['evals/x.suite.yaml'],
  files: [
    {
      path: 'proofmark.yaml',
      text: `ai_configurations:
  plain: { provider: openai, model: o-plain }
  written: { provider: openai, model: o-written, temperature: 0.2 }
  judge: { provider: openai, model: o-judge }
`,
    },
    {
      path: 'evals/x.suite.yaml',
      text: `name: Opening hours
agent: { name: Desk, instructions: You answer for a shop., ai_configuration: plain }
judge: { ai_configuration: judge }
repetitions: 1
cases:
  - { name: Closing, input: When do you close?, expected_behavior: { checks: [{ type: llm_judge, expected_answer: At 17 }] } }
  - { name: Written, input: When do you close?, variables: { AIConfiguration: { defaultValue: written } }, expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }
`,
    },
  ],
};

const dialect = serverDialects['OpenAI o-series, gpt-5'];
const told = (model: string, configuration: string, changes: string) =>
  `The model \`${model}\` (AI configuration \`${configuration}\`) was asked otherwise, because it refuses what is usual or written: ${changes}.`;
const lines = [
  told('o-plain', 'plain', 'no temperature'),
  told('o-judge', 'judge', 'no temperature; token limit: max_completion_tokens'),
];

const Lines = z.object({
  run: z.object({ suiteRuns: z.tuple([z.object({ verdict: z.object({ lines: z.array(z.string()) }) })]) }),
});

test(
  'what nobody set and a model refuses is left out, kept with the result and told once; what somebody wrote is not dropped',
  patient,
  async () => {
    await using running = await startRunningProduct({ rules, dialect });
    const env = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: running.model.url };
    const [closing, written] = await runInProcess(suite, env);
    expect(closing?.outcome).toMatchObject({
      status: 'passed',
      adjustments: [
        { configuration: 'plain', model: 'o-plain', setting: 'temperature', instead: null },
        { configuration: 'judge', model: 'o-judge', setting: 'temperature', instead: null },
        { configuration: 'judge', model: 'o-judge', setting: 'max_tokens', instead: 'max_completion_tokens' },
      ],
    });
    expect(written?.outcome).toMatchObject({ status: 'error', errorKind: 'agent' });
    expect(written?.outcome.errorMessage).toMatch(/^Write the temperature that this model takes/);

    const folder = await makeScratchDirectory('refused');
    for (const { path, text } of suite.files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const { stdout } = await runCli(['run'], { folder, env });
    for (const line of lines) expect(stdout.split(line), stdout).toHaveLength(2);

    const id = await running.start(suite);
    await running.waitForEnd(id);
    const { data, errors } = await running.ask(
      'query ($id: UUID!) { run(id: $id) { suiteRuns { verdict { lines } } } }',
      { id },
    );
    expect(errors).toEqual([]);
    expect(Lines.parse(data).run.suiteRuns[0].verdict.lines).toEqual(
      expect.arrayContaining(lines.map((line) => line.replaceAll('`', ''))),
    );
  },
);
