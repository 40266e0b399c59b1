import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeScratchDirectory } from '../stack/scratch-directory.ts';
import { typeCli } from '../stack/type-cli.ts';
import { patient, startRunningProduct } from './running-product.ts';

const suite = (phrase: string) => `name: Hours
agent: { name: Desk, instructions: Help., ai_configuration: desk }
cases: [{ name: Closing, input: When do you close?, expected_behavior: { checks: [{ type: contains_phrases, phrases: ["${phrase}"] }] } }]
`;

test(
  'the runners of a coordinator judge what it has stored by the checks of today, and no model is asked',
  patient,
  async () => {
    await using running = await startRunningProduct();
    const folder = await makeScratchDirectory('rescore');
    const env = { PROOFMARK_TOKEN: running.product.token };
    const there = ['--coordinator', running.product.url];
    const accepted = (stderr: string): string => /(?<=Run )[0-9a-f-]{36}(?= was accepted)/.exec(stderr)?.[0] ?? '';
    await writeFile(
      join(folder, 'proofmark.yaml'),
      'ai_configurations: { desk: { provider: openai, model: scripted, api_key_env: OPENAI_API_KEY } }\n',
    );
    await writeFile(join(folder, 'hours.suite.yaml'), suite('30 days'));
    const first = await typeCli(['run', ...there], { folder, env });
    expect(first.code, first.stderr).toBe(1);
    const runId = accepted(first.stderr);
    await writeFile(join(folder, 'hours.suite.yaml'), suite('17'));
    const before = running.model.requests.length;
    const rescored = await typeCli(['rescore', runId, ...there], { folder, env });
    expect(running.model.requests.length).toBe(before);
    expect(rescored.stdout, rescored.stderr).toContain('Hours: 1 of 1 passed (100%)');
    expect(rescored.code).toBe(0);
    const told = await running.ask('query ($id: UUID!) { run(id: $id) { rescores rerunOf } }', {
      id: accepted(rescored.stderr),
    });
    expect(told.data).toEqual({ run: { rescores: runId, rerunOf: runId } });
  },
);
