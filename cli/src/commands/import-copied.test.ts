import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandIn, copyProject, startProofmark } from '../try-proofmark.fixture.ts';

const config = 'promptfooconfig.yaml';

test.each([
  ['a provider in Python', 'file://../desk.py', '{}'],
  ['a provider in JavaScript', 'file://./x/../../desk.mjs', '{}'],
  ['a file of a command', 'exec:node ../desk.mjs', '{}'],
  ['a setting', 'file://own.py', '{ style: file://../style.txt }'],
  ['a program of a setting', 'file://own.py', '{ style: file://../desk.py }'],
  [
    'a reader of a service',
    'https://desk.example',
    "{ body: { q: '{{prompt}}' }, transformResponse: file://../desk.mjs }",
  ],
])('%s outside of the folder is told on its line, and nothing is written there', async (_what, id, settings) => {
  await using project = await copyProject();
  const folder = join(project.folder, 'shop');
  await mkdir(join(project.folder, '.git'));
  await mkdir(join(folder, 'x'), { recursive: true });
  const programs = { 'desk.py': 'def call_api(p, o, c): return p', 'desk.mjs': 'export default (p) => p;' };
  for (const [name, text] of Object.entries({ ...programs, 'style.txt': 'kind', 'shop/own.py': programs['desk.py'] }))
    await writeFile(join(project.folder, name), text);
  await writeFile(
    join(folder, config),
    `prompts: ['Say {{x}}']
providers:
  - { id: '${id}', config: ${settings} }
tests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]
`,
  );
  const { code, stderr } = await commandIn(folder, ['import', 'promptfoo', config, '--output', 'a/b']);
  expect(stderr).toMatch(/:3 providers\.0.*: provider .*: its name leads out of the folder of the configuration/);
  expect(stderr).toContain('No provider can be translated');
  expect([code, (await readdir(folder)).toSorted()]).toEqual([2, ['own.py', config, 'x']]);
});

test('an assertion and a transform outside of the folder are told, and are no check', async () => {
  await using project = await copyProject();
  const folder = join(project.folder, 'shop');
  await mkdir(join(project.folder, '.git'));
  await mkdir(folder);
  await writeFile(join(project.folder, 'judge.mjs'), 'export default () => true;');
  await writeFile(
    join(folder, config),
    `prompts: ['Say {{x}}']
providers: [openai:gpt-4o]
tests:
  - vars: { x: a }
    assert:
      - { type: javascript, value: file://../judge.mjs }
      - { type: contains, value: a, transform: file://../judge.mjs }
`,
  );
  const { code, stderr } = await commandIn(folder, ['import', 'promptfoo', config, '--output', 'a/b']);
  expect(stderr).toContain(':6 tests.0.assert.0: javascript: ../judge.mjs: its name leads out of the folder');
  expect(stderr).toContain(
    ':7 tests.0.assert.1: contains: its transform ../judge.mjs: its name leads out of the folder',
  );
  expect([code, await readdir(join(folder, 'a'))]).toEqual([3, ['b']]);
});

test.each([
  ['{ apiKey: file://conf/openai.txt }', 'apiKey'],
  ['{ auth: [{ file: file://conf/access-token.json }] }', 'auth.0.file'],
])('a secret in a file of a setting is not copied, and is told: %s', async (settings, path) => {
  await using project = await copyProject();
  const { folder } = project;
  await mkdir(join(folder, 'conf'));
  await writeFile(join(folder, 'desk.py'), 'def call_api(p, o, c): return p');
  for (const name of ['openai.txt', 'access-token.json']) await writeFile(join(folder, 'conf', name), '"sk-123"');
  await writeFile(
    join(folder, config),
    `prompts: ['Say {{x}}']\nproviders: [{ id: file://desk.py, config: ${settings} }, echo]\ntests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]\n`,
  );
  const { code, stderr } = await commandIn(folder, ['import', 'promptfoo', config, '--output', 'out']);
  expect(stderr).toContain(`:2 providers.0.config.${path}: provider file://desk.py: conf/`);
  expect(stderr).toContain(
    'let the provider read it from its environment, and name the variable in PROOFMARK_PROGRAM_ENVS',
  );
  const texts = await Promise.all(
    (await readdir(join(folder, 'out'), { recursive: true, withFileTypes: true }))
      .filter((one) => one.isFile())
      .map((one) => readFile(join(one.parentPath, one.name), 'utf8')),
  );
  expect([code, texts.join('').includes('sk-123')]).toEqual([3, false]);
});

test('a file of a setting is a secret by a whole name, or by what stands in it, and not by a word that it speaks of', async () => {
  await using project = await copyProject();
  const { folder } = project;
  const copied = {
    ...{ style: 'key-facts.md', 'token-limits': 'limits.yaml', answer_key: 'answer-key.txt', keyword: 'auth/flow.md' },
    ...{
      reset: 'password-reset.md',
      passwordPolicy: 'rules.txt',
      max_tokens: 'max-tokens.yaml',
      made: 'token_count.py',
    },
  };
  const refused: [key: string, file: string][] = [
    ...['tokens.json', 'passwords.yaml', 'credential.json', 'service-account.json', 'credentials-prod.json'],
    ...['secrets/openai.txt', 'api_keys_2.yaml', 'passwd.txt', 'auth.json', 'shop-key.txt', 'shop_token.json'],
  ].map((file) => ['style', file]);
  refused.push(['tokens', 'plain.txt'], ['accessKey', 'plain.txt'], ['shop_key', 'random.txt']);
  const settings = [copied, ...refused.map(([key, file]) => ({ [key]: file }))].map((one) =>
    Object.fromEntries(Object.entries(one).map(([key, file]) => [key, `file://conf/${file}`])),
  );
  await writeFile(join(folder, 'desk.py'), 'def call_api(p, o, c): return p');
  for (const file of [...Object.values(copied), ...refused.map(([, name]) => name)]) {
    await mkdir(join(folder, 'conf', file, '..'), { recursive: true });
    await writeFile(join(folder, 'conf', file), /^(?:shop|random)/.test(file) ? 'a1b2c3d4e5' : 'hush');
  }
  await writeFile(
    join(folder, config),
    `prompts: ['Say {{x}}']
providers:
${settings.map((one) => `  - ${JSON.stringify({ id: 'file://desk.py', config: one })}\n`).join('')}tests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]
`,
  );
  const { stderr } = await commandIn(folder, ['import', 'promptfoo', config, '--output', 'out']);
  expect(
    stderr
      .split('\n')
      .flatMap((line) => /^\S+ \S+: provider \S+: (conf\/[^:]+)\S*: a secret is not copied;/.exec(line)?.[1] ?? []),
  ).toEqual(refused.map(([, file]) => `conf/${file}`));
  const written = await readdir(join(folder, 'out'), { recursive: true });
  for (const file of Object.values(copied))
    expect(written).toContain(file.endsWith('.yaml') ? `promptfoo/conf/${file}.json` : `conf/${file}`);
  for (const [, file] of refused) expect(written.filter((path) => path.includes(`conf/${file}`))).toEqual([]);
});

test('secrets in settings are in nothing that is written; programs read them from the environment when they run', async () => {
  await using project = await copyProject();
  const { folder } = project;
  const texts: Record<string, string> = {
    'desk.py': 'def call_api(p, o, c): return p + " " + o["config"]["apiKey"] + o["config"]["style"]',
    'desk.mjs': 'export default async (p, c, { config }) => ({ output: p + " " + config.auth.token });',
    'tell.mjs':
      'const [, , flag, token, , , prompt, settings] = process.argv; console.log(prompt, flag, token, settings);',
    [config]: `prompts: ['Say {{x}}']
providers:
  - { id: file://desk.py, config: { apiKey: pass-1, style: '{{env.STYLE}}' } }
  - { id: file://desk.mjs, config: { auth: { token: pass-2 } } }
  - { id: 'exec:node tell.mjs --token pass-3 -u emma:pass-9', config: { pass: pass-4 } }
  - id: https://desk.example/ask?mode=short
    config:
      headers: { Authorization: Bearer pass-5, X-Mode: brief }
      signatureAuth: { keyPassword: pass-0 }
      body: { q: '{{prompt}}' }
      transformResponse: json.text
  - { id: openai:gpt-4o, config: { apiKey: pass-6, passthrough: { session_token: pass-7 } } }
tests:
  - vars: { x: a }
    assert:
      - { type: regex, value: '^Say a (?:k1!|k2|--token k3 .*"pass":"k4")' }
      - { type: javascript, value: 'true', config: { apiKey: pass-8 } }
      - { type: webhook, value: 'https://judge.example/?token=pass9word' }
`,
  };
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
  const imported = await commandIn(folder, ['import', 'promptfoo', config, '--output', 'out']);
  const written = (await readdir(join(folder, 'out'), { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  );
  const all = await Promise.all(written.map((one) => readFile(join(one.parentPath, one.name), 'utf8')));
  const names = written.map(({ name }) => name);
  expect([imported.code, [...names, ...all, imported.stdout, imported.stderr].join('\n')]).toEqual([
    3,
    expect.not.stringMatching(/pass-?\d/),
  ]);
  expect(imported.stderr).toMatchInlineSnapshot(`
    "promptfooconfig.yaml:3 providers.0.config.apiKey: apiKey: a secret is not copied: set DESK_API_KEY, which is asked for in its place, and name it in PROOFMARK_PROGRAM_ENVS
    promptfooconfig.yaml:3 providers.0: note: provider file://desk.py: its program reads STYLE: name what it may read in PROOFMARK_PROGRAM_ENVS
    promptfooconfig.yaml:4 providers.1.config.auth.token: token: a secret is not copied: set DESK_TOKEN, which is asked for in its place, and name it in PROOFMARK_PROGRAM_ENVS
    promptfooconfig.yaml:5 providers.2.id: id: a secret is not copied: set TELL_PASSWORD, which is asked for in its place, and name it in PROOFMARK_PROGRAM_ENVS
    promptfooconfig.yaml:5 providers.2.id: id: a secret is not copied: set TELL_TOKEN, which is asked for in its place, and name it in PROOFMARK_PROGRAM_ENVS
    promptfooconfig.yaml:5 providers.2.config.pass: pass: a secret is not copied: set TELL_PASS, which is asked for in its place, and name it in PROOFMARK_PROGRAM_ENVS
    promptfooconfig.yaml:8 providers.3.config.headers.Authorization: Authorization: a secret is not copied: set DESK_EXAMPLE_AUTHORIZATION, which is asked for in its place, and name it in PROOFMARK_KEY_ENVS
    promptfooconfig.yaml:9 providers.3.config.signatureAuth: signatureAuth has no counterpart
    promptfooconfig.yaml:9 providers.3.config.signatureAuth.keyPassword: keyPassword: a secret is not copied
    promptfooconfig.yaml:12 providers.4.config.apiKey: note: apiKey: keys stay in the environment; name it with api_key_env
    promptfooconfig.yaml:12 providers.4.config.passthrough: passthrough has no counterpart
    promptfooconfig.yaml:12 providers.4.config.passthrough.session_token: session_token: a secret is not copied
    promptfooconfig.yaml:16 tests.0.assert.0: note: regex: it holds what looks like a secret, and is copied as it stands
    promptfooconfig.yaml:17 tests.0.assert.1: javascript: config.apiKey: a secret is not copied; let the program read it from its environment
    promptfooconfig.yaml:18 tests.0.assert.2: webhook: its address holds a secret, and an address is kept in logs on its way
    12 things not translated, 3 notes

    "
  `);
  expect(all.join('\n')).toContain(
    'Authorization:\n      from_env: DESK_EXAMPLE_AUTHORIZATION\n      prefix: "Bearer "',
  );

  const allowed = 'STYLE,DESK_TOKEN,TELL_TOKEN,TELL_PASSWORD';
  const given = {
    STYLE: '!',
    DESK_API_KEY: 'k1',
    DESK_TOKEN: 'k2',
    TELL_TOKEN: 'k3',
    TELL_PASSWORD: 'k5',
    TELL_PASS: 'k4',
    PATH: String(process.env.PATH),
  };
  const suites = written.flatMap(({ name }) =>
    /desk-(?:py|mjs)|tell/.test(name) && name.endsWith('.suite.yaml') ? `evals/${name}` : [],
  );
  const run = (envs: string) =>
    startProofmark(join(folder, 'out'), ['run', ...suites], { ...given, PROOFMARK_PROGRAM_ENVS: envs }).ended;
  const { stdout } = await run(allowed);
  for (const name of ['DESK_API_KEY', 'TELL_PASS']) expect(stdout).toContain(`${name} is not set here`);
  expect((await run(`${allowed},DESK_API_KEY,TELL_PASS`)).stdout.match(/ 1\/1 /g)).toHaveLength(3);
});

test('a secret gets no name of a variable that the configuration reads itself', async () => {
  await using project = await copyProject();
  const { folder } = project;
  await writeFile(join(folder, 'desk.mjs'), 'export default async (p) => p;');
  await writeFile(join(folder, 'more.yaml'), "- { id: file://desk.mjs, config: { token: '{{ env.DESK_TOKEN }}' } }\n");
  await writeFile(
    join(folder, config),
    `prompts: ['Say {{x}}']
providers:
  - { id: file://desk.mjs, config: { apiKey: literal-1, token: literal-2 } }
  - { id: file://desk.mjs, config: { apiKey: '{{env.DESK_API_KEY}}' } }
  - file://more.yaml
tests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]
`,
  );
  const { stderr } = await commandIn(folder, ['import', 'promptfoo', config]);
  expect(stderr.match(/set \w+/g)).toEqual(['set DESK_API_KEY_2', 'set DESK_TOKEN_2']);
});

test('of a service that cannot judge, no secret is asked for', async () => {
  await using project = await copyProject();
  const { folder } = project;
  await writeFile(
    join(folder, config),
    `prompts: ['Say {{x}}']
providers: [openai:gpt-4o]
defaultTest:
  options:
    provider:
      id: https://judge.example
      config: { headers: { Authorization: Bearer pass-1 }, body: { q: '{{prompt}}' }, transformResponse: json.text }
tests: [{ vars: { x: a }, assert: [{ type: llm-rubric, value: It is kind }] }]
`,
  );
  const { stderr } = await commandIn(folder, ['import', 'promptfoo', config]);
  expect(stderr).toContain('provider https://judge.example: only a model judges');
  expect(stderr).not.toMatch(/JUDGE_EXAMPLE|pass-1/);
});

test('what looks like a secret in what is copied as it stands is told at its line', async () => {
  await using project = await copyProject();
  const { folder } = project;
  const key = `sk-${'aB3x'.repeat(6)}`;
  const texts = {
    'desk.mjs': "const apiKey = 'hush';\nexport default async (p) => p;",
    'plain.mjs': 'const apiKey = process.env.KEY;\nexport default async ({ token: own }) => own;',
    'judge.mjs': `export default () => '${key}';`,
    'ask.txt': `Say {{x}} with ${key}`,
    'notes.txt': `Use ${key}`,
    [config]: `prompts:
  - 'Say {{x}} with "password": "hush"'
  - file://ask.txt
providers:
  - file://desk.mjs
  - file://plain.mjs
tests:
  - vars:
      x: a
      token: hush
      notes: file://notes.txt
    assert:
      - { type: contains, value: a token of love }
      - { type: javascript, value: output !== '${key}' }
      - { type: javascript, value: file://judge.mjs }
      - { type: llm-rubric, value: It is kind, provider: { id: openai:gpt-4o, config: { apiKey: hush } } }
`,
  };
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
  const { stderr } = await commandIn(folder, ['import', 'promptfoo', config, '--output', 'out']);
  const told = stderr.split('\n').filter((line) => line.includes('looks like a secret'));
  expect(told.map((line) => line.replace(/: it holds.*/, ''))).toEqual([
    `${config}:2 prompts.0: note: prompt prompt`,
    `${config}:3 prompts.1: note: prompt ask`,
    `${config}:5 providers.0: note: desk.mjs`,
    `${config}:10 tests.0.vars.token: note: token`,
    `${config}:11 tests.0.vars.notes: note: notes`,
    `${config}:14 tests.0.assert.1: note: javascript`,
    `${config}:15 tests.0.assert.2: note: judge.mjs`,
  ]);
});
