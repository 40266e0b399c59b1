import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { listen } from '../../../tests/stack/listen.ts';
import { startCli } from '../../../tests/stack/run-cli.ts';
import { makeScratchDirectory } from '../../../tests/stack/scratch-directory.ts';

const runId = '6f1f7a52-5c43-4a5e-9d0b-2f7f6d8d0a11';

const suite = `name: Hours
agent: { name: Desk, instructions: Help., ai_configuration: desk }
cases:
  - { name: Closing, input: When do you close?, expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }
`;

/** A coordinator that starts a run at the first word, and is twice too late with saying so. */
async function lateCoordinator() {
  const keys: string[] = [];
  const cancelled: string[] = [];
  const late = { errors: [{ message: 'Too late.', extensions: { code: 'TIMEOUT' } }] };
  const started = {
    ...{ __typename: 'StartRunSuccess', created: false, dispatch: 'IMMEDIATE', reporting: null, warnings: [] },
    run: { id: runId },
  };
  const answerTo = (operation: string, variables: { id: string; input: { idempotencyKey: string } }): object => {
    if (operation === 'StartRun') {
      keys.push(variables.input.idempotencyKey);
      return keys.length <= 2 ? late : { data: { startRun: started } };
    }
    if (operation !== 'CancelRun') return { errors: [{ message: 'Not here.', extensions: { code: 'FORBIDDEN' } }] };
    cancelled.push(variables.id);
    return { data: { cancelRun: { __typename: 'CancelRunSuccess', changed: true } } };
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { operationName, variables } = JSON.parse(await text(request));
    const answer = answerTo(operationName, variables);
    const headers = { 'content-type': 'application/json', 'retry-after': '30' };
    response.writeHead(answer === late ? 503 : 200, headers).end(JSON.stringify(answer));
  };
  const { origin, close } = await listen(createServer((request, response) => void serve(request, response)));
  return { origin, keys, cancelled, [Symbol.asyncDispose]: close };
}

test('Ctrl-C cancels also a run of which the coordinator has not said yet that it has begun', async () => {
  await using coordinator = await lateCoordinator();
  const folder = await makeScratchDirectory('late');
  const configurations = 'ai_configurations:\n  desk: { provider: openai, model: scripted }\n';
  await writeFile(join(folder, 'proofmark.yaml'), configurations);
  await writeFile(join(folder, 'hours.suite.yaml'), suite);
  const env = { PROOFMARK_TOKEN: 'pmk_x' };
  const onError = (said: string) => void (said.includes('Trying again: Too late.') && cli.interrupt());
  const cli = startCli(['run', 'hours.suite.yaml', '--coordinator', coordinator.origin], { folder, env, onError });
  const { code, stderr } = await cli.ended;
  expect(stderr).toContain(`Run ${runId} is cancelled.`);
  expect([code, coordinator.cancelled], stderr).toEqual([130, [runId]]);
  // With another key it would have been a second run.
  expect(new Set(coordinator.keys).size, stderr).toBe(1);
});
