import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { commandIn, copyProject } from '../try-proofmark.fixture.ts';

const config = 'promptfooconfig.yaml';

/** Imports a configuration of which everything is translated, and reads what was written. */
async function importWhole(text: string, files: Record<string, string> = {}) {
  await using project = await copyProject();
  const { folder } = project;
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  await writeFile(join(folder, config), text);
  const ended = await commandIn(folder, ['import', 'promptfoo', config]);
  expect([ended.code, ended.stderr.replaceAll(/^.*: note: .*\n/gm, '')]).toEqual([
    0,
    expect.not.stringMatching(/^\S+:\d+ /m),
  ]);
  expect((await commandIn(folder, ['validate'])).code).toBe(0);
  const paths = (await readdir(folder, { recursive: true })).filter((path) => /\.(?:yaml|mjs|json|py)$/.test(path));
  const texts = new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(folder, path), 'utf8')] as const)),
  );
  const read = (path: string) => parse(texts.get(path) ?? 'null');
  const suites = paths
    .filter((path) => path.endsWith('.suite.yaml'))
    .toSorted()
    .map(read);
  return { read, texts, suites, project: read('proofmark.yaml'), stderr: ended.stderr };
}

describe('whole imports', () => {
  test('settings that only a vendor knows are sent as they are, in the words of chat completions', async () => {
    const { project, read } = await importWhole(`prompts: ['Say {{x}}']
providers:
  - id: openai:responses:gpt-5
    config: { verbosity: low, reasoning: { effort: low }, instructions: Be kind., response_format: { type: json_schema, name: event, schema: { type: object } } }
  - { id: 'moonshot:kimi', config: { passthrough: { thinking: { type: disabled } }, maxTokens: 9 } }
  - { id: 'anthropic:messages:claude', config: { effort: high, thinking: { type: adaptive }, topP: 0.5 } }
  - { id: 'bedrock:amazon.nova', config: { region: eu-west-1 } }
  - huggingface:chat:org/model
tests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]
`);
    expect(project.ai_configurations).toEqual({
      'gpt-5': {
        ...{ provider: 'openai', model: 'gpt-5', reasoning_effort: 'low' },
        extra_body: {
          verbosity: 'low',
          response_format: { type: 'json_schema', json_schema: { name: 'event', schema: { type: 'object' } } },
        },
      },
      kimi: expect.objectContaining({ max_tokens: 9, extra_body: { thinking: { type: 'disabled' } } }),
      claude: {
        ...{ provider: 'anthropic', model: 'claude' },
        extra_body: { output_config: { effort: 'high' }, thinking: { type: 'adaptive' }, top_p: 0.5 },
      },
      'amazon.nova': {
        ...{ provider: 'openai_compatible', model: 'amazon.nova', api_key_env: 'AWS_BEARER_TOKEN_BEDROCK' },
        ...{ base_url: 'https://bedrock-mantle.eu-west-1.api.aws/v1', temperature: 0, max_tokens: 1024 },
      },
      'org/model': expect.objectContaining({ base_url: 'https://router.huggingface.co/v1', api_key_env: 'HF_TOKEN' }),
    });
    expect(read('agents/prompt-gpt-5.agent.yaml').instructions).toBe('Be kind.\n\nAnswer the message.'.split('\n')[0]);
  });

  test('a test for one model is asked of that model alone, and of those that its name stands for', async () => {
    const { suites } = await importWhole(`prompts: ['Say {{x}}']
providers: [{ id: 'openai:gpt-4o', label: fast }, { id: 'openai:gpt-4.1', label: smart }, 'mistral:small', 'mistral:large']
tests:
  - { vars: { x: a }, providers: [fast], assert: [{ type: contains, value: a }] }
  - { vars: { x: b }, providers: [mistral], assert: [{ type: contains, value: b }] }
  - { vars: { x: c }, assert: [{ type: contains, value: c }] }
`);
    const asked = suites.map(({ matrix, cases }) => [
      matrix?.AIConfiguration,
      cases.map(({ input }: { input: string }) => input),
    ]);
    const names = ([models]: unknown[]): string => JSON.stringify(models ?? '');
    expect(asked.toSorted((a, b) => names(a).localeCompare(names(b)) || a[1].length - b[1].length)).toEqual([
      [undefined, ['Say c']],
      [undefined, ['Say a', 'Say c']],
      [
        ['small', 'large'],
        ['Say b', 'Say c'],
      ],
    ]);
  });

  test('a list of texts makes a case of each, and a list of anything else is one value', async () => {
    const { suites } = await importWhole(
      `prompts: [file://chat.json]
providers: [openai:gpt-4o]
defaultTest: { vars: { talk: [{ user: Hi }, { assistant: Yes? }] } }
tests:
  - { vars: { x: [a, b] }, assert: [{ type: contains, value: a }] }
  - { vars: { x: [c, d] }, options: { disableVarExpansion: true }, assert: [{ type: contains, value: c }] }
`,
      {
        'chat.json':
          '[{% for turn in talk %}{% for role, said in turn %}{"role": "{{role}}", "content": "{{said}}"},{% endfor %}{% endfor %}{"role": "user", "content": "{{x | join(\'+\')}}"}]',
      },
    );
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Yes?' },
    ];
    expect(suites[0].cases).toMatchObject([
      { input: 'a', messages },
      { input: 'b', messages },
      { input: 'c+d', messages },
    ]);
  });

  test('a command is given what promptfoo gives it, and its files come along', async () => {
    const { texts, read } = await importWhole(
      `prompts: ['Say {{x}}']
providers: [{ id: 'exec:node ./say.mjs --loud', config: { tone: dry } }]
tests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]
`,
      { 'say.mjs': 'console.log(JSON.stringify(process.argv.slice(2)))' },
    );
    expect(texts.get('say.mjs')).toBe('console.log(JSON.stringify(process.argv.slice(2)))');
    const { file } = read('agents/prompt.agent.yaml').driver;
    expect(file).toBe('promptfoo/node-say-mjs-loud.mjs');
    expect(JSON.parse(texts.get('promptfoo/vars-node-say-mjs-loud.json') ?? '')).toEqual({ 'Say a': { x: 'a' } });
    const program = `${texts.get(file)}`.replace('export default', 'const ask =');
    const folder = await mkdtemp(join(tmpdir(), 'proofmark-exec-'));
    await mkdir(join(folder, 'promptfoo'));
    for (const [path, text] of texts)
      if (/^say|vars-/.test(path.replace('promptfoo/', ''))) await writeFile(join(folder, path), text);
    const asked = `${program}\nconsole.log(await ask({ input: 'Say a' }));`;
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', asked], { cwd: folder });
    expect(JSON.parse(String(said))).toEqual([
      ...['--loud', 'Say a', '{"config":{"tone":"dry"}}'],
      '{"vars":{"x":"a"},"prompt":{"raw":"Say a","label":"prompt"}}',
    ]);
    await rm(folder, { recursive: true });
  });

  test('what has no weight fails nothing, and a reference is what it names', async () => {
    const { suites } = await importWhole(`prompts: ['Say {{x}}']
providers: [openai:gpt-4o]
assertionTemplates: { pirate: { type: icontains, value: arrr } }
tests:
  - vars: { x: a }
    assert: [{ type: contains, value: a }, { type: javascript, value: 'false', weight: 0, metric: m }, { $ref: '#/assertionTemplates/pirate' }]
`);
    expect(suites[0].cases[0].expected_behavior.checks).toEqual([
      { type: 'contains_phrases', phrases: ['a'], case_sensitive: true },
      { type: 'contains_phrases', phrases: ['arrr'] },
    ]);
  });

  test('assertions behind a transform, and those of models that call tools, are programs that see what promptfoo shows', async () => {
    const { suites, texts } = await importWhole(
      `prompts: ['Weather in {{city}}?']
providers:
  - { id: 'openai:gpt-4o', config: { tools: [{ type: function, function: { name: weather, parameters: { type: object } } }] } }
  - openai:gpt-4o-mini
tests:
  - vars: { city: Rome }
    options: { transform: file://first.js }
    assert:
      - { type: equals, value: weather, transform: output.name }
      - { type: javascript, value: output.name === 'weather' }
      - { type: latency, threshold: 100 }
`,
      { 'first.js': 'export default (output) => output[0].function;' },
    );
    expect(texts.has('promptfoo/javascript-check.mjs')).toBe(true);
    const checksOf = (suite: { cases: { expected_behavior: { checks: object[] } }[] }) =>
      suite.cases[0]?.expected_behavior.checks;
    const [withTools, without] = [
      suites.find(({ name }) => name.endsWith('gpt-4o')),
      suites.find(({ name }) => name.endsWith('mini')),
    ];
    expect(checksOf(withTools)).toEqual([
      {
        ...{ type: 'code', file: 'promptfoo/javascript-check.mjs' },
        config: {
          ...{ shape: 'openai-tools', transforms: ['file://first.js', 'output.name'], vars: { city: 'Rome' } },
          assertion: { type: 'equals', value: 'weather' },
        },
      },
      expect.objectContaining({
        config: expect.objectContaining({ code: "output.name === 'weather'", shape: 'openai-tools' }),
      }),
      { type: 'latency', max_ms: 100 },
    ]);
    expect(checksOf(without)?.[0]).not.toHaveProperty('config.shape');
  });

  test('prompts of one provider, settings of the only prompt, scenarios, rows with metadata and many files are taken over', async () => {
    const { suites, project } = await importWhole(
      `prompts: [{ id: file://a.txt, label: one }, { id: file://b.txt, label: two }]
providers: [file://provider.yaml, { id: 'openai:gpt-4o', prompts: [two] }]
defaultTest: { vars: { z: '{"tone": "dry"}' } }
scenarios:
  - config: [{ vars: { x: 1 } }, { vars: { x: 2 } }]
    tests: [{ vars: { y: a }, assert: [{ type: contains, value: '{{x}}{{y}}' }] }]
tests: [file://rows.csv, { vars: { x: file://texts/*.md, y: b } }]
`,
      {
        'a.txt': 'A {{x}} {{y}}',
        'b.txt': 'B {{x}} {{y}} {{ (z | load).tone }}',
        'provider.yaml': 'id: openai:gpt-4o-mini\nconfig: { temperature: 0 }\n',
        'rows.csv':
          'x,y,z,__expected,__metadata:kind,__metadata:tags[],__config:__expected:threshold\n3,c,"{""tone"": ""dry""}",similar: 3c,k,"a,b\\,c",0.9\n',
        'texts/1.md': 'first',
        'texts/2.md': 'second',
      },
    );
    expect(project.ai_configurations['gpt-4o-mini']).toEqual({
      provider: 'openai',
      model: 'gpt-4o-mini',
      temperature: 0,
      max_tokens: 1024,
    });
    expect(suites.map(({ name, cases }) => [name, cases.length])).toEqual([
      ['Imported: one, gpt-4o-mini', 5],
      ['Imported: two, gpt-4o-mini', 5],
      ['Imported: two, gpt-4o', 5],
    ]);
    const { cases } = suites[1];
    expect(cases.map(({ input }: { input: string }) => input)).toEqual(
      ['3 c', 'first b', 'second b', '1 a', '2 a'].map((said) => `B ${said} dry`),
    );
    expect(cases.find(({ input }: { input: string }) => input === 'B 3 c dry')).toMatchObject({
      metadata: { kind: 'k', tags: ['a', 'b,c'] },
      expected_behavior: { checks: [{ type: 'semantic_similarity', expected_answer: '3c', threshold: 0.9 }] },
    });
  });

  test('tests of one conversation are turns of one case, each with its own checks', async () => {
    const { suites, read } = await importWhole(
      `prompts: [{ id: file://talk.json, label: talk }]
providers: [openai:gpt-4o]
defaultTest: { vars: { system: Be kind. } }
tests:
  - { vars: { q: Who? }, metadata: { conversationId: a }, assert: [{ type: contains, value: x }] }
  - { vars: { q: Alone }, metadata: { conversationId: b } }
  - { vars: { q: Where? }, metadata: { conversationId: a } }
`,
      {
        'talk.json': `[{ "role": "system", "content": "{{ system }}" },
{% for completion in _conversation %}
  { "role": "user", "content": "{{ completion.prompt[completion.prompt.length - 1].content }}" },
  { "role": "assistant", "content": "{{ completion.output }}" },
{% endfor %}
{ "role": "user", "content": "{{ q }}" }]`,
      },
    );
    expect(read('agents/talk.agent.yaml').instructions).toBe('Be kind.');
    expect(suites[0].cases).toMatchObject([
      { turns: [{ user: 'Who?', expected_behavior: { checks: [{ phrases: ['x'] }] } }, { user: 'Where?' }] },
      { input: 'Alone' },
    ]);
    expect(suites[0].cases[0]).not.toHaveProperty('input');
  });

  test('a least score of a judge is a metric for the cases that name it; values may name each other; pictures are files', async () => {
    const { suites } = await importWhole(
      `prompts: [file://ask.json]
providers: [openai:gpt-4o]
tests:
  - vars: { sentence: 'about {{topic}}', topic: bananas, picture: iVBORw0KGgo= }
    assert: [{ type: llm-rubric, value: 'Is it {{sentence}}?', threshold: 0.7 }, { type: contains, value: a }]
  - { vars: { sentence: none, picture: iVBORw0KGgo= }, assert: [{ type: answer-relevance, threshold: 0.5 }] }
`,
      {
        'ask.json': JSON.stringify([
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Write {{sentence}}' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '{{picture}}' } },
              { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
            ],
          },
        ]),
      },
    );
    const [{ evaluations, cases }] = suites;
    expect(evaluations.metrics).toEqual([
      {
        ...{ type: 'geval', name: 'rubric 1', criteria: 'Is it about bananas?' },
        ...{ evaluation_params: ['input', 'actual_output'], threshold: 0.7 },
      },
      { type: 'rag', name: 'relevancy 2', metric_type: 'answer_relevancy', threshold: 0.5 },
    ]);
    expect(cases).toMatchObject([
      { input: 'Write about bananas', evaluations: ['rubric 1'], expected_behavior: { checks: [{ phrases: ['a'] }] } },
      { input: 'Write none', evaluations: ['relevancy 2'] },
    ]);
    expect(cases[0].files).toEqual([
      { path: expect.stringMatching(/^images\/[0-9a-f]{16}\.png$/), type: 'image' },
      { url: 'https://example.org/a.png', type: 'image' },
    ]);
  });

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
          '',
        ].join('\n'),
      },
    );
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
    ]);
  });

  test('a provider in Python is given what stands in the files that its settings name', async () => {
    const { read, texts } = await importWhole(
      `prompts: ['Say {{x}}']
providers: [{ id: file://desk.py, config: { style: file://style.yaml, rules: [file://rules.txt], made: 'file://made.py:kind', other: 'file://made.mjs:kind' } }]
tests: [{ vars: { x: a }, assert: [{ type: contains, value: a }] }]
`,
      {
        'desk.py': 'import json\ndef call_api(prompt, options, context):\n    return json.dumps(options["config"])\n',
        'style.yaml': 'tone: kind\n',
        'rules.txt': 'Be kind.\n',
        'made.py': 'def kind():\n    return {"by": "Python"}\n',
        'made.mjs': 'export const kind = async () => ({ by: "JavaScript" });\n',
      },
    );
    const { command } = read('agents/prompt.agent.yaml').driver;
    expect(JSON.parse(command[4])).toMatchObject({ style: { tone: 'kind' }, rules: ['Be kind.\n'] });
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
    expect(JSON.parse(JSON.parse(said).output)).toMatchObject({ made: { by: 'Python' }, other: { by: 'JavaScript' } });
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
      extra_body: { google: { thinking_config: { thinking_budget: 512 } } },
    });
    expect(c.extra_body.response_format.json_schema).toEqual({ name: 'answer', schema: { type: 'object' } });
    expect(suites[0].evaluations.metrics).toMatchObject([{ type: 'geval', criteria: 'It is kind', threshold: 0.7 }]);
  });
});
