import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { repositoryRoot } from '../stack/processes.ts';
import { runInProcess } from './run-in-process.ts';
import { patient, type Suite, startRunningProduct } from './running-product.ts';

const file = 'tests/flows/fixtures/judge.mjs';
const secret = 'judge-secret-0123456789';
const program =
  'import json,sys;[print(json.dumps("17" in json.loads(line)["output"]),flush=True) for line in sys.stdin]';

/** Judges by post, and believes signed requests alone. */
async function startJudge() {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const { 'x-proofmark-timestamp': time, 'x-proofmark-signature': signature } = request.headers;
    const isSigned =
      signature ===
      `sha256=${createHmac('sha256', secret)
        .update(`${String(time)}.${body}`)
        .digest('hex')}`;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ pass: isSigned && JSON.parse(body).output.includes('9'), score: 1 }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a server on TCP has a port
  return { url, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

const suiteAt = (url: string): Suite => ({
  suitePaths: ['evals/code.suite.yaml'],
  files: [
    {
      path: 'evals/code.suite.yaml',
      text: `name: Judged by code
agent: { name: Desk, driver: { type: scripted, replies: [{ reply: We open from 9 to 17 }] } }
evaluations: { metrics: [{ metric: own, type: code, file: ${file}, export: judge, threshold: 0.5 }] }
cases:
  - name: Hours
    input: When do you open?
    expected_behavior:
      checks:
        - { type: code, file: ${file}, export: judge, threshold: 0.7 }
        - { type: not, check: { type: code, file: ${file}, export: judge, config: { wanted: sorry } } }
        - { type: command, command: [python3, -c, '${program}'] }
        - { type: http, url: '${url}', secret: { from_env: JUDGE_SECRET } }
`,
    },
    { path: file, text: readFileSync(join(repositoryRoot, file), 'utf8') },
  ],
});

const Edges = z.object({ edges: z.array(z.object({ node: z.object({ outcome: CaseOutcome }) })) });
const Answer = z.object({ run: z.object({ suiteRuns: z.array(z.object({ testRuns: Edges })) }) });

const judged = ({ status, checks, metrics, metricDetails }: CaseOutcome) => ({
  ...{ status, checks },
  metricDetails: metricDetails.map(({ kind, reasoning }) => ({ kind, reasoning })),
  metrics: metrics.map(({ evaluation_time_ms: _time, ...metric }) => metric),
});

test('code judges on a runner that may start programs as it does in this process', patient, async () => {
  await using judge = await startJudge();
  const keys = {
    ...{ JUDGE_SECRET: secret, PROOFMARK_KEY_ENVS: 'OPENAI_API_KEY,JUDGE_SECRET' },
    PROOFMARK_KEY_ORIGINS: `JUDGE_SECRET=${judge.url}`,
  };
  const suite = suiteAt(judge.url);
  const [local] = await runInProcess(suite, keys);
  expect(local?.outcome).toMatchObject({
    status: 'passed',
    checks: [
      { checkType: 'code', status: 'pass', details: { score: 0.75, metrics: { words: 6 } } },
      { checkType: 'not', status: 'pass' },
      { checkType: 'command', status: 'pass' },
      { checkType: 'http', status: 'pass' },
    ],
    metrics: [{ metric_name: 'own', score: 0.75, passed: true }],
  });
  const allowed = { PROOFMARK_ALLOW_COMMAND_AGENTS: '1' };
  await using running = await startRunningProduct({
    coordinatorEnv: allowed,
    runnerEnv: {
      ...keys,
      ...allowed,
      ...(process.getuid?.() === 0 ? {} : { PROOFMARK_COMMAND_AGENTS_SHARE_KEYS: '1' }),
    },
  });
  const id = await running.start(suite);
  await running.waitForEnd(id);
  const query =
    'query ($id: UUID!) { run(id: $id) { suiteRuns { testRuns(first: 9) { edges { node { outcome } } } } } }';
  const { data } = await running.ask(query, { id });
  const [suiteRun] = Answer.parse(data).run.suiteRuns;
  expect(suiteRun?.testRuns.edges.map(({ node }) => judged(node.outcome))).toEqual(local && [judged(local.outcome)]);
});
