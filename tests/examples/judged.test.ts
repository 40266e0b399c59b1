import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ChatRequest } from '../stack/model/chat-request.ts';
import { startModelServer } from '../stack/model-server.ts';
import { typeCli } from '../stack/type-cli.ts';

const root = join(import.meta.dirname, '../../examples/judged');
const Label = z.object({ response: z.string(), label: z.enum(['passed', 'failed']) });
const labels = readFileSync(join(root, 'evals/labels.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => Label.parse(JSON.parse(line)));

/** Decides as people do, but for one answer that it takes for a good one. */
function judge({ messages }: ChatRequest): string {
  const asked = messages.at(-1)?.content ?? '';
  const found = labels.find(({ response }) => asked.includes(response));
  const isFooled = found?.response === 'You can return it.';
  const id = /id: (\w+)/.exec(asked)?.[1] ?? '';
  const status = isFooled ? 'passed' : (found?.label ?? 'passed');
  return JSON.stringify({
    criteria: [{ id, requirement: id, reasoning: 'as people', status }],
    injection_attempt: false,
  });
}

test('the example of a measured judge says how far its judge agrees with people', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-judged-'));
  await using model = await startModelServer({
    rules: [
      { when: { system: 'reached what was expected' }, reply: judge },
      { reply: 'We close at 17, and you have 30 days to return it.' },
    ],
  });
  try {
    await cp(root, folder, { recursive: true });
    const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: model.url };
    const { stdout, stderr, code } = await typeCli(['run'], { folder, env });
    expect(stderr).toContain('Measuring the judge of Judged desk with the 40 labelled answers of evals/labels.jsonl');
    expect(stdout).toContain('TPR 100%, TNR 95%, kappa 0.95; agreement 97.5%, the majority label alone 50%.');
    expect(stdout).toContain('2 of 2 passed');
    expect(code).toBe(0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
