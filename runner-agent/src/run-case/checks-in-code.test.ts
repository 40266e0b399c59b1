import { createHmac } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { Check } from '@proofmark/contracts/checks';
import { contentHash } from '@proofmark/contracts/content-hash';
import { Metric } from '@proofmark/contracts/metrics';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { aCase, type CaseStory, casePorts } from '../case/a-case.fixture.ts';
import { reachAgents } from '../drivers/reach-agents.ts';
import { json, serve, token } from '../drivers/service-story.fixture.ts';
import { readKeyRing } from '../models/key-ring.ts';
import { runCase } from './run-case.ts';

type CheckInput = z.input<typeof Check>;

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'own-checks-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

interface Told extends CaseStory {
  checks?: CheckInput[];
  /** What whoever runs the cases has set. */
  environment?: Record<string, string>;
  hasPrograms?: boolean;
}

/** Runs a case with files of the repository that judge its answer "From 9 to 17". */
async function judge(
  files: Record<string, string>,
  { checks = [], environment = {}, hasPrograms = true, ...story }: Told,
): Promise<CaseOutcome> {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const ring = readKeyRing(
    { PROOFMARK_KEY_ENVS: 'SHOP_TOKEN', SHOP_TOKEN: token, ...environment },
    { allowsLoopback: true },
  );
  if (!ring.ok) throw new Error(ring.problems.join('\n'));
  const programs = { directory, environment: { PATH: process.env.PATH, SHOP_TOKEN: token, ...environment } };
  await using reach = reachAgents({
    keys: ring.keys,
    now: () => new Date(1_700_000_000_000),
    programs: hasPrograms ? programs : null,
  });
  const reply = story.case?.ground_truth === undefined ? 'From 9 to 17' : story.case.ground_truth;
  return await runCase(
    aCase({
      agent: { driver: { type: 'scripted', replies: [{ reply: reply ?? '' }] } },
      limits: { caseTimeoutMs: 20_000 },
      ...story,
      case: { ...(checks.length === 0 ? {} : { expected_behavior: { checks } }), ...story.case },
    }),
    casePorts({ code: reach, reach }),
    new AbortController().signal,
  );
}

/** The letter of the state of a process. */
function stateOf(pid: string): string | undefined {
  const status = `/proc/${pid}/status`;
  return existsSync(status) ? /^State:\s+(\w)/m.exec(readFileSync(status, 'utf8'))?.[1] : 'gone';
}

const code = (file: string, more: object = {}): CheckInput => ({ type: 'code', file, ...more });

describe('what a function may return', () => {
  test.each<[string, string, object, object?]>([
    ['true', 'true', { status: 'pass', details: { score: 1 } }],
    ['false', 'false', { status: 'fail', details: { score: 0, reasoning: 'The check says no, and not why' } }],
    ['a number', '0.4', { status: 'pass', details: { score: 0.4 } }],
    [
      'a number that is too low',
      '0.4',
      { status: 'fail', details: { score: 0.4, threshold: 0.5, reasoning: '0.4 is below 0.5' } },
      { threshold: 0.5 },
    ],
    ['zero', '0', { status: 'fail' }],
    [
      'all that there is',
      '{ pass: true, score: 0.9, reason: "Fine", metrics: { words: 4 }, components: [{ name: "tone", pass: false, reason: "rude" }] }',
      {
        status: 'pass',
        details: {
          score: 0.9,
          reasoning: 'Fine',
          metrics: { words: 4 },
          components: [{ name: 'tone', status: 'fail', reasoning: 'rude' }],
        },
      },
    ],
    [
      'the words of promptfoo',
      '{ pass: true, score: 1, reason: "Fine", namedScores: { words: 4 }, componentResults: [{ pass: true, score: 1, reason: "ok" }] }',
      {
        status: 'pass',
        details: { metrics: { words: 4 }, components: [{ name: 'part 1', status: 'pass', score: 1, reasoning: 'ok' }] },
      },
    ],
    [
      'a promise',
      'Promise.resolve({ pass: false, reason: "late" })',
      { status: 'fail', details: { reasoning: 'late' } },
    ],
    ['nothing', 'undefined', { status: 'error', error: expect.stringContaining('The check returned null') }],
    ['a text', '"yes"', { status: 'error', error: expect.stringContaining('returned "yes": neither true or false') }],
    ['a number that is none', 'NaN', { status: 'error', error: expect.stringContaining('The check returned null') }],
    ['something that is no JSON', '{ pass: 1n }', { status: 'error', error: expect.stringContaining('BigInt') }],
  ])('%s', async (name, returned, expected, more) => {
    const file = `checks/${contentHash(name).slice(0, 8)}.mjs`;
    const { checks } = await judge({ [file]: `export default () => (${returned});` }, { checks: [code(file, more)] });
    expect(checks[0]).toMatchObject(expected);
  });

  test('a check that has nothing to judge is skipped, and one that passes beside it decides', async () => {
    const file = { 'checks/skip.mjs': 'export default () => ({ skip: true, reason: "no order" });' };
    const both = await judge(file, { checks: [code('checks/skip.mjs'), { type: 'length', min: 1 }] });
    expect(both).toMatchObject({
      status: 'passed',
      checks: [{ status: 'skip', details: { reasoning: 'no order' } }, {}],
    });
    expect(await judge(file, { checks: [code('checks/skip.mjs')] })).toMatchObject({
      ...{ status: 'error', errorKind: 'judge', errorMessage: 'Every check was skipped, so nothing judged the answer' },
    });
  });
});

test('a function is told the whole test run, in our words and in those of promptfoo', async () => {
  const file = `import { writeFileSync } from 'node:fs';
    export const asked = (output: string, context: { config: { to: string } }): boolean => {
      console.log('{"pass": false}');
      writeFileSync(context.config.to, JSON.stringify({ output, context }));
      return true;
    };`;
  const to = join(directory, 'told.json');
  const { checks } = await judge(
    { 'checks/told.ts': file },
    {
      checks: [code('checks/told.ts', { export: 'asked', config: { to }, threshold: 0.5 })],
      case: { ground_truth: '{"open": 9}', tags: ['hours'] },
      variables: { Day: 'monday' },
    },
  );
  expect(checks[0]).toMatchObject({ status: 'pass', error: null });
  const told: unknown = JSON.parse(readFileSync(to, 'utf8'));
  expect(told).toMatchObject({
    output: '{"open": 9}',
    context: {
      ...{ input: 'When do you open?', expected: '{"open": 9}', vars: { Day: 'monday' }, output_json: { open: 9 } },
      ...{ threshold: 0.5, repetition: 1, usage: null, cost_usd: null, latency_ms: expect.any(Number), tool_calls: [] },
      messages: [{ role: 'user' }, { role: 'assistant', content: '{"open": 9}' }],
      case: { name: 'Business hours', tags: ['hours'] },
      agent: { name: 'Support agent' },
      prompt: 'When do you open?',
      test: { vars: { Day: 'monday' }, description: 'Business hours' },
      providerResponse: { output: '{"open": 9}' },
    },
  });
});

test('an assertion file of CommonJS as promptfoo documents it runs unchanged', async () => {
  const file = `module.exports = (output, context) => {
    if (context.vars.topic === 'bananas') return output.includes('9');
    return { pass: true, score: 0.5, reason: 'Contains ' + context.vars.topic };
  };`;
  const run = (topic: string) => judge({ 'assert.cjs': file }, { checks: [code('assert.cjs')], variables: { topic } });
  expect((await run('bananas')).checks[0]).toMatchObject({ status: 'pass' });
  expect((await run('hours')).checks[0]).toMatchObject({
    status: 'pass',
    details: { score: 0.5, reasoning: 'Contains hours' },
  });
});

describe('faults of the code are faults of the measurement, with their line', () => {
  test.each([
    [
      'a throw',
      'export default () => {\n  const order = null;\n  return order.id;\n};',
      'checks/bad.mjs:3: Cannot read properties of null',
    ],
    ['a syntax error', 'export default () => {\n  return (;\n};', 'checks/bad.mjs:2: Unexpected token'],
    ['no function', 'export const x = 1;', 'checks/bad.mjs must export default a function'],
    [
      'a missing import',
      'import "nothing-like-it";\nexport default () => true;',
      "Cannot find package 'nothing-like-it'",
    ],
    ['an end of the process', 'export default () => process.exit(3);', "The agent's program ended without an answer"],
  ])('%s', async (_, text, message) => {
    const outcome = await judge({ 'checks/bad.mjs': text }, { checks: [code('checks/bad.mjs')] });
    expect(outcome).toMatchObject({
      status: 'error',
      errorKind: 'judge',
      errorMessage: expect.stringContaining(message),
    });
  });

  test('a line of TypeScript is the line of the file', async () => {
    const text =
      'interface Order {\n  id: string;\n}\nexport default (): boolean => {\n  throw new Error("no order" as string);\n};';
    const { checks } = await judge({ 'checks/bad.ts': text }, { checks: [code('checks/bad.ts')] });
    expect(checks[0]?.error).toBe('checks/bad.ts:5: no order');
  });

  test('a file that is not the one of the run judges nothing', async () => {
    const { checks } = await judge(
      { 'checks/other.mjs': 'export default () => true;' },
      { checks: [code('checks/other.mjs', { sha256: contentHash('something else') })] },
    );
    expect(checks[0]).toMatchObject({
      status: 'error',
      error: 'checks/other.mjs is not the same here as in the definitions of the run',
    });
  });
});

describe('hostile code ends, and takes nothing with it', () => {
  test('one that loops is ended at its limit, and the next test run is judged', async () => {
    const file = {
      'checks/loop.mjs': 'export default (output, { config }) => { while (config.loops); return true; };',
    };
    const checks = [code('checks/loop.mjs', { timeout_ms: 300, config: { loops: true } }), code('checks/loop.mjs')];
    expect((await judge(file, { checks })).checks).toMatchObject([
      { status: 'error', error: 'checks/loop.mjs took longer than 300 ms' },
      { status: 'pass' },
    ]);
  });

  test('one that prints a gigabyte, or returns one, is cut off', async () => {
    const flood =
      'const mb = "x".repeat(1_000_000); export default () => { for (let i = 0; i < 1_000; i += 1) console.log(mb); return true; };';
    const answer = 'export default () => ({ pass: true, reason: "x".repeat(9_000_000) });';
    const { checks } = await judge(
      { 'checks/flood.mjs': flood, 'checks/answer.mjs': answer },
      { checks: [code('checks/flood.mjs', { timeout_ms: 10_000 }), code('checks/answer.mjs')] },
    );
    expect(checks[0]).toMatchObject({ status: 'pass' });
    expect(checks[1]).toMatchObject({ status: 'error', error: 'response too large: more than 8 MB' });
  });

  test('one that takes more memory than it may ends alone', async () => {
    const text = 'export default () => { const all = []; for (;;) all.push(new Array(1_000_000).fill(0.5)); };';
    const { checks } = await judge(
      { 'checks/memory.mjs': text },
      { checks: [code('checks/memory.mjs', { timeout_ms: 15_000 })] },
    );
    expect(checks[0]).toMatchObject({ status: 'error', error: expect.stringContaining('ended without an answer') });
  });

  test('one that starts processes takes them with it', async () => {
    const pidFile = join(directory, 'child.pid');
    const text = `import { spawn } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      export default () => {
        const child = spawn('sleep', ['600']);
        writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
        return true;
      };`;
    expect(await judge({ 'checks/fork.mjs': text }, { checks: [code('checks/fork.mjs')] })).toMatchObject({
      status: 'passed',
    });
    const pid = readFileSync(pidFile, 'utf8');
    // Ended, whether or not somebody has taken note of it.
    expect(['gone', 'Z']).toContain(stateOf(pid));
  });

  test('one that reads the environment finds no key, unless whoever runs the cases gives it one, and even that leaves no trace', async () => {
    const text = 'export default () => ({ pass: true, reason: JSON.stringify(process.env) });';
    const without = await judge({ 'checks/env.mjs': text }, { checks: [code('checks/env.mjs')] });
    expect(without.checks[0]?.details.reasoning).toContain('"PATH"');
    expect(JSON.stringify(without)).not.toContain('shop-token');
    const given = await judge(
      { 'checks/env.mjs': text },
      { checks: [code('checks/env.mjs')], environment: { PROOFMARK_PROGRAM_ENVS: 'SHOP_TOKEN' } },
    );
    expect(given.checks[0]?.details.reasoning).toContain('SHOP_TOKEN');
    expect(JSON.stringify(given)).not.toContain('shop-token');
  });
});

describe('programs and services judge by the same words', () => {
  test('a program of any language', async () => {
    const program = `import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"pass": asked["output"].endswith(asked["context"]["config"]["end"]), "reason": "by python"}), flush=True)
`;
    const check = (end: string): CheckInput => ({ type: 'command', command: ['python3', 'check.py'], config: { end } });
    const { checks } = await judge({ 'check.py': program }, { checks: [check('17'), check('18')] });
    expect(checks).toMatchObject([{ status: 'pass' }, { status: 'fail', details: { reasoning: 'by python' } }]);
  });

  test('a service, signed and with headers, also where no program may run', async () => {
    await using service = await serve({ '*': json({ pass: false, score: 0.2, reason: 'by post' }) });
    const check: CheckInput = {
      type: 'http',
      url: `${service.origin}/judge`,
      headers: { Authorization: { from_env: 'SHOP_TOKEN' } },
      secret: { from_env: 'SHOP_TOKEN' },
    };
    const environment = { PROOFMARK_KEY_ORIGINS: `SHOP_TOKEN=${service.origin}` };
    const { checks } = await judge({}, { checks: [check], environment, hasPrograms: false });
    expect(checks[0]).toMatchObject({ status: 'fail', details: { reasoning: 'by post', score: 0.2 } });
    const [seen] = service.seen;
    const digest = createHmac('sha256', token).update(`1700000000.${seen?.body}`).digest('hex');
    expect(seen?.headers).toMatchObject({
      authorization: token,
      'x-proofmark-timestamp': '1700000000',
      'x-proofmark-signature': `sha256=${digest}`,
    });
    expect(JSON.parse(seen?.body ?? '')).toMatchObject({ protocol: 'proofmark.check/1', output: 'From 9 to 17' });
  });

  test.each<[string, Parameters<typeof json>, string]>([
    ['a broken service', [{ detail: token }, {}, 500], 'The service answered 500'],
    ['a redirect', [{}, { location: 'https://elsewhere.example' }, 302], 'redirects elsewhere, which is not followed'],
    ['another answer', [{ fine: true }], 'without `pass` and `score`'],
  ])('%s is a fault of the measurement', async (_, answer, message) => {
    await using service = await serve({ '*': json(...answer) });
    const outcome = await judge({}, { checks: [{ type: 'http', url: service.origin }] });
    expect(outcome).toMatchObject({
      status: 'error',
      errorKind: 'judge',
      errorMessage: expect.stringContaining(message),
    });
    expect(JSON.stringify(outcome)).not.toContain('shop-token');
  });

  test('where no program may run, code and programs are refused by a sentence that names the way that is left', async () => {
    for (const check of [code('checks/any.mjs'), { type: 'command', command: ['true'] } satisfies CheckInput])
      expect((await judge({}, { checks: [check], hasPrograms: false })).checks[0]).toMatchObject({
        status: 'error',
        error: expect.stringContaining('use `type: http` for one that runs everywhere'),
      });
  });
});

describe('code as a metric', () => {
  const metric = (more: object) => ({
    metrics: [Metric.parse({ metric: 'hours', type: 'code', file: 'metric.mjs', ...more })],
  });
  const run = (returned: string, more: object) =>
    judge({ 'metric.mjs': `export default (output, { config }) => (${returned});` }, { evaluations: metric(more) });

  test('its score counts against the threshold, on the scale of the metric', async () => {
    expect(await run('({ score: 0.6, reason: "so so" })', { threshold: 0.7 })).toMatchObject({
      status: 'failed',
      metrics: [{ metric_name: 'hours', score: 0.6, passed: false, error: null }],
      metricDetails: [{ kind: 'code', reasoning: 'so so' }],
    });
    expect(await run('0.6', { threshold: 2, scale: 5 })).toMatchObject({
      status: 'passed',
      metrics: [{ score: 3, passed: true }],
    });
  });

  test.each([
    ['a score that is none', '7', 'the score of a metric is 0 to 1'],
    ['a throw', '(() => { throw new Error("no") })()', 'metric.mjs:1: no'],
    ['a skip', '({ skip: true })', 'not_applicable: the code skips this test run'],
  ])('%s is no measurement', async (_, returned, error) => {
    expect((await run(returned, {})).metrics[0]).toMatchObject({
      score: null,
      passed: false,
      error: expect.stringContaining(error),
    });
  });
});
