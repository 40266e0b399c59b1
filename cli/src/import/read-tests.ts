import { csvRows, delimiterOf } from '@proofmark/contracts/read-csv';
import { z } from 'zod';
import { type ListBeside, type ReadBeside, type Remarks, readSource, type Source, type SourcePath } from './source.ts';

/** A test of promptfoo, as it is written. */
export const Test = z.looseObject({
  description: z.string().optional(),
  vars: z.record(z.string(), z.unknown()).optional(),
  assert: z.array(z.unknown()).optional(),
  threshold: z.number().optional(),
  options: z.record(z.string(), z.unknown()).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  prompts: z.array(z.string()).optional(),
  providers: z.array(z.string()).optional(),
});
export type Test = z.infer<typeof Test>;

export interface TestsBeside {
  source: Source;
  readBeside: ReadBeside;
  listBeside: ListBeside;
  remarks: Remarks;
}

/** A test as it stands, and the file that it stands in. */
export interface WrittenTest {
  source: Source;
  path: SourcePath;
  value: unknown;
}

export function writtenTests(tests: unknown, reading: TestsBeside): WrittenTest[] {
  const isList = Array.isArray(tests);
  const listed: unknown[] = isList ? tests : tests === undefined ? [] : [tests];
  return listed.flatMap((value, index): WrittenTest[] => {
    const path = isList ? ['tests', index] : ['tests'];
    if (z.looseObject({ path: z.string() }).safeParse(value).success) {
      reading.remarks.add(reading.source, path, 'its tests are made by a program');
      return [];
    }
    return typeof value === 'string' ? testsOfFile(value, path, reading) : [{ source: reading.source, path, value }];
  });
}

const Scenario = z.strictObject({
  description: z.string().optional(),
  config: z.array(Test),
  tests: z.array(Test).default([{}]),
});

/** Each set of values of a scenario with each of its tests. */
export function testsOfScenarios(scenarios: unknown, { source, remarks }: TestsBeside): WrittenTest[] {
  const listed: unknown[] = Array.isArray(scenarios) ? scenarios : scenarios === undefined ? [] : [scenarios];
  return listed.flatMap((one, index): WrittenTest[] => {
    const path = ['scenarios', index];
    const scenario = Scenario.safeParse(one);
    if (!scenario.success) {
      remarks.add(source, path, 'the scenario has a form that is not known');
      return [];
    }
    const { description, config, tests } = scenario.data;
    return config.flatMap((given) =>
      tests.map((test) => {
        const named = [description, given.description, test.description].filter((part) => part !== undefined);
        const value = {
          ...{ ...given, ...test },
          ...(named.length === 0 ? {} : { description: named.join(': ') }),
          vars: { ...given.vars, ...test.vars },
          assert: [...(given.assert ?? []), ...(test.assert ?? [])],
          options: { ...given.options, ...test.options },
        };
        return { source, path, value };
      }),
    );
  });
}

function testsOfFile(named: string, path: SourcePath, reading: TestsBeside): WrittenTest[] {
  const { source, readBeside, listBeside, remarks } = reading;
  const file = named.replace(/^file:\/\//, '').replace(/^\.\//, '');
  const refuse = (why: string): [] => {
    remarks.add(source, path, `tests of ${file}: ${why}`);
    return [];
  };
  if (/[*?]/.test(file)) {
    const found = listBeside(file);
    return found.length === 0 ? refuse('no file fits') : found.flatMap((one) => testsOfFile(one, path, reading));
  }
  if (!/\.(?:ya?ml|json|jsonl|csv)$/.test(file)) return refuse('only YAML, JSON, JSONL and CSV files are read');
  const beside = readBeside(file);
  if (!beside.ok) return refuse(beside.reason);
  if (file.endsWith('.csv')) return testsOfCsv(file, beside.text, (why) => refuse(why));
  const text = file.endsWith('.jsonl') ? asList(beside.text) : beside.text;
  const read = readSource(file, text);
  if (!read.ok) return refuse(read.message);
  const list = read.source.value;
  const items: unknown[] = Array.isArray(list) ? list : [list];
  return items.map((item, at) => ({ source: read.source, path: [at], value: item }));
}

/** Lines of JSON as one list, each item on its line. */
const asList = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line.trim() === '' ? '' : `- ${line}`))
    .join('\n');

/** A row is a test: its columns are values, those that begin with two underscores say something of the test. */
function testsOfCsv(file: string, text: string, refuse: (why: string) => []): WrittenTest[] {
  const [header, ...rows] = csvRows(text.replace(/^\uFEFF/, ''), delimiterOf(text));
  if (header === undefined) return refuse('it is empty');
  const columns = header.fields.map((field) => field.trim());
  const special = columns.find(
    (column) =>
      column.startsWith('__') &&
      !/^__(?:expected\d*|description|metric|threshold|metadata:[^[\]]+(?:\[\])?|config:__expected\d*:threshold)$/.test(
        column,
      ),
  );
  if (special !== undefined) return refuse(`its column ${special} has no counterpart`);
  return rows.flatMap(({ line, fields, fault }): WrittenTest[] => {
    if (fault !== undefined) return refuse(`line ${fault.line}: ${fault.message}`);
    const cells = columns.map((column, index) => [column, fields[index] ?? ''] as const);
    const named = new Map(cells);
    const asserted = cells.flatMap(([column, cell]) => {
      if (!/^__expected\d*$/.test(column) || cell.trim() === '') return [];
      // The column of the first may be called __expected or __expected1.
      const alias = column === '__expected1' ? '__expected' : column;
      const least = Number(
        named.get(`__config:${column}:threshold`) || named.get(`__config:${alias}:threshold`) || Number.NaN,
      );
      return [{ ...expectedOf(cell.trim()), ...(Number.isNaN(least) ? {} : { threshold: least }) }];
    });
    const metadata = metadataOf(cells);
    const description = named.get('__description');
    const threshold = Number(named.get('__threshold') || Number.NaN);
    const value = {
      vars: Object.fromEntries(cells.filter(([column]) => !column.startsWith('__'))),
      ...(asserted.length === 0 ? {} : { assert: asserted }),
      ...(description ? { description } : {}),
      ...(Number.isNaN(threshold) ? {} : { threshold }),
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    };
    return [{ source: { file, value, lineOf: () => line }, path: [], value }];
  });
}

/** `__metadata:key` is a text, `__metadata:key[]` a list of them, in which `\\,` is a comma. */
function metadataOf(cells: readonly (readonly [string, string])[]): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [column, cell] of cells) {
    const [, key, isList] = /^__metadata:([^[\]]+)(\[\])?$/.exec(column) ?? [];
    if (key === undefined || cell === '') continue;
    found[key] = isList === undefined ? cell : cell.split(/(?<!\\),/).map((one) => one.replaceAll('\\,', ',').trim());
  }
  return found;
}

/** The words of promptfoo that begin an expectation in a cell; what begins with any other is the answer itself. */
const assertionWords = [
  ...[
    'agent-rubric',
    'answer-relevance',
    'bleu',
    'classifier',
    'contains',
    'contains-all',
    'contains-any',
    'contains-html',
  ],
  ...['contains-json', 'contains-sql', 'contains-xml', 'context-faithfulness', 'context-recall', 'context-relevance'],
  ...[
    'conversation-relevance',
    'cost',
    'equals',
    'factuality',
    'finish-reason',
    'g-eval',
    'gleu',
    'guardrails',
    'icontains',
  ],
  ...[
    'icontains-all',
    'icontains-any',
    'is-html',
    'is-json',
    'is-refusal',
    'is-sql',
    'is-valid-function-call',
    'is-xml',
  ],
  ...[
    'is-valid-openai-function-call',
    'is-valid-openai-tools-call',
    'javascript',
    'latency',
    'levenshtein',
    'llm-rubric',
  ],
  ...[
    'meteor',
    'model-graded-closedqa',
    'model-graded-factuality',
    'moderation',
    'perplexity',
    'perplexity-score',
    'pi',
  ],
  ...[
    'python',
    'regex',
    'rouge-n',
    'ruby',
    'search-rubric',
    'similar',
    'similar:cosine',
    'similar:dot',
    'similar:euclidean',
  ],
  ...['skill-used', 'starts-with', 'tool-call-f1', 'trace-error-spans', 'trace-span-count', 'trace-span-duration'],
  ...['trajectory:goal-success', 'trajectory:step-count', 'trajectory:tool-args-match', 'trajectory:tool-sequence'],
  ...['trajectory:tool-used', 'webhook', 'word-count'],
];
const expectation = new RegExp(
  `^((?:not-)?(${assertionWords.join('|')}))(?:\\((\\d+(?:\\.\\d+)?)\\))?(?::([\\s\\S]*))?$`,
);
/** In a cell they have a least score, where nothing is said. */
const withLeast =
  /^(?:answer-relevance|classifier|context-(?:faithfulness|recall|relevance)|cost|latency|levenshtein|perplexity(?:-score)?|rouge-n|similar)$/;

/** `contains: Paris`, `similar(0.8): Paris`, `grade: It is polite`; anything else is the answer itself. */
function expectedOf(cell: string): Record<string, unknown> {
  const program = /^(?:javascript|fn|eval):([\s\S]+)$/.exec(cell)?.[1];
  if (program !== undefined) return { type: 'javascript', value: program.trim() };
  const graded = /^(?:grade|llm-rubric):([\s\S]+)$/.exec(cell)?.[1];
  if (graded !== undefined) return { type: 'llm-rubric', value: graded.trim() };
  if (/^file:\/\/.+\.py\b/.test(cell)) return { type: 'python', value: cell };
  if (/^file:\/\/.+\.[cm]?[jt]s(?::\w+)?$/.test(cell)) return { type: 'javascript', value: cell };
  const [, type, word = '', least, said] = expectation.exec(cell) ?? [];
  if (type === undefined) return { type: 'equals', value: cell };
  const value = said?.trim();
  // For all others promptfoo passes over a number in brackets.
  const usual = word === 'similar' ? 0.8 : 0.75;
  const threshold = withLeast.test(word) ? Number(least ?? usual) : undefined;
  return { type, ...(value === undefined ? {} : { value }), ...(threshold === undefined ? {} : { threshold }) };
}
