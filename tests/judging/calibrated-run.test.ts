import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Rule } from '../stack/model/rules.ts';
import { type ModelServer, startModelServer } from '../stack/model-server.ts';
import { type CliResult, startCli } from '../stack/run-cli.ts';

const project = (url: string, limits: string): string =>
  `ai_configurations: { j: { provider: openai, model: judge-1, base_url: "${url}", price: { input: 1000, output: 1000 } } }
limits: { concurrency: 4${limits} }\n`;

const suite = (name: string, judge = 'calibration_file: labels.jsonl'): string => `
name: ${name}
agent: { name: Echo, driver: { type: scripted, replies: [{ reply: hello }] } }
judge: { ai_configuration: j, ${judge} }
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

const decides = (id: string, status: string): string =>
  JSON.stringify({
    criteria: [{ id, requirement: 'x', reasoning: `it is ${status}`, status }],
    injection_attempt: false,
  });
const rules = (greeted: string): Rule[] => [
  { when: { user: 'Open until 17:00' }, reply: decides('criterion', 'passed') },
  { when: { user: 'No idea' }, reply: decides('criterion', 'failed') },
  { reply: decides('greeted', greeted) },
];

interface World {
  run: (...args: string[]) => Promise<CliResult>;
  compare: (base: string, head: string) => Promise<CliResult>;
  start: (...args: string[]) => ReturnType<typeof startCli>;
  server: ModelServer;
  list: (path: string) => Promise<string[]>;
  write: (path: string, text: string) => Promise<void>;
}

interface Story {
  deceptive: number;
  given?: Rule[];
  limits?: string;
  suites?: string[];
}

/** A folder with a project, and the real command in it. */
async function inFolder(
  { deceptive, given, limits = '', suites = [suite('Support')] }: Story,
  act: (world: World) => Promise<void>,
) {
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-calibrated-'));
  await using server = await startModelServer({ rules: given ?? rules('failed') });
  const write = (path: string, text: string) => writeFile(join(folder, path), text);
  try {
    await mkdir(join(folder, 'evals'));
    await write('proofmark.yaml', project(server.url, limits));
    for (const [index, text] of suites.entries()) await write(`evals/${index}.suite.yaml`, text);
    await write('evals/labels.jsonl', labels(deceptive));
    const start = (...args: string[]) => startCli(['run', ...args], { folder });
    await act({
      ...{ server, start, write },
      run: (...args) => start(...args).ended,
      compare: (base, head) => startCli(['compare', base, head], { folder }).ended,
      list: (path) => readdir(join(folder, path)),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The part of the output that depends neither on the time nor on what was asked before. */
const told = ({ stdout }: CliResult): string =>
  stdout
    .replace(/Judge [0-9a-f]{12}/g, 'Judge HASH')
    .replace(/, \$[\d.]+/g, ', $…')
    .replace(/Results: .*/, 'Results: …');
const askedAboutLabels = ({ server }: World): number =>
  server.requests.filter(({ user }) => user.includes('It names a time.')).length;

describe('a run of a suite with labelled answers', () => {
  test('measures the judge first, says how far it agrees with people, and never asks it the same again', async () => {
    await inFolder({ deceptive: 2, given: rules('passed') }, async (world) => {
      const first = await world.run();
      expect(told(first)).toMatchInlineSnapshot(`
        "
        Support: 1 of 1 passed (100%), $…  accepted
          No baseline yet: 1/1 passed
          Judge HASH on 30 labelled answers of \`evals/labels.jsonl\`: TPR 100%, TNR 86.7%, kappa 0.87; agreement 93.3%, the majority label alone 50%. The pass rate 100%, corrected by TPR and TNR, is 100%.

        Nothing was compared. Compare with a branch: \`npx proofmark run --compare main\`. With the run before: \`npx proofmark run --compare last\`.
        Results: …
        "
      `);
      expect(first.stderr).toContain(
        'Measuring the judge of Support with the 30 labelled answers of evals/labels.jsonl\n',
      );
      expect(first.code).toBe(0);
      expect(askedAboutLabels(world)).toBe(30);
      expect(world.server.mostInFlight()).toBeLessThanOrEqual(4);
      expect(world.server.requests.at(-1)?.user).not.toContain('It names a time.');
      const second = await world.run();
      expect(told(second)).toBe(told(first));
      expect(second.stderr).not.toContain('Measuring');
      expect(askedAboutLabels(world)).toBe(30);
      await world.write('evals/labels.jsonl', labels(3));
      expect((await world.run()).stdout).toContain('TNR 80%');
    });
  });

  test('is neutral with a judge that agrees too little: neither refused nor accepted, exit code 0', async () => {
    await inFolder({ deceptive: 8 }, async (world) => {
      const ended = await world.run('--json');
      const answer = JSON.parse(ended.stdout);
      expect(answer.suite_runs[0].verdict).toMatchObject({
        ...{ word: 'no-baseline', conclusion: 'neutral' },
        judge: { labels: 30, is_measured: true, is_weak: true, tpr: 1, majority_agreement: 0.5, problem: null },
      });
      expect(ended.code).toBe(0);
      expect(told(await world.run())).toMatchInlineSnapshot(`
        "
        Support: 0 of 1 passed (0%), 1 failed, $…  NEUTRAL
          No baseline yet: 0/1 passed, judge too weak (kappa 0.47)
          Judge HASH on 30 labelled answers of \`evals/labels.jsonl\`: TPR 100%, TNR 46.7%, kappa 0.47; agreement 73.3%, the majority label alone 50%. The pass rate 0%, corrected by TPR and TNR, is 0%.
          Kappa below 0.6: this judge should not decide alone, so the check is neutral whatever the verdict. \`proofmark calibrate\` lists the answers that people judged otherwise: sharpen their criteria, or take another judge.
          1 case, 1 repetition and as many base trials are too few to show any drop.

          ✗ Greets  0 of 1 passed, evals/0.suite.yaml:6
              why       outcome greeted: it is failed
              said      hello

        Nothing was compared. Compare with a branch: \`npx proofmark run --compare main\`. With the run before: \`npx proofmark run --compare last\`.
        Results: …
        "
      `);
      const markdown = await world.run('--format', 'markdown');
      expect(markdown.stdout).toMatch(/\*\*Judge\*\*: Judge [0-9a-f]{12} on 30 labelled answers .*Kappa below 0\.6/);
      const html = await world.run('--format', 'html');
      expect(html.stdout).toContain('Kappa below 0.6: this judge should not decide alone');
    });
  });

  test('counts what the judge costs there: where nothing is left to spend, it is not measured, and nothing is capped', async () => {
    await inFolder({ deceptive: 8, limits: ', budget_usd: 0.5' }, async (world) => {
      const ended = await world.run('--json');
      const [{ verdict }] = JSON.parse(ended.stdout).suite_runs;
      expect(verdict.judge).toMatchObject({ is_measured: false, is_weak: false });
      expect(verdict.judge.problem).toMatch(/of 30 labelled answers not asked about: the budget was spent$/);
      expect(verdict.cut_test_runs).toBe(1);
      expect(JSON.parse(ended.stdout).suite_runs[0].cost_usd).toBeGreaterThanOrEqual(0.5);
      // An unfinished measurement is nobody's answer.
      expect(await world.list('results')).not.toContain('calibrations');
    });
  });

  test('is judged as ever where the judge could not be asked about them, and says so', async () => {
    const down: Rule = { when: { user: 'It names a time.' }, status: 401, reply: 'no' };
    await inFolder({ deceptive: 8, given: [down, ...rules('failed')] }, async (world) => {
      const ended = await world.run();
      expect(told(ended)).toMatch(
        /The judge was not measured with `evals\/labels\.jsonl`: `\d+ of 30 labelled answers not asked about: the judge did not answer before either; \d of 30/,
      );
      expect(ended.stdout).toContain('REFUSED');
      expect(ended.code).toBe(1);
      expect(await world.list('results')).not.toContain('calibrations');
    });
  });

  test('asks one judge once for two suites, and no judge that decides nothing', async () => {
    const plain = suite('Plain').replace(
      /expected_outcomes: .*\}/,
      'expected_behavior: { mode: all, checks: [{ type: contains_phrases, phrases: [hello] }] } }',
    );
    await inFolder({ deceptive: 2, suites: [suite('One'), suite('Two'), plain] }, async (world) => {
      const { suite_runs: runs } = JSON.parse((await world.run('--json')).stdout);
      const measured = runs.map(({ suite: name, verdict }: { suite: string; verdict: { judge: unknown } }) => [
        name,
        verdict.judge !== null,
      ]);
      expect(measured).toEqual([
        ['One', true],
        ['Two', true],
        ['Plain', false],
      ]);
      expect(askedAboutLabels(world)).toBe(30);
    });
  });

  test('Ctrl-C while it measures ends with exit code 130 and keeps nothing half', async () => {
    await inFolder({ deceptive: 2 }, async (world) => {
      world.server.hold();
      const running = world.start();
      await world.server.whenInFlight(4, 30_000);
      running.interrupt();
      const { code, stdout } = await running.ended;
      expect(code).toBe(130);
      expect(stdout).toContain('30 of 30 labelled answers not asked about: interrupted');
      expect(await world.list('results')).not.toContain('calibrations');
    });
  });

  test('is neutral where its results are compared later, too', async () => {
    const many = (reply: string): string => {
      const cases = Array.from(
        { length: 10 },
        (_, at) => `  - { name: Case ${at}, input: hi, expected_outcomes: { greeted: true } }`,
      );
      return `${suite('Support').replace('reply: hello', `reply: ${reply}`).split('cases:')[0]}cases:\n${cases.join('\n')}\n`;
    };
    const given = [
      ...rules('failed').slice(0, 2),
      { when: { user: 'agent: hello' }, reply: decides('greeted', 'passed') },
    ];
    await inFolder({ deceptive: 8, given: [...given, ...rules('failed')], suites: [many('hello')] }, async (world) => {
      const folderOf = async (results: string): Promise<string> => {
        await world.run('--repetitions', '3', '--results', results);
        return `${results}/${(await world.list(results)).find((name) => name !== 'calibrations')}`;
      };
      const before = await folderOf('before');
      await world.write('evals/0.suite.yaml', many('bye'));
      const { stdout, code } = await world.compare(before, await folderOf('after'));
      expect(stdout).toMatch(/Regressed: .*, judge too weak \(kappa 0\.47\)/);
      expect(code).toBe(0);
    });
  });
});
