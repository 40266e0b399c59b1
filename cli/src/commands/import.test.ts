import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { commandIn, copyProject, proofmark } from '../try-proofmark.fixture.ts';

const config = 'promptfooconfig.yaml';

/** Models that call tools have an agent of their own. */
const names = ['gpt-4o-mini-and-llama3-1-and-claude', 'large'];
const [chat, ...written] = [
  `chat-${names[0]}`,
  ...['desk', 'chat'].flatMap((prompt) => names.map((name) => `${prompt}-${name}`)),
];

async function imported() {
  const project = await copyProject('promptfoo');
  const ended = await commandIn(project.folder, ['import', 'promptfoo', config, '--output', 'out']);
  const out = join(project.folder, 'out');
  const read = async (path: string) => parse(await readFile(join(out, path), 'utf8'));
  return { out, ended, read, folder: project.folder, [Symbol.asyncDispose]: () => project[Symbol.asyncDispose]() };
}

/** Imports a configuration that is written here. */
async function importText(text: string, ...args: string[]) {
  await using project = await copyProject();
  await writeFile(join(project.folder, config), text);
  const ended = await commandIn(project.folder, ['import', 'promptfoo', config, ...args]);
  return { ...ended, entries: await readdir(project.folder) };
}

describe('import promptfoo', () => {
  test('writes a suite and an agent per prompt, which are valid as they are', async () => {
    await using project = await imported();
    const { code, stdout } = project.ended;
    expect(stdout).toBe(
      `Wrote ${['proofmark.yaml', ...written.flatMap((name) => [`agents/${name}.agent.yaml`, `evals/${name}.suite.yaml`]), 'promptfoo/javascript-check.mjs'].map((path) => `out/${path}`).join(', ')}\n` +
        'Imported in part. Next: proofmark validate, then proofmark run.\n',
    );
    expect(code).toBe(3);
    const validated = await commandIn(project.out, ['validate']);
    expect([validated.code, validated.stdout]).toEqual([0, '4 suites, 32 cases: valid\n']);
  });

  test('a setting with a template or a file is told and not sent as it is written', async () => {
    const { stderr, code } = await importText(`prompts: ['Say {{x}}']
providers:
  - id: openai:gpt-4o
    config:
      passthrough: { tenant: '{{env.TENANT}}' }
      extra_body: { schema: file://schema.json }
      base_url: 'https://models.example/{{env.REGION}}/v1'
      effort: '{{env.EFFORT}}'
tests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]
`);
    expect(code).toBe(3);
    for (const [index, key] of ['passthrough', 'extra_body', 'base_url', 'effort'].entries())
      expect(stderr).toContain(`:${5 + index} providers.0.config.${key}: ${key} has no counterpart\n`);
  });

  test('a prompt is split into what never changes and what each test asks', async () => {
    await using project = await imported();
    expect(await project.read('agents/desk-large.agent.yaml')).toMatchObject({
      instructions: 'You work for Pages & Co.\nAnswer in one sentence.',
      ai_configuration: 'large',
      tools: [{ name: 'find_book' }],
    });
    expect((await project.read(`agents/${chat}.agent.yaml`)).instructions).toBe(
      'You sell books at Pages & Co. Be short.',
    );
    const { cases } = await project.read('evals/desk-large.suite.yaml');
    expect(cases.map(({ name }: { name: string }) => name)).toEqual([
      ...['Opening hours', 'Shipping (1)', 'Shipping (2)', 'Test 3', 'Template', 'Only a program can say'],
      ...['Refunds', 'Filters'],
    ]);
    expect(cases[2].input).toBe('Question: Do you ship to Peru?');
    expect(cases[4]).toMatchObject({ input: 'Question: What does {{user}} mean in your mails?', literal: true });
  });

  test('providers are AI configurations and a matrix, assertions are checks', async () => {
    await using project = await imported();
    // What promptfoo sends where nothing is said.
    const usual = { temperature: 0, max_tokens: 1024 };
    expect(await project.read('proofmark.yaml')).toEqual({
      ai_configurations: {
        'gpt-4o-mini': { provider: 'openai', model: 'gpt-4o-mini', ...usual },
        large: { provider: 'openai', model: 'gpt-4o', temperature: 0.2, max_tokens: 400, extra_body: { top_p: 0.9 } },
        'llama3.1': { provider: 'ollama', model: 'llama3.1' },
        'claude-sonnet-4': { provider: 'anthropic', model: 'claude-sonnet-4', ...usual },
      },
      limits: { concurrency: 4 },
      suites: ['evals/*.suite.yaml'],
    });
    const suite = await project.read(`evals/${chat}.suite.yaml`);
    expect(suite).toMatchObject({
      matrix: { AIConfiguration: ['gpt-4o-mini', 'llama3.1', 'claude-sonnet-4'] },
      judge: { ai_configuration: 'gpt-4o-mini' },
      repetitions: 2,
    });
    expect(suite.cases[0].expected_behavior.checks).toEqual([
      { type: 'not_contains', phrases: ['as an AI'], case_sensitive: true },
      { type: 'latency', max_ms: 5000 },
      { type: 'contains_phrases', phrases: ['9', '17'] },
      {
        type: 'llm_judge',
        expected_answer: 'Any answer that meets the criteria.',
        criteria: 'Names the hours of Pages & Co and nothing else.',
      },
    ]);
    expect(suite.cases[1].expected_behavior.checks[2]).toEqual({
      type: 'regex',
      pattern: 'yes|of course|we do \\(always\\)',
      case_sensitive: false,
    });
  });

  test('everything that is not translated is told with its line and a reason', async () => {
    await using project = await imported();
    const told = project.ended.stderr.split('\n\n')[0] ?? '';
    expect(told).toMatchInlineSnapshot(`
      "promptfooconfig.yaml:4 prompts.0: note: prompt desk: what stands above its first line with a value is sent as instructions
      promptfooconfig.yaml:6 prompts.2: prompt prompts/build.js: only text, JSON and YAML files are translated
      promptfooconfig.yaml:9 providers: note: gpt-4o-mini judges: promptfoo would choose a grader itself; name yours as \`judge\`
      promptfooconfig.yaml:22 providers.2: note: provider llama3.1: promptfoo leaves the temperature to ollama; here it is 0.7 unless you write another one
      promptfooconfig.yaml:56 tests.2.assert.2: similar: what it looks at is made by a transform, and only texts are compared behind one
      promptfooconfig.yaml:67 tests.4.assert.0: python: check.py: there is no such file
      promptfooconfig.yaml:67 tests.4.assert.0: python: what it looks at is no text, and only JavaScript is told of it
      promptfooconfig.yaml:69 tests.6: tests of tests/more.csv: there is no such file
      promptfooconfig.yaml:71 evaluateOptions.showProgressBar: evaluateOptions.showProgressBar has no counterpart
      promptfooconfig.yaml:72 outputPath: note: outputPath has no counterpart
      tests/more.yaml:5 0.assert.1: rouge-n: give the case a ground_truth and the suite the metric rouge
      7 things not translated, 4 notes"
    `);
  });

  test('--json says the same to programs', async () => {
    await using project = await copyProject('promptfoo');
    const { stdout } = await proofmark(project.folder, 'import', 'promptfoo', config, '--json');
    const answer = JSON.parse(stdout);
    expect(answer.written).toContain(`evals/${chat}.suite.yaml`);
    expect(answer.not_translated).toContainEqual(
      expect.objectContaining({ line: 72, path: 'outputPath', kind: 'note' }),
    );
    expect(answer.imported).toBe('part');
  });

  test('nothing is overwritten', async () => {
    await using project = await imported();
    const again = await commandIn(project.folder, ['import', 'promptfoo', config, '--output', 'out']);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('Nothing was written, because this exists already: proofmark.yaml, agents/desk');
  });

  test.each([
    ['a list', '- a\n', 'is no configuration of promptfoo'],
    ['broken YAML', 'a: [1\n', 'promptfooconfig.yaml: '],
    [
      'no provider that can be reached',
      'prompts: [hi]\nproviders: [elevenlabs:tts]\ntests: [{}]\n',
      'No provider can be translated',
    ],
    ['no prompt', 'providers: [openai:gpt-4o]\ntests: [{}]\n', 'No prompt can be translated'],
    ['no tests', 'prompts: [hi]\nproviders: openai:gpt-4o\n', 'There are no tests'],
  ])('%s is refused and nothing is written', async (_what, text, message) => {
    const { code, stderr, entries } = await importText(text);
    expect(stderr).toContain(message);
    expect([code, entries]).toEqual([2, [config]]);
  });

  test('what asserts nothing is asked, what has lost all that it asserts is a draft, and keys stay out of files', async () => {
    const { code, stderr, entries } = await importText(`prompts: ['Say {{what}}']
providers: [{ id: openai:gpt-4o, config: { apiKey: sk-secret } }]
tests: [{ vars: { what: hello }, assert: [{ type: moderation }] }, { vars: { what: bye } }]
`);
    expect(stderr).toContain(':2 providers.0.config.apiKey: note: apiKey: keys stay in the environment');
    expect(stderr).toContain(':3 tests.0: nothing that it asserts is translated: the case is a draft');
    expect(stderr).toContain(':3 tests.1: note: it asserts nothing: the case asks for any answer');
    expect(stderr).not.toContain('sk-secret');
    expect([code, entries]).toEqual([3, ['agents', 'evals', 'promptfooconfig.yaml', 'proofmark.yaml']]);
  });

  test('programs that answer and judge run as they are, and so do rows of CSV', async () => {
    await using project = await copyProject();
    const { folder } = project;
    await writeFile(
      join(folder, 'shop.py'),
      'def call_api(prompt, options, context):\n    return {"output": options["config"]["greeting"] + prompt}\n',
    );
    await writeFile(
      join(folder, 'polite.js'),
      'module.exports = (output, { vars }) => ({ pass: output.includes(vars.name), score: 1, reason: "it names them" });\n',
    );
    await writeFile(
      join(folder, 'grade.py'),
      'def get_assert(output, context):\n    return {"pass": context["vars"]["name"] in output, "score": 0.9, "reason": "r"}\n',
    );
    await writeFile(
      join(folder, 'people.csv'),
      'name,__expected,__description\nAda,contains: Ada,First\nBob,"javascript: output.length > 3",\n',
    );
    await writeFile(
      join(folder, config),
      `prompts: ['{% for one in greetings %}{{ one | upper }} {% endfor %}{{ name }}']
providers: [echo, { id: 'file://shop.py', config: { greeting: 'Shop: ' } }]
defaultTest:
  vars: { greetings: { a: hi, b: ho } }
  assert:
    - { type: javascript, value: file://polite.js }
    - { type: python, value: file://grade.py, threshold: 0.5 }
    - { type: javascript, value: 'output.startsWith("HI HO") || output.startsWith("Shop")' }
    - { type: not-starts-with, value: 'Bye' }
    - { type: assert-set, threshold: 0.5, assert: [{ type: contains, value: nowhere }, { type: icontains, value: hi, weight: 3 }] }
tests: [file://people.csv]
`,
    );
    const ended = await commandIn(folder, ['import', 'promptfoo', config]);
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    const ran = await proofmark(folder, 'run');
    expect([ran.code, ran.stderr]).toEqual([0, expect.any(String)]);
    expect(ran.stdout).toMatch(/2\/2[\s\S]*2\/2/);
  });

  test('the text of a file that a value names is part of the question, and what is not read is told with its line', async () => {
    await using project = await copyProject();
    const { folder } = project;
    await mkdir(join(folder, 'shop/docs'), { recursive: true });
    await mkdir(join(folder, 'shop/.git'));
    await writeFile(join(folder, 'shop/docs/hours.md'), 'Open from 9 to 17.\n');
    await writeFile(join(folder, 'shop/docs/price.yaml'), 'emma: 12\n');
    await writeFile(join(folder, 'shop/docs/cover.png'), new Uint8Array([0x89, 0x50, 0xff, 0]));
    await writeFile(join(folder, 'secret.txt'), 'top secret');
    await symlink(join(folder, 'secret.txt'), join(folder, 'shop/docs/link.txt'));
    const named = ['link.txt', 'gone.md', 'cover.png', '*.html', 'load.py', '../../secret.txt'];
    await writeFile(
      join(folder, 'shop', config),
      `prompts: ['Answer with {{doc}}: {{question}}']
providers: [openai:gpt-4o]
defaultTest: { vars: { doc: file://docs/hours.md } }
tests:
  - { vars: { question: When? }, assert: [{ type: contains, value: '17' }] }
  - { vars: { question: How much?, doc: file://docs/price.yaml }, assert: [{ type: contains, value: '12' }] }
${named.map((name) => `  - { vars: { question: What?, doc: 'file://docs/${name}' }, assert: [{ type: contains, value: x }] }`).join('\n')}
`,
    );
    const ended = await commandIn(join(folder, 'shop'), ['import', 'promptfoo', config]);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain('tests.2: no case of prompt prompt: the value of doc is left out');
    const told = ended.stderr.split('\n').filter((line) => line.includes('vars.doc'));
    expect(told).toEqual([
      'promptfooconfig.yaml:7 tests.2.vars.doc: the value is left out: docs/link.txt: it lies outside of the repository',
      'promptfooconfig.yaml:8 tests.3.vars.doc: the value is left out: docs/gone.md: there is no such file',
      'promptfooconfig.yaml:9 tests.4.vars.doc: the value is left out: docs/cover.png: it is no text',
      'promptfooconfig.yaml:10 tests.5.vars.doc: the value is left out: docs/*.html: no file fits',
      'promptfooconfig.yaml:11 tests.6.vars.doc: the value is left out: docs/load.py is a program',
      'promptfooconfig.yaml:12 tests.7.vars.doc: the value is left out: docs/../../secret.txt: it lies outside of the repository',
    ]);
    const suite = await readFile(join(folder, 'shop/evals/prompt.suite.yaml'), 'utf8');
    expect(parse(suite).cases.map(({ input }: { input: string }) => input)).toEqual([
      'Answer with Open from 9 to 17.: When?',
      'Answer with {"emma":12}: How much?',
    ]);
    expect(suite).not.toMatch(/file:|secret/);
  });

  test('a test that another provider would answer, and a setting that is not read, are told', async () => {
    await using project = await copyProject();
    await writeFile(join(project.folder, 'desk.py'), 'def call_api(prompt, options, context):\n    return prompt\n');
    await writeFile(
      join(project.folder, config),
      `prompts: ['Say {{x}}']
providers:
  - { id: file://desk.py, config: { style: 'file://style.xml' } }
  - { id: file://desk.py, config: { tenant: "{{ env['TENANT'] }}" } }
  - openai:gpt-4o
tests: [{ provider: openai:gpt-4.1, vars: { x: a }, assert: [{ type: contains, value: a }] }, { path: 'file://made.py:all' }]
`,
    );
    const { code, stderr } = await commandIn(project.folder, ['import', 'promptfoo', config]);
    expect(code).toBe(3);
    expect(stderr).toContain('provider file://desk.py: style.xml: there is no such file');
    expect(stderr).toContain(
      ':4 providers.1.config: provider file://desk.py: its settings take a value of the environment in another way than {{env.NAME}}',
    );
    expect(stderr).toContain(':6 tests.0.provider: provider has no counterpart');
    expect(stderr).toContain(':6 tests.1: its tests are made by a program');
  });

  test('texts between commas are parted behind a transform as they are before one, and none of them is empty', async () => {
    await using project = await copyProject();
    const asserted = [
      "{ type: contains-any, value: 'Paris, Rome,', transform: output.trim() }",
      `{ type: icontains-all, value: '"a, b", c', transform: output.trim() }`,
      "{ type: contains-all, value: ',', transform: output.trim() }",
      "{ type: contains, value: '', transform: output.trim() }",
    ];
    await writeFile(
      join(project.folder, config),
      `prompts: ['Say {{x}}']\nproviders: [openai:gpt-4o]\ntests:\n  - vars: { x: a }\n    assert:\n${asserted.map((one) => `      - ${one}\n`).join('')}`,
    );
    const { code, stderr } = await commandIn(project.folder, ['import', 'promptfoo', config]);
    const { cases } = parse(await readFile(join(project.folder, 'evals/prompt.suite.yaml'), 'utf8'));
    const { checks } = cases[0].expected_behavior;
    expect(checks.map((check: { config: { assertion: object } }) => check.config.assertion)).toEqual([
      { type: 'contains-any', value: ['Paris', 'Rome'] },
      { type: 'icontains-all', value: ['a, b', 'c'] },
    ]);
    expect(code).toBe(3);
    expect(stderr).toContain(':8 tests.0.assert.2: contains-all: its value is no list of texts');
    expect(stderr).toContain(':9 tests.0.assert.3: contains: its value is no text');
  });

  test('a configuration of which no test makes a case ends with code 2 and the reason, and nothing is written', async () => {
    const { code, stdout, stderr, entries } = await importText(`prompts: ['{% macro say() %}{{turn}}{% endmacro %}']
providers: [openai:gpt-4o]
tests: [{ vars: { history: [hi] }, assert: [{ type: contains, value: hi }] }]
`);
    expect(stderr).toContain(':3 tests.0: no case of prompt prompt: it uses the template command {% macro');
    expect(stderr).toContain('No test makes a case of any prompt, so that there is no suite to write.');
    expect([code, stdout, entries]).toEqual([2, '', [config]]);
  });
});

test.each([
  [
    'a prompt that is a program',
    '["exec:./prompt.sh"]',
    'prompt exec:./prompt.sh: only text, JSON and YAML files are translated',
  ],
  ...['langfuse://desk:1:chat', 'portkey://pp-1', 'helicone://greet:1.0'].map((name) => [
    'a prompt that stands elsewhere',
    `['${name}']`,
    `prompt ${name}: its text does not stand in these files`,
  ]),
  ['an object in a text', `['Say {{q}} {{who}}']`, 'it says an object as a text: write `| dump` behind its name'],
  [
    'messages with sound',
    `['[{"role":"user","content":[{"type":"input_audio"}]}]']`,
    'its messages hold more than texts and pictures',
  ],
  [
    'what was said before in a text',
    '["{% for turn in _conversation %}{{turn.input}}{% endfor %}{{q}}"]',
    'it puts what was said before together in a way of its own',
  ],
])('%s is no text to ask, and is told', async (_what, prompts, reason) => {
  const { code, stderr } = await importText(`prompts: ${prompts}
providers: [openai:gpt-4o]
tests: [{ vars: { q: hi, who: { name: Ada } }, assert: [{ type: contains, value: hi }] }]
`);
  expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
});
