import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { bridgeFiles, httpAgent } from './bridge-files.ts';
import { objectMark } from './object-mark.ts';

const Program = z.object({
  default: z.custom<(...given: unknown[]) => Promise<unknown>>((value) => typeof value === 'function'),
});

/** The function of a written file, as the project that imported it would load it. */
async function loaded(text: string) {
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-bridge-'));
  const path = join(folder, 'bridge.mjs');
  await writeFile(path, text);
  const { default: run } = Program.parse(await import(pathToFileURL(path).href));
  await rm(folder, { recursive: true });
  return run;
}

const calls = [{ id: 'c1', name: 'weather', args: { city: 'Boston' } }];

test.each([
  ['an expression', 'abc', { code: 'output.length === 3' }, true],
  ['declarations with an expression behind them', 'a;b', { code: "const s = 'a;b'; output === s;" }, true],
  ['several lines', 'abc', { code: 'const n = 3;\nreturn { pass: output.length === n }' }, { pass: true }],
  ['a JSON that was asked for', '{"a":"x"}', { shape: 'json', code: "output.a === 'x'" }, true],
  ['a JSON text of its provider as text', '{"a":"x"}', { code: "typeof output === 'string'" }, true],
  ['an object of its provider as one', `{"a":"x"}${objectMark}`, { code: "output.a === 'x'" }, true],
  ['a JSON text with an end of line as text', '{"a":"x"}\n', { code: 'JSON.parse(output).a' }, 'x'],
  ['calls of tools', '', { shape: 'openai-tools', code: 'JSON.parse(output[0].function.arguments).city' }, 'Boston'],
  ['the call of a function', '', { shape: 'openai-functions', code: 'output.name' }, 'weather'],
  ['calls as Google has them', '', { shape: 'google', code: 'output[0].functionCall.args.city' }, 'Boston'],
  [
    'calls as Anthropic has them',
    'Sure',
    { shape: 'anthropic', code: 'JSON.parse(output.split("\\n\\n")[1]).input.city' },
    'Boston',
  ],
  ['what transforms make of it', ' Yes ', { transforms: ['output.trim()', 'output.length'], code: 'output' }, 3],
  ['values of the test', 'x', { vars: { n: 1 }, code: 'context.vars.n === 1 && context.test.vars.n === 1' }, true],
])('an assertion in JavaScript is shown %s', async (_what, output, config, result) => {
  const check = await loaded(bridgeFiles.javascriptCheck.text);
  expect(await check(output, { config, tool_calls: calls, prompt: 'p', test: {} })).toEqual(result);
});

test.each([
  ['equals', 'yes', 'yes', 'no'],
  ['icontains-all', 'One, two', ['one', 'TWO'], ['three']],
  ['contains-any', 'One', ['Two', 'One'], ['Two']],
  ['starts-with', 'One', 'O', 'o'],
  ['regex', 'a1', '\\d', '^\\d'],
  ['is-json', '{"a":[1]}', { type: 'object', properties: { a: { items: { type: 'integer' } } } }, { required: ['b'] }],
  ['contains-json', 'so { not [1,2] it', { type: 'array' }, { type: 'object' }],
])('%s behind a transform holds and fails as data', async (type, output, holds, fails) => {
  const check = await loaded(bridgeFiles.javascriptCheck.text);
  const ask = (value: unknown) => check(output, { config: { transforms: ['output'], assertion: { type, value } } });
  expect(await ask(holds)).toMatchObject({ pass: true });
  expect(await ask(fails)).toMatchObject({ pass: false });
});

test('a transform that gives nothing back is an error, and no verdict', async () => {
  const check = await loaded(bridgeFiles.javascriptCheck.text);
  const asked = check('x', { config: { transforms: ['undefined'], assertion: { type: 'equals', value: 'x' } } });
  await expect(asked).rejects.toThrow('A transform gave nothing back');
});

test('a service is asked with the values of the test, and its answer read by the program of the provider', async () => {
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      asked.push([request.method, request.url, JSON.parse(body)]);
      response.end(JSON.stringify({ choices: [{ text: 'Fine' }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-vars-'));
  const vars = join(folder, 'vars.json');
  await writeFile(vars, JSON.stringify({ 'Hi there': { model: 'm-1' } }));
  const request = {
    ...{ address: `http://127.0.0.1:${port}/{{model}}`, method: 'POST', headers: { 'X-Model': '{{model}}' } },
    ...{ body: { messages: '{{ prompt }}', n: 1, model: '{{model}}' }, query: { q: '{{prompt | dump}}' } },
    ...{ reader: '(json) => ({ output: json.choices[0].text })', vars },
  };
  const ask = await loaded(httpAgent('service', request).text);
  expect(await ask({ input: '[{"role":"user"}]' })).toBe('Fine');
  expect(await ask({ input: 'Hi there' })).toBe('Fine');
  const q = (text: string): string => new URLSearchParams({ q: JSON.stringify(text) }).toString();
  expect(asked).toEqual([
    ['POST', `/?${q('[{"role":"user"}]')}`, { messages: [{ role: 'user' }], n: 1, model: '' }],
    ['POST', `/m-1?${q('Hi there')}`, { messages: 'Hi there', n: 1, model: 'm-1' }],
  ]);
  const broken = await loaded(httpAgent('service', { ...request, reader: 'json.nothing' }).text);
  await expect(broken({ input: 'x' })).rejects.toThrow('found nothing in it');
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

test('an object that a provider in Python gave is shown to an assertion in Python as one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-bridge-'));
  const { pythonProvider, pythonCheck } = bridgeFiles;
  await writeFile(
    join(folder, 'provider.py'),
    'def call_api(prompt, options, context):\n    return {"output": {"says": prompt}}\n',
  );
  const ask = (program: string, args: readonly string[], message: unknown): unknown =>
    JSON.parse(
      execFileSync('python3', ['-c', program, ...args], {
        cwd: folder,
        input: `${JSON.stringify(message)}\n`,
      }).toString(),
    );
  const { output } = z
    .object({ output: z.string() })
    .parse(ask(pythonProvider.text, ['provider.py', 'call_api', '{}'], { input: 'Ä' }));
  expect(output).toBe(`{"says":"Ä"}${objectMark}`);
  const context = { config: { code: "output['says'] == 'Ä'" } };
  expect(ask(pythonCheck.text, [], { output, context })).toEqual({ result: true });
  const asText = { output: '{"says":"Ä"}\n', context: { config: { code: 'isinstance(output, str)' } } };
  expect(ask(pythonCheck.text, [], asText)).toEqual({ result: true });
  await rm(folder, { recursive: true });
});

test('a provider in Python names the variable that is not set, as one in JavaScript does', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-bridge-'));
  await writeFile(join(folder, 'provider.py'), 'def call_api(prompt, options, context):\n    return prompt\n');
  const config = JSON.stringify({ apiKey: '{{env.DESK_API_KEY}}' });
  const { stderr, status } = spawnSync(
    'python3',
    ['-c', bridgeFiles.pythonProvider.text, 'provider.py', 'call_api', config],
    { cwd: folder, env: { PATH: process.env.PATH }, encoding: 'utf8', input: '{"input":"x"}\n' },
  );
  const reason = 'DESK_API_KEY is not set here: set it, and name it in PROOFMARK_PROGRAM_ENVS';
  expect([status, stderr]).toEqual([1, `${reason}\n`]);
  const inJavaScript = httpAgent('desk', {
    ...{ address: 'https://desk.example', method: 'POST', headers: { 'X-Key': '{{env.DESK_API_KEY}}' }, body: null },
    ...{ query: {}, reader: 'text', vars: 'none.json' },
  });
  await expect(loaded(inJavaScript.text)).rejects.toThrow(reason);
  await rm(folder, { recursive: true });
});
