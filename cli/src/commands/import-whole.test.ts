import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importWhole } from './import-whole.fixture.ts';

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
});
