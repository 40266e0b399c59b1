import { type DataRow, readDataRows } from '@proofmark/contracts/read-data-rows';
import { z } from 'zod';
import { freeNames } from './free-names.ts';
import type { ImportedCheck } from './imported-check.ts';
import type { Untranslated } from './source.ts';
import { oneLine } from './translate-tests.ts';

/** A case as a row makes it, its name still to come. */
interface RowCase {
  name?: string;
  input: string;
  messages?: { role: 'user' | 'assistant'; content: string }[];
  ground_truth?: string;
  expected_tools?: string[];
  tags?: string[];
  checks: ImportedCheck[];
}

/** What a row says in our words. `lost` changes what is asked or judged, `notes` do not. */
interface ReadRow {
  made: RowCase | null;
  lost: string[];
  notes: string[];
}

/** In a table a list is written as a text; in JSON what looks like one is a text. */
type ReadValues = (row: DataRow['values'], isTable: boolean) => ReadRow;

/** Files of questions that other tools read: a row is a case, and who answers stands in their programs. */
export const rowFormats: Readonly<Record<string, { endings: RegExp; told: string; read: ReadValues }>> = {
  inspect: { endings: /\.(?:jsonl|json|csv)$/, told: 'JSONL, JSON and CSV', read: inspectSample },
  'openai-evals': { endings: /\.jsonl$/, told: 'JSONL', read: evalsSample },
  deepeval: { endings: /\.(?:csv|jsonl|json)$/, told: 'CSV, JSONL and JSON', read: deepEvalGolden },
};

type TranslatedRows =
  | { ok: true; cases: object[]; asksJudge: boolean; remarks: Untranslated[] }
  | { ok: false; message: string; remarks: Untranslated[] };

/** Every row as a case, in the order of the file; what is lost is told at its line, and that once for all rows alike. */
export function translateRows(format: string, file: string, text: string): TranslatedRows {
  const known = rowFormats[format];
  if (known === undefined) throw new Error(`There is no format ${format}`);
  const { rows, problems } = readDataRows(file, text);
  const told = tellOnce(file);
  for (const { line, message } of problems) told.add('lost', line, message);
  const freeName = freeNames((name, number) => `${name} (${number})`);
  const isTable = file.endsWith('.csv');
  const cases = rows.flatMap(({ line, values }, index) => {
    const { made, lost, notes } = known.read(values, isTable);
    for (const message of lost) told.add('lost', line, message);
    for (const message of notes) told.add('note', line, message);
    if (made === null) return [];
    const { name, checks, ...asked } = made;
    const one = {
      name: freeName(oneLine(name ?? '') || `Row ${index + 1}`),
      ...asked,
      expected_behavior: { checks: checks.length === 0 ? [{ type: 'length', min: 1 }] : checks },
    };
    return [JSON.stringify(one).includes('{{') ? { ...one, literal: true } : one];
  });
  const remarks = told.end();
  if (cases.length === 0) return { ok: false, message: `${file}: no row of it can be translated`, remarks };
  return { ok: true, cases, asksJudge: JSON.stringify(cases).includes('"type":"llm_judge"'), remarks };
}

/** What many rows have alike is one line, at the first of them. */
function tellOnce(file: string) {
  const all = new Map<string, Untranslated & { more: number }>();
  return {
    add: (kind: Untranslated['kind'], line: number, message: string): void => {
      const found = all.get(`${kind} ${message}`);
      if (found === undefined) all.set(`${kind} ${message}`, { file, line, path: '', message, kind, more: 0 });
      else found.more += 1;
    },
    end: (): Untranslated[] =>
      [...all.values()]
        .map(({ more, message, ...one }) => ({
          ...one,
          message: more === 0 ? message : `${message} (and ${more} more ${more === 1 ? 'row' : 'rows'})`,
        }))
        .toSorted((a, b) => a.line - b.line),
  };
}

const refused = (message: string): ReadRow => ({ made: null, lost: [message], notes: [] });

/** A column of a table is a text where a file of JSON has a list. */
function listOrText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*\[/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The question of a table: a list is one of messages, or what is asked. */
function talkOrText(value: unknown): unknown {
  const list = z
    .array(z.looseObject({ role: z.string() }))
    .min(1)
    .safeParse(listOrText(value));
  return list.success ? list.data : value;
}

/** What is written as one text, whatever it is to its file; an object is none. */
const Plain = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const Texts = z.union([Plain.transform((one) => [one]), z.array(Plain)]);

/** What an answer may contain. */
function readTexts(value: unknown, column: string): { texts: string[]; lost: string[] } | null {
  const read = Texts.safeParse(value);
  if (!read.success) return null;
  const texts = read.data.filter((one) => one.trim() !== '');
  const hasEmpty = read.data.length > texts.length && value !== '';
  return { texts, lost: hasEmpty ? [`an empty ${column} is left out: every answer contains it`] : [] };
}

const Content = z.union([
  z.string(),
  z
    .array(z.strictObject({ type: z.literal('text'), text: z.string() }))
    .transform((parts) => parts.map(({ text }) => text).join('\n')),
]);
const Message = z.looseObject({ role: z.string(), content: Content, tool_calls: z.array(z.unknown()).nullish() });

/** The question of a row: a text, or a talk that ends with the user; why it is none. */
function readTalk(talk: unknown): (Pick<RowCase, 'input' | 'messages'> & { lost: string[] }) | string {
  if (typeof talk === 'string')
    return talk.trim() === '' ? 'it asks nothing: its input is empty' : { input: talk, lost: [] };
  const parsed = z.array(Message).min(1).safeParse(talk);
  if (!parsed.success) return 'its input is neither a text nor a list of messages of text';
  const said = parsed.data.filter(({ role }) => role !== 'system' && role !== 'developer');
  const last = said.at(-1);
  if (last?.role !== 'user') return 'its talk does not end with a message of the user';
  const before = said
    .slice(0, -1)
    .flatMap(({ role, content, tool_calls }) =>
      (role === 'user' || role === 'assistant') && (tool_calls ?? []).length === 0 ? [{ role, content } as const] : [],
    );
  if (before.length < said.length - 1) return 'its talk holds calls of tools';
  const hasSystem = said.length < parsed.data.length;
  return {
    input: last.content,
    ...(before.length === 0 ? {} : { messages: before }),
    lost: hasSystem ? ['its system message is left out: the instructions are those of the agent'] : [],
  };
}

const meansNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** What of a row has a value and no place here. */
const without = (row: DataRow['values'], keys: readonly string[], why: (key: string) => string): string[] =>
  keys.filter((key) => !meansNothing(row[key])).map(why);

const anyOf = (texts: readonly string[]): string =>
  texts.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');

const letters = Array.from({ length: 26 }, (_, index) => String.fromCodePoint(65 + index));

/** `input`, `target`, `choices`, `id`, `metadata`; how it is solved and scored stands in Python. */
function inspectSample(row: DataRow['values'], isTable: boolean): ReadRow {
  const listIn = (value: unknown): unknown => (isTable ? listOrText(value) : value);
  const talk = readTalk(isTable ? talkOrText(row.input) : row.input);
  if (typeof talk === 'string') return refused(talk);
  const { lost, ...asked } = talk;
  const right = readTexts(listIn(row.target ?? ''), 'target');
  const choices = z
    .array(Plain)
    .max(letters.length)
    .nullish()
    .safeParse(listIn(row.choices) || null);
  if (right === null || !choices.success) return refused('its target or its choices have a form that is not known');
  const losses = [
    ...lost,
    ...right.lost,
    ...without(row, ['sandbox', 'files', 'setup'], (key) => `${key} is left out: no sandbox is set up`),
  ];
  const named = typeof row.id === 'string' || typeof row.id === 'number' ? { name: String(row.id) } : {};
  if (choices.data) {
    const chosen = chosenLetters(right.texts, choices.data.length);
    if (chosen === null) return refused('its target is no letter of a choice');
    const input = askedWith(asked.input, choices.data, chosen.length > 1);
    const notes = ['it is asked as multiple_choice() of Inspect asks, and its letter is looked for'];
    return { made: { ...named, ...asked, input, checks: choosesAll(chosen) }, lost: losses, notes };
  }
  const notes =
    right.texts.length === 0
      ? []
      : ['its scorer stands in Python: the answer has to contain the target, as includes() has it'];
  return { made: { ...named, ...asked, checks: containsOne(right.texts, false) }, lost: losses, notes };
}

/** Several may be one text: `AC`. */
function chosenLetters(texts: readonly string[], count: number): string[] | null {
  const written = texts.flatMap((text) => text.trim().split(''));
  const known = letters.slice(0, count);
  if (written.length === 0 || !written.every((letter) => known.includes(letter))) return null;
  return [...new Set(written)].toSorted();
}

const askedWith = (question: string, choices: readonly string[], areSeveral: boolean): string => {
  const named = letters.slice(0, choices.length).join(',');
  const [several, form] = areSeveral
    ? [' where multiple answers may be correct', `$LETTERS' (without quotes) where LETTERS is one or more of ${named}`]
    : ['', `$LETTER' (without quotes) where LETTER is one of ${named}`];
  return `Answer the following multiple choice question${several}. The entire content of your response should be of the following format: 'ANSWER: ${form}.

${question}

${choices.map((choice, index) => `${letters[index]}) ${choice}`).join('\n')}`;
};

/** One letter is looked for; of several the answer names each, in any order, and no other. */
function choosesAll(chosen: readonly string[]): ImportedCheck[] {
  const start = 'ANSWER\\s*:[\\s*]*';
  const one = `[${chosen.join('')}]`;
  const patterns =
    chosen.length === 1
      ? [`${start}${one}\\b`]
      : [
          `${start}${one}(?:[ ,]*${one})*[ ,]*(?:[^\\w ,]|$)`,
          ...chosen.map((letter) => `${start}(?:${one}[ ,]*)*${letter}`),
        ];
  return patterns.map((pattern) => ({ type: 'regex', pattern, case_sensitive: false }));
}

const containsOne = (texts: readonly string[], case_sensitive: boolean): ImportedCheck[] => {
  if (texts.length === 0) return [];
  if (texts.length === 1) return [{ type: 'contains_phrases', phrases: [...texts], case_sensitive }];
  return [{ type: 'regex', pattern: anyOf(texts), case_sensitive }];
};

/** `input` and `ideal`; the class that compares them stands in a registry. */
function evalsSample(row: DataRow['values']): ReadRow {
  const talk = readTalk(row.input);
  if (typeof talk === 'string') return refused(talk);
  const { lost, ...asked } = talk;
  const ideal = readTexts(row.ideal ?? '', 'ideal');
  if (ideal === null) return refused('its ideal is neither a text nor a list of texts');
  const notes =
    ideal.texts.length === 0
      ? []
      : ['its class stands in a registry: the answer has to contain the ideal, as Includes has it'];
  const others = Object.keys(row).filter((key) => key !== 'input' && key !== 'ideal');
  const losses = [...lost, ...ideal.lost, ...without(row, others, (key) => `${key.slice(0, 60)} has no counterpart`)];
  return { made: { ...asked, checks: containsOne(ideal.texts, true) }, lost: losses, notes };
}

const Tools = z.union([
  z.array(z.union([z.string(), z.looseObject({ name: z.string() }).transform(({ name }) => name)])),
  z.string().transform((names) =>
    names
      .split(/[;,]/)
      .map((name) => name.trim())
      .filter(Boolean),
  ),
]);

/** `input`, `expected_output`, `expected_tools`, `name`; its metrics stand in Python. */
function deepEvalGolden(row: DataRow['values']): ReadRow {
  if (!meansNothing(row.turns) || !meansNothing(row.scenario))
    return refused('a golden of a whole talk is not translated');
  const input = typeof row.input === 'string' ? row.input : '';
  if (input.trim() === '') return refused('it asks nothing: its input is empty');
  const tools = meansNothing(row.expected_tools) ? undefined : Tools.safeParse(listOrText(row.expected_tools));
  const expected = typeof row.expected_output === 'string' ? row.expected_output.trim() : '';
  const lost = [
    ...(tools?.success === false ? ['expected_tools has a form that is not known'] : []),
    ...without(row, ['context', 'retrieval_context'], (key) => `${key} is left out: the agent finds its own`),
  ];
  const notes = [
    ...(expected === '' ? [] : ['its metrics stand in Python: a judge compares the answer with the expected output']),
    ...without(row, ['actual_output', 'tools_called'], (key) => `${key} is left out: the agent is asked anew`),
    ...without(
      row,
      ['comments', 'source_file', 'additional_metadata', 'custom_column_key_values'],
      (key) => `${key} is left out`,
    ),
  ];
  const made: RowCase = {
    ...(typeof row.name === 'string' ? { name: row.name } : {}),
    input,
    ...(expected === '' ? {} : { ground_truth: expected }),
    ...(tools?.success ? { expected_tools: tools.data } : {}),
    checks: expected === '' ? [] : [{ type: 'llm_judge', expected_answer: expected }],
  };
  return { made, lost, notes };
}
