import { describe, expect, test } from 'vitest';
import type { Suite } from '../definitions/suite.ts';
import { type Files, loadFiles, scriptedAgent } from './sample-files.fixture.ts';

const template =
  '  case: { input: "{{question}}", expected_behavior: { checks: [{ type: equals, value: "{{answer}}" }] } }';
const suite = (lines: string, rest = ''): string => `name: S\n${scriptedAgent}\ncases_from:\n${lines}\n${rest}`;

/** Loads a suite whose cases come from one file of rows. */
function load(data: string, { file = 'rows.csv', lines = '', body = template, others = {} as Files } = {}) {
  return loadFiles({
    'evals/s.suite.yaml': suite(`  file: ../data/${file}\n${lines}${body}`),
    [`data/${file}`]: data,
    ...others,
  });
}

const casesOf = (loaded: ReturnType<typeof load>): Suite['cases'] => {
  expect(loaded.problems).toEqual([]);
  return loaded.definitions.suites[0]?.suite.cases ?? [];
};
const told = (loaded: ReturnType<typeof load>): string[] =>
  loaded.problems.map(({ file, line, path, message }) => `${file}:${line} ${path}: ${message}`);
const expected = ({ expected_behavior }: Suite['cases'][number]): unknown => expected_behavior?.checks[0];

const questions = 'id,question,answer\na,When?,Monday\nb,"Where, ""exactly""?","Here\nand there"\n';

describe('rows become cases', () => {
  test('of CSV: quotes, delimiters and line breaks in cells are kept', () => {
    expect(casesOf(load(questions)).map((one) => [one.name, one.input, expected(one)])).toMatchObject([
      ['a', 'When?', { value: 'Monday' }],
      ['b', 'Where, "exactly"?', { value: 'Here\nand there' }],
    ]);
  });

  test.each([
    [
      'rows.jsonl',
      '{"id":"a","question":"When?","answer":"Monday"}\n\n{"id":"b","question":"Where?","answer":"Here"}\n',
    ],
    [
      'rows.json',
      '[\n {"id":"a","question":"When?","answer":"Monday"},\n {"id":"b","question":"Where?","answer":"Here"}]',
    ],
    ['rows.yaml', '- { id: a, question: "When?", answer: Monday }\n- id: b\n  question: Where?\n  answer: Here\n'],
    ['rows.csv', '\uFEFFid;question;answer\r\na;When?;Monday\r\nb;Where?;Here'],
    ['rows.csv', 'id\tquestion\tanswer\na\tWhen?\tMonday\nb\tWhere?\tHere\n'],
  ])('of %s', (file, data) => {
    const cases = casesOf(load(data, { file }));
    expect(cases.map((one) => [one.name, one.input, expected(one)])).toMatchObject([
      ['a', 'When?', { value: 'Monday' }],
      ['b', 'Where?', { value: 'Here' }],
    ]);
  });

  test('beside cases that are written out, and of several files', () => {
    const loaded = loadFiles({
      's.suite.yaml': suite(
        '  - { file: a.csv, case: { input: "{{q}}", expected_tools: [x] } }\n  - { file: b.csv, case: { input: "{{q}}", expected_tools: [x] } }',
        'cases: [{ name: own, input: hi, expected_tools: [x] }]',
      ),
      'a.csv': 'id,q\n1,one\n',
      'b.csv': 'id,q\n2,two\n',
    });
    expect(loaded.definitions.suites[0]?.suite.cases.map(({ name }) => name)).toEqual(['own', '1', '2']);
    expect(loaded.definitions.suites[0]?.dependsOn).toEqual(expect.arrayContaining(['a.csv', 'b.csv']));
  });

  test('in another order they are the same cases, also without a column that names them', () => {
    const [header, ...rows] = ['question,answer', 'When?,Monday', 'Where?,Here'];
    const named = (lines: readonly string[]) =>
      casesOf(load([header, ...lines].join('\n'))).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    expect(named(rows.toReversed())).toEqual(named(rows));
    expect(named(rows)[0]?.name).toMatch(/^Row [0-9a-f]{8}$/);
  });

  test('a place that is the whole text takes the value as it is, and an empty cell leaves its key out', () => {
    const body = `  map: { max: { column: limit, as: number }, tools: { column: uses, as: list, separator: "|" }, ok: { column: ok, as: boolean }, more: { column: more, as: json } }
  case:
    input: "{{question}}"
    ground_truth: "{{answer}}"
    expected_tools: "{{tools}}"
    is_enabled: "{{ok}}"
    metadata: "{{more}}"
    expected_behavior: { checks: [{ type: length, max: "{{max}}" }] }`;
    const data = 'id,question,answer,limit,uses,ok,more\na,Q,,20,x | y,yes,"{""n"": [1]}"\nb,Q,A,7,z,,\n';
    expect(casesOf(load(data, { body }))).toMatchObject([
      { ground_truth: null, expected_tools: ['x', 'y'], is_enabled: true, metadata: { n: [1] } },
      { ground_truth: 'A', expected_tools: ['z'], metadata: null, expected_behavior: { checks: [{ max: 7 }] } },
    ]);
  });

  test('numbers of JSON are names and, where it is said, texts', () => {
    const lines = '  map: { question: { column: n, as: text } }\n';
    expect(casesOf(load('{"id":1,"n":42,"answer":"x"}', { file: 'rows.jsonl', lines }))).toMatchObject([
      { name: '1', input: '42' },
    ]);
  });

  test('select takes rows by their values, sample always the same ones', () => {
    const data = `id,question,answer,kind\n${Array.from({ length: 200 }, (_, n) => `r${n},Q${n},A,${n % 4}`).join('\n')}\n`;
    const names = (lines: string, text = data) => casesOf(load(text, { lines })).map(({ name }) => name);
    expect(names('  select: { kind: [1, 3] }\n')).toHaveLength(100);
    const some = names('  sample: { n: 10, seed: 7 }\n');
    const [header = '', ...rows] = data.trim().split('\n');
    expect(some).toHaveLength(10);
    expect(names('  sample: { n: 10, seed: 7 }\n', [header, ...rows.toReversed()].join('\n')).sort()).toEqual(
      some.toSorted(),
    );
    expect(names('  sample: { n: 10, seed: 8 }\n')).not.toEqual(some);
  });

  test('braces in a cell are text, and a case may still have variables of its own', () => {
    const [row] = casesOf(load('id,question,answer\na,What does {{x}} print?,x\n'));
    expect(row).toMatchObject({ input: 'What does {{x}} print?', literal: true });
    const body = template.replace('{{question}}', '{{Temperature}} {{question}}');
    expect(casesOf(load('id,question,answer\na,hot,x\n', { body }))[0]).toMatchObject({
      input: '{{Temperature}} hot',
      literal: false,
    });
  });

  test('the columns of files are axes of the matrix', () => {
    const loaded = loadFiles({
      's.suite.yaml': `name: S\n${scriptedAgent}\nmatrix_from: { Temperature: { file: t.csv, column: t, as: number } }\ncases: [{ name: own, input: hi, expected_tools: [x] }]\n`,
      't.csv': 't\n0\n0.5\n0\n',
    });
    expect(loaded.problems).toEqual([]);
    expect(loaded.definitions.suites[0]?.suite.matrix).toEqual({ Temperature: [0, 0.5] });
  });
});

describe('what is wrong is told where it is', () => {
  test('in a row: its line, the key that it fills and the column', () => {
    const loaded = load('id,question,answer\na,When?,x\n"","   ",x\na,Where?,\n');
    expect(told(loaded)).toEqual([
      'data/rows.csv:3 rows.1.name: must not be empty',
      'data/rows.csv:3 rows.1.input: `input` is missing: `expected_behavior` belongs to a single-turn case',
      'data/rows.csv:4 rows.2.expected_behavior.checks.0.value: `value` is missing',
      'data/rows.csv:4 rows.2.name: duplicate case name `a`, first on line 2',
    ]);
    expect(loaded.problems[2]?.hint).toBe('It comes from `answer` of the row, by `case` of evals/s.suite.yaml.');
    expect(loaded.definitions.suites).toEqual([]);
  });

  test('in the template: once, at its own line, however many rows there are', () => {
    const body = '  case:\n    input: "{{question}}"\n    expected_behaviour: 1\n    tags: ["{{kind}}"]\n';
    const rows = Array.from({ length: 80 }, (_, n) => `${n},q\n`).join('');
    expect(told(load(`id,question\n${rows}`, { body: `  name: "{{idd}}"\n${body}` }))).toEqual([
      'evals/s.suite.yaml:5 cases_from.name: there is no column `idd`',
      'evals/s.suite.yaml:9 cases_from.case.tags.0: there is no column `kind`',
    ]);
    expect(told(load(`id,question\n${rows}`, { body: body.replace('\n    tags: ["{{kind}}"]', '') }))).toEqual([
      expect.stringContaining('evals/s.suite.yaml:7 cases_from.case.expected_behaviour: unknown key'),
    ]);
  });

  test.each([
    [
      'a column that is not there',
      { lines: '  map: { q: Question }\n' },
      'has no column `Question`, did you mean `question`?',
    ],
    ['a selection by one', { lines: '  select: { kin: 1 }\n' }, 'has no column `kin`'],
    ['a selection of nothing', { lines: '  select: { id: zzz }\n' }, 'no row of `../data/rows.csv` has these values'],
    ['a file that is not there', { lines: '', file: 'row.csv', others: {} }, undefined],
    ['an unknown key', { lines: '  smaple: { n: 2 }\n' }, 'unknown key `smaple`, did you mean `sample`?'],
    ['an ending', { lines: '', file: 'rows.xlsx' }, 'must be a path that ends with .csv, .jsonl, .json or .yaml'],
  ])('%s', (_, options, message) => {
    const loaded = load(questions, options);
    if (message === undefined) expect(loaded.definitions.suites).toHaveLength(1);
    else expect(told(loaded).join('\n')).toContain(message);
  });

  test('a text that is no number', () => {
    const lines = '  map: { n: { column: answer, as: number } }\n';
    expect(told(load('id,question,answer\na,Q,7\nb,Q,seven\n', { lines }))).toEqual([
      'data/rows.csv:3 : the cell `seven` of column `answer` is no number',
    ]);
  });
});

describe('hostile files', () => {
  const cell = 'x'.repeat(300_000);
  test.each([
    [
      'an open quote',
      'rows.csv',
      'id,question\na,"When?\nb,Where?\n',
      'rows.csv:2 : a quote is opened here and never closed',
    ],
    ['text behind a quote', 'rows.csv', 'id,question\na,"When"?\n', 'rows.csv:2 : text stands behind a closing quote'],
    [
      'ragged rows',
      'rows.csv',
      'id,question\na,b,c\nd\n',
      'rows.csv:2 : the row has 3 cells, the header has 2 columns',
    ],
    ['two columns of one name', 'rows.csv', 'id,id\na,b\n', 'rows.csv:1 : two columns are called `id`'],
    ['a column without a name', 'rows.csv', 'id,\na,b\n', 'rows.csv:1 : column 2 has no name'],
    ['nothing', 'rows.csv', '', 'rows.csv:1 : the file is empty'],
    ['only a header', 'rows.csv', 'id,question,answer\n', 'has no rows'],
    ['NUL', 'rows.csv', 'id,question\na,b\0\n', 'rows.csv:2 : contains NUL, a control character'],
    ['NUL as an escape', 'rows.jsonl', '{"id":1}\n{"id":"\\u0000"}\n', 'rows.jsonl:2 : column `id` contains NUL'],
    [
      'half a character',
      'rows.jsonl',
      '{"id":{"deep":["\\ud800"]}}\n',
      'rows.jsonl:1 : column `id` contains a lone surrogate',
    ],
    [
      'a long number',
      'rows.json',
      '[\n{"id":12345678901234567890}]',
      'rows.json:2 : column `id` must be a finite number',
    ],
    [
      'a pit',
      'rows.jsonl',
      `{"id":${'['.repeat(90)}${']'.repeat(90)}}`,
      'rows.jsonl:1 : column `id` is nested too deeply',
    ],
    [
      'a large cell',
      'rows.csv',
      `id,question\na,${cell}\n`,
      'rows.csv:2 : the cell of column `question` has more than 262144',
    ],
    [
      'a large text of JSON',
      'rows.jsonl',
      `{"id":"${cell}"}`,
      'rows.jsonl:1 : the cell of column `id` has more than 262144',
    ],
    ['a line that is no JSON', 'rows.jsonl', '{"id":1}\n{"id":\n', 'rows.jsonl:2 : the line is not JSON'],
    ['a row that is none', 'rows.json', '[{"id":1},\n\n 7]', 'rows.json:3 : a row must be an object'],
    ['no list', 'rows.json', '{"id":1}', 'rows.json:1 : the file must be a list of rows'],
    ['broken JSON', 'rows.json', '[{"id":1},\n{"id"]', 'rows.json:2 : not valid JSON'],
    ['many aliases', 'rows.yaml', `- &a { id: 1 }\n${'- *a\n'.repeat(200)}`, 'rows.yaml:'],
    ['a tag', 'rows.yaml', '- { id: !!js/function "x" }\n', 'rows.yaml:1 : tag `!!js/function` is not supported'],
  ])('%s', (_, file, data, message) => {
    const loaded = load(data, { file, body: '  case: { input: "{{question}}", expected_tools: [x] }' });
    expect(told(loaded).join('\n')).toContain(message);
    expect(loaded.definitions.suites).toEqual([]);
  });

  test('formulas are text, and columns with names of every object are columns', () => {
    const data = 'id,question,answer,__proto__,constructor\na,=1+1,@x,p,c\n';
    expect(
      casesOf(load(data, { body: template.replace('{{question}}', '{{question}} {{constructor}}') })),
    ).toMatchObject([{ input: '=1+1 c' }]);
  });

  test('a file of more than 64 MB is refused unread', () => {
    expect(told(load('x'.repeat(64_000_001)))).toEqual([expect.stringContaining('file too large')]);
  });
});
