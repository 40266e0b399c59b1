import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandIn, copyProject } from '../try-proofmark.fixture.ts';

/** A model that counts what it is asked, and says how often that was. */
async function openModel() {
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      asked += 1;
      response.setHeader('content-type', 'application/json');
      const message = { role: 'assistant', content: `answer ${asked}` };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      response.end(
        JSON.stringify({ id: 'a', model: 'm', choices: [{ index: 0, finish_reason: 'stop', message }], usage }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function project(url: string) {
  const copy = await copyProject();
  const write = (path: string, text: string) => writeFile(join(copy.folder, path), text);
  const models = { m: { provider: 'openai_compatible', model: 'm', base_url: url } };
  await write('proofmark.yaml', JSON.stringify({ ai_configurations: models }));
  const suite = {
    ...{ name: 'Talk', agent: { name: 'Desk', instructions: 'Be kind.', ai_configuration: 'm' } },
    cases: ['One', 'Two', 'Three'].map((name) => ({
      ...{ name, input: `${name}?` },
      expected_behavior: { checks: [{ type: 'contains_phrases', phrases: ['answer'] }] },
    })),
  };
  const keep = (change: (value: typeof suite) => void) => {
    change(suite);
    return write('talk.suite.yaml', JSON.stringify(suite));
  };
  await keep(() => undefined);
  return { ...copy, folder: copy.folder, write, keep, [Symbol.asyncDispose]: () => copy[Symbol.asyncDispose]() };
}

test('a known answer is not asked for again, until something changes that decides it; a run says how many were known', async () => {
  await using model = await openModel();
  await using copy = await project(model.url);
  const { folder, keep } = copy;
  const run = async (...args: string[]) => {
    const before = model.asked();
    const { code, stdout } = await commandIn(folder, ['run', ...args]);
    return { code, stdout, asked: model.asked() - before };
  };
  expect(await run()).toMatchObject({ code: 0, asked: 3 });
  const again = await run();
  expect(again).toMatchObject({ code: 0, asked: 0 });
  expect(again.stdout).toMatch(
    /^\n3 answers were known from an earlier run, and judged anew; --no-cache asks again\.\n/,
  );
  // What judges decides no answer.
  await keep(({ cases }) => {
    for (const one of cases)
      one.expected_behavior.checks = [{ type: 'contains_phrases', phrases: ['nothing like it'] }];
  });
  expect(await run()).toMatchObject({ code: 1, asked: 0 });
  await keep(({ cases: [first] }) => {
    if (first !== undefined) first.input = 'Another?';
  });
  expect((await run()).asked).toBe(1);
  await keep(({ agent }) => {
    agent.instructions = 'Be brief.';
  });
  const changed = await run('--json');
  expect([changed.asked, JSON.parse(changed.stdout).cached_answers]).toEqual([3, undefined]);
  expect((await run('--var', 'Temperature=1')).asked).toBe(3);
  expect(JSON.parse((await run('--json')).stdout).cached_answers).toBe(3);
  expect((await run('--no-cache')).asked).toBe(3);
});

test('what was asked anew, for whatever reason, is what is known from then on', async () => {
  await using model = await openModel();
  await using copy = await project(model.url);
  const answers = async (...args: string[]) => {
    await commandIn(copy.folder, ['run', '--case', 'One', ...args]);
    const { stdout } = await commandIn(copy.folder, ['report', 'last', '--json']);
    return JSON.parse(stdout).results.map((one: { agent_response: string }) => one.agent_response);
  };
  expect(await answers()).toEqual(['answer 1']);
  expect(await answers('--no-cache')).toEqual(['answer 2']);
  expect(await answers()).toEqual(['answer 2']);
  expect(await answers('--repetitions', '2', '--concurrency', '1')).toEqual(['answer 3', 'answer 4']);
  expect(await answers()).toEqual(['answer 3']);
  await answers('--compare', 'last', '--repetitions', '1');
  expect(await answers()).toEqual(['answer 5']);
  expect(model.asked()).toBe(5);
});

test('several repetitions, a base and CI ask anew, unless they are told otherwise', async () => {
  await using model = await openModel();
  await using copy = await project(model.url);
  const asked = async (args: string[], environment = {}) => {
    const before = model.asked();
    await commandIn(copy.folder, ['run', ...args], environment);
    return model.asked() - before;
  };
  expect(await asked([])).toBe(3);
  expect(await asked(['--repetitions', '2'])).toBe(6);
  expect(await asked(['--repetitions', '2', '--cache'])).toBe(0);
  expect(await asked(['--repetitions', '3', '--cache'])).toBe(3);
  expect(await asked([], { CI: 'true' })).toBe(3);
  expect(await asked(['--cache'], { CI: 'true' })).toBe(0);
  // Beside a base each case is run three times.
  expect(await asked(['--compare', 'last'])).toBe(9);
});

test('an answer of another version, or one that is half written, is asked anew; a broken one is never kept', async () => {
  await using model = await openModel();
  await using copy = await project(model.url);
  const { folder } = copy;
  await commandIn(folder, ['run', '--case', 'One']);
  const path = 'results/answers.jsonl';
  const kept = await readFile(join(folder, path), 'utf8');
  expect(kept).toContain('answer 1');
  const older = kept.replace(/"recorded":.*/, '"recorded":{"testRunId":"x"}}');
  for (const text of [older, kept.slice(0, 100), `${kept.slice(0, 100)}\n`, '']) {
    await copy.write(path, text);
    const before = model.asked();
    expect((await commandIn(folder, ['run', '--case', 'One'])).code).toBe(0);
    expect(model.asked() - before).toBe(1);
  }
  await copy.write(
    'proofmark.yaml',
    (await readFile(join(folder, 'proofmark.yaml'), 'utf8')).replace(model.url, 'http://127.0.0.1:9/v1'),
  );
  expect((await commandIn(folder, ['run', '--case', 'Two'])).code).toBe(3);
  expect((await readFile(join(folder, path), 'utf8')).split('\n')).toHaveLength(2);
});
