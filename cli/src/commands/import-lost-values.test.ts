import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { commandIn, copyProject } from '../try-proofmark.fixture.ts';

const config = 'promptfooconfig.yaml';

async function importText(text: string) {
  await using project = await copyProject();
  await writeFile(join(project.folder, config), text);
  return await commandIn(project.folder, ['import', 'promptfoo', config]);
}

test('what asks with the answer of another test is no case', async () => {
  const { code, stderr } = await importText(`prompts: ['Say {{x}}']
providers: [openai:gpt-4o]
tests:
  - { vars: { x: a fruit }, options: { storeOutputAs: fruit } }
  - { vars: { x: 'why {{fruit}}' } }
`);
  expect(code).toBe(3);
  expect(stderr).toContain(':5 tests.1: no case of prompt prompt: the value of fruit is left out');
});

test.each([
  ['a criterion', "{ type: llm-rubric, value: 'agrees with {{reference}}' }"],
  ['one of several texts', "{ type: contains-any, value: [a, '{{ reference | upper }}'] }"],
  ['a value that names it', "{ type: contains, value: '{{about}}' }"],
  ['a text behind a transform', "{ type: contains, value: '{{reference}}', transform: output.trim() }"],
  ['a program', '{ type: javascript, value: output === context.vars.reference }'],
  ['a program with it in its text', '{ type: python, value: \'len(output) > len("{{reference}}")\' }'],
  ['a part of a set', "{ type: assert-set, assert: [{ type: equals, value: '{{reference}}' }] }"],
  ['a program, by a value that names it', '{ type: javascript, value: output.includes(context.vars.about) }'],
  ['a transform', "{ type: contains, value: a, transform: 'output.replace(context.vars.reference, `a`)' }"],
  ['a transform in front of a program', "{ type: javascript, value: 'true', transform: context.vars.about + output }"],
  ['a transform in a file', '{ type: contains, value: a, transform: file://made.mjs }'],
])('an assertion that needs a value that is left out is told, and none is made of the rest: %s', async (_what, one) => {
  await using project = await copyProject();
  await writeFile(join(project.folder, 'made.mjs'), 'export default (output, { vars }) => output + vars.reference;\n');
  await writeFile(
    join(project.folder, config),
    `prompts: ['Say {{x}}']
providers: [openai:gpt-4o]
tests:
  - vars: { x: a, reference: file://gone.txt, about: 'as {{reference}}' }
    assert:
      - ${one}
`,
  );
  const { code, stderr } = await commandIn(project.folder, ['import', 'promptfoo', config]);
  expect(code).toBe(3);
  expect(stderr).toMatch(/:6 tests\.0\.assert\.0: [a-z-]+: .*the value of reference is left out\n/);
  expect(stderr).toContain(':4 tests.0: nothing that it asserts is translated: the case is a draft');
});

test('a provider that takes a value that is left out is asked no such test, and one that takes none of it is', async () => {
  await using project = await copyProject();
  const { folder } = project;
  const programs = {
    'desk.mjs': 'export default async (prompt, { vars }) => prompt + vars.reference;\n',
    'desk.py': 'def call_api(prompt, options, context):\n    return context["vars"]["about"]\n',
    'tell.mjs': 'console.log(JSON.parse(process.argv[4]).vars.reference);\n',
    'plain.mjs': 'export default async (reference, { vars }) => reference + vars.x;\n',
  };
  for (const [name, text] of Object.entries(programs)) await writeFile(join(folder, name), text);
  await writeFile(
    join(folder, config),
    `prompts: ['Say {{x}}']
providers:
  - file://desk.mjs
  - file://desk.py
  - exec:node tell.mjs
  - { id: https://desk.example, config: { body: { q: '{{prompt}}', to: '{{reference}}' }, transformResponse: json.a } }
  - { id: wss://desk.example, config: { messageTemplate: '{{prompt}} {{reference}}' } }
  - file://plain.mjs
tests:
  - { vars: { x: a, reference: file://gone.txt, about: 'as {{reference}}' } }
`,
  );
  const { code, stderr } = await commandIn(folder, ['import', 'promptfoo', config]);
  expect(code).toBe(3);
  expect(stderr).toContain(':10 tests.0: no case of prompt prompt: the value of reference is left out');
  const suites = (await readdir(join(folder, 'evals'))).filter((name) => name.startsWith('prompt-'));
  expect(suites).toEqual(['prompt-plain-mjs.suite.yaml']);
});

test('a program keeps its own names, whatever another test calls what it is answered', async () => {
  await using project = await copyProject();
  const { folder } = project;
  await writeFile(
    join(folder, 'grade.py'),
    'def get_assert(output, context):\n    result = context["vars"]["x"] in output\n    return result\n',
  );
  await writeFile(
    join(folder, config),
    `prompts: ['Say {{x}}']
providers: [echo]
defaultTest:
  assert:
    - { type: javascript, value: output.includes(context.vars.x) }
    - { type: python, value: file://grade.py }
tests:
  - { vars: { x: fig }, options: { storeOutputAs: output } }
  - { vars: { x: plum }, options: { storeOutputAs: result } }
`,
  );
  const { stderr } = await commandIn(folder, ['import', 'promptfoo', config]);
  expect(stderr).toContain('options.storeOutputAs has no counterpart');
  expect(stderr).not.toMatch(/is left out|is a draft/);
  const { cases } = parse(await readFile(join(folder, 'evals/prompt.suite.yaml'), 'utf8'));
  expect(cases.map((one: { expected_behavior: { checks: [] } }) => one.expected_behavior.checks.length)).toEqual([
    2, 2,
  ]);
});

test('a chat made of the values of a test, and an assertion, need the answer of another test no less', async () => {
  const { code, stderr } = await importText(`prompts:
  - '[{% for turn in talk %}{"role": "user", "content": "{{turn}}"},{% endfor %}{"role": "user", "content": "Why {{fruit}}, {{x}}?"}]'
providers: [openai:gpt-4o]
tests:
  - { vars: { x: a, fruit: fig, talk: [[b]] }, options: { storeOutputAs: other } }
  - { vars: { x: a, fruit: fig, talk: [[b]] }, assert: [{ type: contains, value: '{{other}}' }] }
  - { vars: { x: a, fruit: file://gone.txt, talk: [[b]] } }
`);
  expect(code).toBe(3);
  expect(stderr).toContain(':6 tests.1.assert.0: contains: the value of other is left out');
  expect(stderr).toContain(':7 tests.2: no case of prompt prompt: the value of fruit is left out');
});
