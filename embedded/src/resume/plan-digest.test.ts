import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EmbeddedRunInput } from '../run/run-embedded.ts';
import { scratchRepository } from '../scratch-repository.fixture.ts';
import { runIn, runUntil } from './interrupted-run.fixture.ts';

const files = {
  'proofmark.yaml':
    'ai_configurations:\n  fast: { provider: openai, model: m-1 }\n  slow: { provider: openai, model: m-2 }\n',
  'agents/desk.agent.yaml':
    'name: Desk\ninstructions: Answer.\nai_configuration: fast\ndriver: { type: scripted, replies: [{ reply: at 17 }] }\n',
  'a.txt': 'first',
  'x.suite.yaml': `name: Support
agent: agents/desk.agent.yaml
variables: { Temperature: 0 }
judge: { ai_configuration: fast }
cases:
  - { name: One, input: When?, files: [{ path: a.txt, type: text }], expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }
  - { name: Two, input: And then?, expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }
`,
};
type Path = keyof typeof files;

/** Starts a run, changes a file and goes on; what was said against that, or the totals. */
async function afterChange(path: Path, from: string, to: string, parts: Partial<EmbeddedRunInput> = {}) {
  await using repository = await scratchRepository(files);
  await runUntil(1, repository, {});
  expect(files[path]).toContain(from);
  await writeFile(join(repository.root, path), files[path].replaceAll(from, to));
  const run = await runIn(repository, { parts: { ...parts, isResumed: true } });
  return run.ok ? run.suiteRuns.map(({ totals }) => totals.passed) : run.refusal;
}

const refusal = (...details: string[]) => ({
  message: 'run-1 cannot go on, because this has changed since it was started:',
  details,
});

describe('a run does not go on with something else', () => {
  test.each<[Path, string, string, string]>([
    ['agents/desk.agent.yaml', 'Answer.', 'Be brief.', "agents/desk.agent.yaml: the agent 'Desk' has changed"],
    ['agents/desk.agent.yaml', 'at 17', 'at 18', "agents/desk.agent.yaml: the agent 'Desk' has changed"],
    ['x.suite.yaml', 'And then?', 'And now?', "x.suite.yaml: the case 'Two' has changed"],
    ['x.suite.yaml', 'name: Two', 'name: Ten', "x.suite.yaml: the case 'Two' is gone"],
    ['x.suite.yaml', 'Temperature: 0', 'Temperature: 1', 'x.suite.yaml: the value of Temperature has changed'],
    ['x.suite.yaml', 'judge: {', 'gate: { min_pass_rate: 5 }\njudge: {', 'x.suite.yaml: the gate has changed'],
    [
      'x.suite.yaml',
      'judge: {',
      'repetitions: 2\njudge: {',
      'x.suite.yaml: the repetitions were 1 then, and are 2 now',
    ],
    ['x.suite.yaml', 'judge: {', 'matrix: { Temperature: [0] }\njudge: {', "x.suite.yaml: the suite 'Support' is gone"],
    [
      'proofmark.yaml',
      'ai_conf',
      'limits: { case_timeout_ms: 9000 }\nai_conf',
      'x.suite.yaml: what measures the answers has changed: the limits',
    ],
    ['a.txt', 'first', 'second', 'a.txt: a file of a case, holds something else'],
  ])('%s: %s → %s', async (path, from, to, detail) => {
    const refused = await afterChange(path, from, to);
    expect(refused).toEqual({ ...refusal(), details: expect.arrayContaining([detail]) });
  });

  test('a version of Proofmark, which may judge otherwise', async () => {
    const refused = await afterChange('a.txt', 'first', 'first', { version: '0.2.0' });
    expect(refused).toEqual(refusal('proofmark was 0.1.0 then, and is 0.2.0 now'));
  });

  test('what changes nothing of the run is fine: comments, limits of cost, other suites that are not asked for', async () => {
    expect(await afterChange('x.suite.yaml', 'name: Support', '# A comment\nname: Support')).toEqual([2]);
    expect(
      await afterChange('proofmark.yaml', 'ai_conf', 'limits: { budget_usd: 9, concurrency: 2 }\nai_conf'),
    ).toEqual([2]);
  });
});

describe('a folder of a run', () => {
  test('that has begun is not begun again', async () => {
    await using repository = await scratchRepository(files);
    await runUntil(1, repository, {});
    expect(await runIn(repository, {})).toMatchObject({
      refusal: { message: 'There is a run run-1 already: go on with it by --resume run-1' },
    });
  });

  test('that is not there is told, and not made', async () => {
    await using repository = await scratchRepository(files);
    expect(await runIn(repository, { parts: { isResumed: true } })).toMatchObject({
      problems: [{ path: 'resume', message: expect.stringMatching(/^There is no folder .*run-1$/) }],
    });
  });
});
