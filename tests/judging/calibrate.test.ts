import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Rule } from '../stack/model/rules.ts';
import { startModelServer } from '../stack/model-server.ts';
import { startCli } from '../stack/run-cli.ts';

const project = (url: string): string =>
  `ai_configurations: { j: { provider: openai, model: judge-1, base_url: "${url}" } }\nlimits: { concurrency: 4 }\n`;

const suite = `
name: Support
agent: { name: Echo, driver: { type: scripted, replies: [{ reply: hello }] } }
judge: { ai_configuration: j, calibration_file: labels.jsonl }
cases:
  - { name: Greets, input: hi, expected_outcomes: { greeted: true } }
`;

/** 15 good answers and 15 bad ones, as people see them; the first `deceptive` bad ones look good. */
const labels = (deceptive: number): string =>
  Array.from({ length: 30 }, (_, index) => {
    const isGood = index % 2 === 0;
    const text = isGood || index < deceptive * 2 ? `Open until 17:00, answer ${index}` : `No idea, answer ${index}`;
    return JSON.stringify({ response: text, criterion: 'It names a time.', label: isGood ? 'passed' : 'failed' });
  }).join('\n');

const decides = (status: string): string =>
  JSON.stringify({
    criteria: [{ id: 'criterion', requirement: 'x', reasoning: `it is ${status}`, status }],
    injection_attempt: false,
  });
const rules: Rule[] = [
  { when: { user: 'Open until 17:00' }, reply: decides('passed') },
  { when: { user: 'No idea' }, reply: decides('failed') },
];

async function calibrate(
  text: string,
  given: Rule[],
  args: string[] = [],
  { suiteText = suite, interrupted = false }: { suiteText?: string; interrupted?: boolean } = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-calibrate-'));
  await using server = await startModelServer({ rules: given });
  try {
    await mkdir(join(folder, 'evals'));
    await writeFile(join(folder, 'proofmark.yaml'), project(server.url));
    await writeFile(join(folder, 'evals/x.suite.yaml'), suiteText);
    await writeFile(join(folder, 'evals/labels.jsonl'), text);
    if (interrupted) server.hold();
    const running = startCli(['calibrate', ...args], { folder });
    if (interrupted) {
      await server.whenInFlight(4, 30_000);
      running.interrupt();
    }
    const ended = await running.ended;
    return { ...ended, requests: server.requests, most: server.mostInFlight() };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('proofmark calibrate', () => {
  test('shows how far the judge agrees with people, and where it does not', async () => {
    const { code, stdout, stderr, requests, most } = await calibrate(labels(2), rules);
    expect(stdout.replace(/judge( +)[0-9a-f]{12}/, 'judge$1HASH')).toMatchInlineSnapshot(`
      "Support  evals/labels.jsonl
        labels         15 passed, 15 failed
        TPR            100.0%  of the answers that people passed, the judge passed too
        TNR            86.7%  of the answers that people failed, the judge failed too
        agreement      93.3%  the majority label alone: 50.0%
        Cohen's kappa  0.87  at least 0.6
        pass rates     50.0% means 42.3%, 80.0% means 76.9%, 100.0% means 100.0%
        judge          HASH
        The judge decided otherwise in 2 cases:
          line 2: people failed, the judge passed: It names a time.
            it is passed
          line 4: people failed, the judge passed: It names a time.
            it is passed
      "
    `);
    expect(stderr.split('\n').filter((line) => line.startsWith('line '))).toHaveLength(30);
    expect(code).toBe(0);
    expect(requests).toHaveLength(30);
    expect(most).toBeLessThanOrEqual(4);
    // The same request as in a test run: the criterion as an outcome, and nothing of the label.
    expect(requests[0]?.system).toContain('reached what was expected');
    expect(requests[0]?.user).toContain('criterion: It names a time.');
    expect(requests[0]?.user).not.toContain('label');
  });

  test('a kappa below 0.6 is exit code 1', async () => {
    const { code, stdout } = await calibrate(labels(8), rules, ['--json']);
    const [judge] = JSON.parse(stdout).judges;
    expect(judge).toMatchObject({
      ...{ true_passes: 15, false_fails: 0, true_fails: 7, false_passes: 8, tpr: 1, majority_agreement: 0.5 },
      disagreements: { length: 8, 0: { line: 2, label: 'failed', decision: 'passed', reasoning: 'it is passed' } },
    });
    expect(judge.kappa).toBeCloseTo(7 / 15, 10);
    expect(judge.judge_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(code).toBe(1);
  });

  test('an answer that could not be judged is counted apart, and is exit code 3', async () => {
    const unclear: Rule = { when: { user: 'answer 28' }, reply: decides('inconclusive') };
    const { code, stdout, stderr } = await calibrate(labels(0), [unclear, ...rules]);
    expect(stdout).toMatch(/labels +14 passed, 15 failed, 1 not judged\n/);
    expect(stdout).toMatch(/Cohen's kappa +1\.00/);
    expect(stderr).toContain('line 29: The judge could not decide about criterion\n');
    expect(code).toBe(3);
  });

  test('a wrong line of the file is exit code 2, and nothing is asked', async () => {
    const { code, stderr, requests } = await calibrate(`${labels(0)}\n{"response": 1}`, rules);
    expect(stderr).toContain('evals/labels.jsonl:31:1 error');
    expect(requests).toEqual([]);
    expect(code).toBe(2);
  });

  test('without a calibration file it is wrong usage', async () => {
    const { code, stderr } = await calibrate('', rules, [], {
      suiteText: suite.replace(', calibration_file: labels.jsonl', ''),
    });
    expect(stderr).toContain('No suite here names a `judge.calibration_file`.');
    expect(code).toBe(2);
  });

  test('Ctrl-C ends it with exit code 130 and says how many were not asked', async () => {
    const { code, stdout, requests } = await calibrate(labels(0), rules, [], { interrupted: true });
    expect(stdout).toMatch(/labels +0 passed, 0 failed, 30 not asked\n/);
    expect(stdout).toMatch(/judge +not asked\n/);
    expect(requests).toHaveLength(4);
    expect(code).toBe(130);
  });
});
