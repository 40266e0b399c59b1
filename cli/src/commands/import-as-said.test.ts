import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyProject } from '../try-proofmark.fixture.ts';
import { importWhole } from './import-whole.fixture.ts';

test('files of prompts, blocks of YAML, and values that are templates are said as promptfoo says them', async () => {
  const { suites } = await importWhole(
    `prompts: [file://page.md, file://two.txt]
providers: [openai:gpt-4o]
tests:
- vars:
    topic: x
    list: [1, [2, 3]]
    ask: |
      About {{ topic | upper }}?
  assert: [{ type: contains, value: a }]
`,
    { 'page.md': '# Rules\n---\nBe kind. {{ask}} {{list}}\n', 'two.txt': 'One {{ask}}\n --- \nTwo {{ask}}\n' },
  );
  const asked = suites.map(({ cases }): string => cases[0].input);
  expect(new Set(asked)).toEqual(new Set(['Be kind. About X? 1,2,3', 'One About X?', 'Two About X?']));
});

test('prompts of one name have files of their own, however the numbers fall', async () => {
  const prompts = ['a', 'a 3', 'a!', 'a-'].map((label, at) => ({ label, raw: `${at} {{x}}` }));
  const { suites } = await importWhole(`prompts: ${JSON.stringify(prompts)}
providers: [openai:gpt-4o]
tests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]
`);
  expect(new Set(suites.map(({ cases }): string => cases[0].input))).toEqual(new Set(['0 a', '1 a', '2 a', '3 a']));
});

test('texts in quotes may hold commas, a schema may be a text, and what a file expects is not filled in', async () => {
  const { suites } = await importWhole(
    `prompts: ['Say {{x}}']
providers: [openai:gpt-4o]
tests:
- vars: { x: a }
  assert:
    - { type: contains-all, value: '"a, b", "say ""hi""" , plain ,' }
    - { type: icontains-any, value: [' a', b] }
    - { type: is-json, value: 'type: object' }
    - { type: llm-rubric, value: file://rubric.txt }
    - { type: 'similar:cosine', value: near }
`,
    { 'rubric.txt': 'It says {{x}}.\n' },
  );
  expect(suites[0].cases[0].expected_behavior.checks).toEqual([
    { type: 'contains_phrases', phrases: ['a, b', 'say "hi"', 'plain'], case_sensitive: true },
    { type: 'regex', pattern: ' a|b', case_sensitive: false },
    { type: 'json_schema', schema: { type: 'object' } },
    expect.objectContaining({ type: 'llm_judge', criteria: 'It says {{x}}.' }),
    { type: 'semantic_similarity', expected_answer: 'near', threshold: 0.75 },
  ]);
});

test('a cell says what promptfoo reads in it: only its own words begin an expectation', async () => {
  const { suites } = await importWhole(
    `prompts: ['Say {{x}}']
providers: [{ id: openai:gpt-4o, config: { cost: 0.000001 } }]
tests: file://rows.csv
`,
    {
      'rows.csv': [
        'x,__expected1,__expected2',
        'a,note: it is so,similar: near',
        'b,cost(0.01),contains-json',
        'c,"contains-any:""a, b"",c",levenshtein(3): abc',
        'd,latency(500),similar(0.5): far',
        'e,g-eval(0.9): kind,llm-rubric(0.8): short',
        '',
      ].join('\n'),
    },
  );
  // Where promptfoo passes over a number, its own holds.
  expect(suites[0].evaluations.metrics).toMatchObject([{ type: 'geval', criteria: 'kind', threshold: 0.7 }]);
  const checks = suites[0].cases.map(
    (one: { expected_behavior: { checks: object[] } }) => one.expected_behavior.checks,
  );
  expect(checks).toEqual([
    [
      { type: 'equals', value: 'note: it is so' },
      { type: 'semantic_similarity', expected_answer: 'near', threshold: 0.8 },
    ],
    [{ type: 'cost', max_usd: 0.01 }, { type: 'contains_json' }],
    [
      { type: 'regex', pattern: 'a, b|c' },
      { type: 'levenshtein', value: 'abc', max_distance: 3 },
    ],
    [
      { type: 'latency', max_ms: 500 },
      { type: 'semantic_similarity', expected_answer: 'far', threshold: 0.5 },
    ],
    [expect.objectContaining({ type: 'llm_judge', criteria: 'short' })],
  ]);
});

test('a provider in Python is given what stands in the files that its settings name', async () => {
  const { read, texts } = await importWhole(
    `prompts: ['Say {{x}}']
providers: [{ id: file://./x/../desk.py, config: { style: file://x/../style.yaml, rules: [file://rules.txt], made: 'file://x/../made.py:kind', other: 'file://made.mjs:kind' } }]
tests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]
`,
    {
      'desk.py': 'import json\ndef call_api(prompt, options, context):\n    return json.dumps(options["config"])\n',
      'style.yaml': 'tone: kind\n',
      'rules.txt': 'Be kind.\n',
      'made.py': 'def kind():\n    return {"by": "Python"}\n',
      'made.mjs': 'console.log("Loading");\nexport const kind = async () => ({ by: "JavaScript" });\n',
    },
  );
  const { command } = read('agents/prompt.agent.yaml').driver;
  // What stands in a file is in no command, which all may read.
  expect(JSON.stringify(command)).not.toMatch(/tone|Be kind/);
  await using project = await copyProject();
  const { folder } = project;
  for (const [path, text] of texts) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const said = execFileSync(command[0], command.slice(1), {
    cwd: folder,
    input: '{"input":"hi"}\n',
    encoding: 'utf8',
  });
  expect(JSON.parse(JSON.parse(said).output)).toEqual({
    ...{ style: { tone: 'kind' }, rules: ['Be kind.\n'] },
    ...{ made: { by: 'Python' }, other: { by: 'JavaScript' } },
  });
});

test('programs that are named by way of a folder are named by their own path, whether or not that folder is there', async () => {
  const { texts } = await importWhole(
    `prompts: ['Say {{x}}']
providers:
  - 'exec:x/../say.sh --rules ./x/../rules.txt'
  - file://x/../desk.mjs
  - { id: 'https://desk.example', config: { body: { q: '{{prompt}}' }, transformResponse: file://x/../read.mjs } }
tests:
  - vars: { x: a }
    assert:
      - { type: javascript, value: file://x/../judge.mjs, transform: 'file://./x/../read.mjs:said' }
      - { type: python, value: 'file://x/../grade.py:grade' }
`,
    {
      ...{ 'say.sh': 'echo hi', 'rules.txt': 'Be kind.', 'desk.mjs': 'export default (p) => p;' },
      ...{ 'read.mjs': 'export const said = (p) => p;', 'judge.mjs': 'export default () => true;' },
      'grade.py': 'def grade(output, context):\n    return True\n',
    },
  );
  texts.delete('promptfooconfig.yaml');
  const written = [...texts.values()].join('\n');
  expect(written).not.toContain('x/..');
  for (const named of ['["./say.sh","--rules","./rules.txt"]', 'file: judge.mjs', 'file://read.mjs:said', 'grade.py'])
    expect(written).toContain(named);
});

test('each model is asked with what promptfoo sends it unasked, and no limit is put on one that thinks', async () => {
  const asked = [
    ['openai:gpt-4.1', { temperature: 0, max_tokens: 1024 }],
    ['openai:gpt-5.4', {}],
    ['moonshot:moonshot-v1-8k', { temperature: 0, max_tokens: 1024 }],
    ['moonshot:kimi-k3', {}],
    ['meta:muse-spark-1.1', { temperature: 0 }],
    ['groq:openai/gpt-oss-20b', { temperature: 0 }],
    ['groq:llama-3.3-70b', { temperature: 0, max_tokens: 1024 }],
    ['xai:grok-4.3', { temperature: 0 }],
    ['xai:grok-4.20-non-reasoning', { temperature: 0, max_tokens: 1024 }],
    ['litellm:some-model', {}],
    ['minimax:MiniMax-M3', {}],
    ['mistral:mistral-small', { max_tokens: 1024 }],
  ] as const;
  const { project } = await importWhole(`prompts: ['Say {{x}}']
providers: ${JSON.stringify([...asked.map(([id]) => id), { id: 'azure:chat:DeepSeek-R1', config: { apiHost: 'x.azure.com' } }])}
tests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]
`);
  const sent = (name: string) => {
    const { temperature, max_tokens } = project.ai_configurations[name];
    return JSON.parse(JSON.stringify({ temperature, max_tokens }));
  };
  for (const [id, usual] of asked) expect(sent(id.replace(/^\w+:/, '')), id).toEqual(usual);
  expect(sent('DeepSeek-R1')).toEqual({});
});

test('a group of settings of Google is those settings, and its schemas and thoughts go where the chat has them', async () => {
  const { project, suites } = await importWhole(`prompts: ['Say {{x}}']
providers:
- { id: 'google:a', config: { generationConfig: { temperature: 0.2, maxOutputTokens: 9, topK: 3, thinkingConfig: { thinkingLevel: HIGH } } } }
- { id: 'google:b', config: { temperature: 0.1, generationConfig: { thinkingConfig: { thinkingBudget: 512 } } } }
- { id: 'google:c', config: { temperature: 0, generationConfig: { response_mime_type: application/json, response_schema: { type: OBJECT } } } }
tests: [{ vars: { x: a }, assert: [{ type: g-eval, value: It is kind }] }]
`);
  const { a, b, c } = project.ai_configurations;
  expect(a).toMatchObject({ temperature: 0.2, max_tokens: 9, reasoning_effort: 'high', extra_body: { top_k: 3 } });
  expect(b).toMatchObject({
    temperature: 0.1,
    extra_body: { extra_body: { google: { thinking_config: { thinking_budget: 512 } } } },
  });
  expect(c.extra_body.response_format.json_schema).toEqual({ name: 'answer', schema: { type: 'object' } });
  expect(suites[0].evaluations.metrics).toMatchObject([{ type: 'geval', criteria: 'It is kind', threshold: 0.7 }]);
});

test('the server of llama.cpp is a service, a group of tools is its tools, and instructions may stand in a file', async () => {
  const { read, project, stderr } = await importWhole(
    `prompts: ['Say {{x}}']
providers:
  - { id: llama, label: usual }
  - { id: llama, label: local, config: { baseUrl: 'http://localhost:8081/', top_k: 3 } }
  - id: google:gemini
    config:
      systemInstruction: file://rules.txt
      tools: { function_declarations: [{ name: check, parameters: { type: OBJECT } }] }
      tool_config: { function_calling_config: { mode: ANY } }
tests: [{ vars: { x: a }, assert: [{ type: icontains, value: a }] }]
`,
    { 'rules.txt': 'Be kind.\n' },
  );
  expect(stderr.match(/^.*LLAMA_BASE_URL.*$/gm)).toEqual([
    expect.stringContaining(':3 providers.0.config: note: provider llama: asked at http://localhost:8080;'),
  ]);
  expect(read('agents/prompt-local.agent.yaml').driver).toEqual({
    ...{ type: 'http', url: 'http://localhost:8081/completion', method: 'POST' },
    mapping: { request: { prompt: { $from: 'input' }, n_predict: 512, top_k: 3 }, response: 'content' },
  });
  expect(read('agents/prompt.agent.yaml')).toMatchObject({
    instructions: 'Be kind.',
    tools: [{ name: 'check', parameters: { type: 'object' } }],
  });
  expect(project.ai_configurations.gemini.extra_body).toEqual({ tool_choice: 'required' });
});

test('a suite of many models has a name that is not too long, and none twice', async () => {
  const models = Array.from({ length: 20 }, (_, at) => `openai:gpt-4.1-with-a-long-name-${at}`);
  const { suites } = await importWhole(`prompts: [{ label: a, raw: 'A {{x}}' }, { label: b, raw: 'B {{x}}' }]
description: ${'One of many words '.repeat(14)}
providers: ${JSON.stringify([...models, { id: 'openai:gpt-4.1', config: { tools: [{ name: 't', parameters: {} }] } }])}
tests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]
`);
  expect(new Set(suites.map(({ name }) => name)).size).toBe(4);
});

test('a JSON that was asked for is shown to an assertion as what is in it, or as its text, as its provider does', async () => {
  const formats = { json_object: { type: 'json_object' }, json_schema: { type: 'json_schema', name: 'a', schema: {} } };
  const asked = [
    ['openai:gpt-4.1', 'json_schema', 'json'],
    ['openai:gpt-4.1', 'json_object', undefined],
    ['azure:chat:gpt-4.1', 'json_object', 'json'],
    ['google:gemini', 'json_schema', undefined],
  ] as const;
  for (const [id, format, shape] of asked) {
    const config = { response_format: formats[format], apiHost: 'x.azure.com' };
    const { suites } = await importWhole(`prompts: ['Say {{x}}']
providers: ${JSON.stringify([{ id, config: id.startsWith('azure') ? config : { response_format: config.response_format } }])}
tests: [{ vars: { x: a }, assert: [{ type: javascript, value: 'true' }] }]
`);
    expect(suites[0].cases[0].expected_behavior.checks[0].config.shape, `${id} ${format}`).toBe(shape);
  }
});

test('a prompt of JSON or YAML is JSON to a program, with whatever stands in the values', async () => {
  const { suites } = await importWhole(
    `prompts: [file://chat.json, file://chat.yaml]
providers: [echo]
tests: [{ vars: { x: 'say "hi"' }, assert: [{ type: is-json }] }]
`,
    { 'chat.json': '[{ "role": "user", "content": "Do {{x}}" }]', 'chat.yaml': '- role: user\n  content: Do {{x}}\n' },
  );
  const said = JSON.stringify([{ role: 'user', content: 'Do say "hi"' }], null, 2);
  expect(suites.map(({ cases }): string => cases[0].input)).toEqual([said, said]);
});

test.each([
  [{ type: 'any' }, 'required'],
  [{ type: 'none' }, 'none'],
  [
    { type: 'tool', name: 't' },
    { type: 'function', function: { name: 't' } },
  ],
  ['auto', 'auto'],
])('the choice of tools %j is %j', async (written, choice) => {
  const config = { tools: [{ name: 't', input_schema: {} }], tool_choice: written };
  const { project } = await importWhole(`prompts: ['Say {{x}}']
providers: ${JSON.stringify([{ id: 'anthropic:messages:claude', config }])}
tests: [{ vars: { x: a }, assert: [{ type: javascript, value: 'true' }] }]
`);
  expect(project.ai_configurations.claude.extra_body.tool_choice).toEqual(choice);
});

test('programs are given their settings as they are written, whatever they are called', async () => {
  const config = { generationConfig: { temperature: 0.2 }, tool_choice: { type: 'any' }, tool_config: { mode: 1 } };
  const { read, texts } = await importWhole(
    `prompts: ['Say {{x}}']
providers: ${JSON.stringify(['file://desk.py', 'file://desk.mjs', 'exec:node say.mjs', 'package:lib:Desk'].map((id) => ({ id, config })))}
tests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]
`,
    { 'desk.py': 'def call_api(p, o, c): return p', 'desk.mjs': 'export default (p) => p;', 'say.mjs': '' },
  );
  const drivers = [...texts.keys()]
    .filter((path) => path.endsWith('.agent.yaml'))
    .map((path): { command?: string[]; file?: string } => read(path).driver);
  const given = drivers.map(({ command, file = '' }) => command?.[4] ?? texts.get(file) ?? '');
  expect(given).toHaveLength(4);
  for (const text of given) expect(text).toContain(JSON.stringify(config));
});
