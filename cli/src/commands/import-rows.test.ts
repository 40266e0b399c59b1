import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { commandIn, copyProject } from '../try-proofmark.fixture.ts';

const project = {
  'proofmark.yaml': 'ai_configurations: { judge: { provider: openai, model: gpt-4o } }\n',
  'agents/desk.agent.yaml':
    'name: Desk\ninstructions: Help.\ndriver: { type: scripted, replies: [{ reply: "ANSWER: B, Paris" }] }\n',
};
const lines = (...rows: unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** Imports rows into a project with an agent; the cases of the suite that was written, and what was said. */
async function importRows(tool: string, path: string, text: string, more: readonly string[] = []) {
  await using copy = await copyProject();
  const { folder } = copy;
  for (const [name, content] of Object.entries({ ...project, [path]: text })) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  const ended = await commandIn(folder, ['import', tool, path, '--agent', 'agents/desk.agent.yaml', ...more]);
  const written = join(folder, 'evals/rows.suite.yaml');
  const suite = existsSync(written) ? parse(await readFile(written, 'utf8')) : null;
  const ran = suite === null ? null : await commandIn(folder, ['run', 'evals/rows.suite.yaml']);
  return { ...ended, suite, ran: ran && ran.stdout + ran.stderr };
}

describe('import of rows', () => {
  test('samples of Inspect are asked and scored as its usual solvers and scorers do, and its sandboxes are lost', async () => {
    const { code, suite, stderr, ran } = await importRows(
      'inspect',
      'rows.jsonl',
      lines(
        { id: 'capital', input: 'Capital of France?', target: 'paris', metadata: { level: 1 } },
        {
          input: [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: 'Hi' },
            { role: 'assistant', content: 'Yes?' },
            { role: 'user', content: 'Where is {{it}}?' },
          ],
          target: ['Paris', 'the (capital)'],
        },
        { input: 'Which one?', choices: ['red', 'green'], target: 'B' },
        { input: 'Write a file', target: '', sandbox: 'docker', files: { a: 'b' } },
        { input: [{ role: 'user', content: [{ type: 'image', image: 'x.png' }] }], target: 'cat' },
      ),
    );
    expect(code).toBe(3);
    expect(suite).toMatchObject({ name: 'rows', agent: '../agents/desk.agent.yaml' });
    expect(suite.cases).toEqual([
      {
        name: 'capital',
        input: 'Capital of France?',
        expected_behavior: { checks: [{ type: 'contains_phrases', phrases: ['paris'], case_sensitive: false }] },
      },
      {
        ...{ name: 'Row 2', input: 'Where is {{it}}?', literal: true },
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Yes?' },
        ],
        expected_behavior: { checks: [{ type: 'regex', pattern: 'Paris|the \\(capital\\)', case_sensitive: false }] },
      },
      {
        name: 'Row 3',
        input: expect.stringMatching(/one of A,B\.\n\nWhich one\?\n\nA\) red\nB\) green$/),
        expected_behavior: { checks: [{ type: 'regex', pattern: 'ANSWER\\s*:[\\s*]*[B]\\b', case_sensitive: false }] },
      },
      { name: 'Row 4', input: 'Write a file', expected_behavior: { checks: [{ type: 'length', min: 1 }] } },
    ]);
    expect(stderr).toMatchInlineSnapshot(`
      "rows.jsonl:1: note: its scorer stands in Python: the answer has to contain the target, as includes() has it (and 1 more row)
      rows.jsonl:2: its system message is left out: the instructions are those of the agent
      rows.jsonl:3: note: it is asked as multiple_choice() of Inspect asks, and its letter is looked for
      rows.jsonl:4: sandbox is left out: no sandbox is set up
      rows.jsonl:4: files is left out: no sandbox is set up
      rows.jsonl:5: its input is neither a text nor a list of messages of text
      4 things not translated, 2 notes

      "
    `);
    expect(ran).toContain('4 of 4 passed');
  });

  test('samples of OpenAI evals are cases, and a system message of theirs is told once', async () => {
    const row = (country: string, ideal: unknown) => ({
      input: [
        { role: 'system', content: 'Say the capital.' },
        { role: 'user', content: country },
      ],
      ideal,
    });
    const { code, suite, stderr } = await importRows(
      'openai-evals',
      'rows.jsonl',
      lines(row('France', 'Paris'), row('Peru', ['Lima', 'lima'])),
    );
    expect(code).toBe(3);
    expect(suite.cases).toMatchObject([
      {
        input: 'France',
        expected_behavior: { checks: [{ type: 'contains_phrases', phrases: ['Paris'], case_sensitive: true }] },
      },
      { input: 'Peru', expected_behavior: { checks: [{ type: 'regex', pattern: 'Lima|lima', case_sensitive: true }] } },
    ]);
    expect(stderr).toMatchInlineSnapshot(`
      "rows.jsonl:1: its system message is left out: the instructions are those of the agent (and 1 more row)
      rows.jsonl:1: note: its class stands in a registry: the answer has to contain the ideal, as Includes has it (and 1 more row)
      1 thing not translated, 1 note

      "
    `);
    const whole = await importRows('openai-evals', 'rows.jsonl', lines({ input: 'Where is Paris?', ideal: 'Paris' }));
    expect([whole.code, whole.stdout]).toEqual([0, expect.stringContaining('Imported whole.')]);
  });

  test('goldens of DeepEval keep what is expected, by a judge and by names of tools', async () => {
    const { code, suite, stderr } = await importRows(
      'deepeval',
      'rows.csv',
      `input,actual_output,expected_output,context,name,expected_tools
When do you open?,At noon,"From 9, to 17",,hours,"[{""name"": ""get_hours""}]"
"Say ""hi""",,,a|b,,find;call
`,
    );
    expect(code).toBe(3);
    expect(suite).toMatchObject({ judge: { ai_configuration: 'judge' } });
    expect(suite.cases).toEqual([
      {
        ...{ name: 'hours', input: 'When do you open?', ground_truth: 'From 9, to 17', expected_tools: ['get_hours'] },
        expected_behavior: { checks: [{ type: 'llm_judge', expected_answer: 'From 9, to 17' }] },
      },
      {
        name: 'Row 2',
        input: 'Say "hi"',
        expected_tools: ['find', 'call'],
        expected_behavior: { checks: [{ type: 'length', min: 1 }] },
      },
    ]);
    expect(stderr).toMatchInlineSnapshot(`
      "rows.csv:2: note: its metrics stand in Python: a judge compares the answer with the expected output
      rows.csv:2: note: actual_output is left out: the agent is asked anew
      rows.csv:3: context is left out: the agent finds its own
      1 thing not translated, 2 notes

      "
    `);
  });

  test.each([
    ['a program', 'inspect', 'rows.py', '', 'inspect is read from JSONL, JSON and CSV'],
    ['rows without a question', 'openai-evals', 'rows.jsonl', '{"ideal": "x"}\n', 'no row of it can be translated'],
    ['no JSON', 'openai-evals', 'rows.jsonl', 'hello\n', 'no row of it can be translated'],
    [
      'a pit of brackets',
      'inspect',
      'rows.jsonl',
      `{"input": ${'['.repeat(20_000)}${']'.repeat(20_000)}}\n`,
      'no row of it can be translated',
    ],
    ['a cell of 10 MB', 'deepeval', 'rows.csv', `input\n${'x'.repeat(10_000_000)}\n`, 'no row of it can be translated'],
    ['NUL', 'deepeval', 'rows.csv', 'input\na\0b\n', 'no row of it can be translated'],
    ['a quote without an end', 'deepeval', 'rows.csv', 'input\n"a\n', 'no row of it can be translated'],
    [
      'an agent that is not there',
      'deepeval',
      'rows.csv',
      'input\na\n',
      '--agent no.agent.yaml: there is no such file',
      '--agent',
      'no.agent.yaml',
    ],
  ])('%s is refused with its reason, and nothing is written', async (_what, tool, path, text, message, ...more) => {
    const ended = await importRows(tool, path, text, more);
    expect([ended.code, ended.suite]).toEqual([2, null]);
    expect(ended.stderr).toContain(message);
  });

  test('what only looks dangerous in a table is text: a mark of its order, formulas, quotes, keys of prototypes', async () => {
    const { suite, code } = await importRows(
      'deepeval',
      'rows.csv',
      '\uFEFFinput,__proto__,name\r\n"=HYPERLINK(""http://x"")",1,constructor\r\n@SUM(A1),2,constructor\r\n',
    );
    expect(code).toBe(0);
    expect(suite.cases.map(({ name, input }: { name: string; input: string }) => [name, input])).toEqual([
      ['constructor', '=HYPERLINK("http://x")'],
      ['constructor (2)', '@SUM(A1)'],
    ]);
  });

  test('without an agent the sentence says what to add', async () => {
    await using copy = await copyProject();
    await writeFile(join(copy.folder, 'rows.jsonl'), '{"input":"a"}\n');
    const ended = await commandIn(copy.folder, ['import', 'inspect', 'rows.jsonl']);
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('by --agent agents/desk.agent.yaml')]);
  });
});
