import { csvRows, delimiterOf } from '@proofmark/contracts/read-csv';
import { z } from 'zod';
import type { BridgeFile } from './bridge-files.ts';
import { renderTemplate } from './render-template.ts';
import { type ListBeside, type ReadBeside, type Remarks, readSource, type Source, type SourcePath } from './source.ts';
import { grouped, type ImportedAssertion, type ImportedCheck, translateAssertion } from './translate-assertion.ts';
import type { ImportedPrompt } from './translate-prompt.ts';

/** A test with one combination of its values, before it meets a prompt. */
export interface ImportedTest {
  name: string;
  values: Record<string, unknown>;
  /** Names of values that are not here: what asks for one of them is no question. */
  lost: string[];
  checks: ImportedCheck[];
  /** What of the assertions could not be translated: without the rest, the test says nothing of its own. */
  isCut: boolean;
  /** Whoever judges, as it is written; the same for all checks of the test. */
  judge: unknown;
  metadata: Record<string, unknown> | undefined;
  /** Only these prompts and providers; undefined: all. */
  prompts: string[] | undefined;
  providers: string[] | undefined;
  files: BridgeFile[];
  source: Source;
  path: SourcePath;
}

const Test = z.looseObject({
  description: z.string().optional(),
  vars: z.record(z.string(), z.unknown()).optional(),
  assert: z.array(z.unknown()).optional(),
  threshold: z.number().optional(),
  options: z.record(z.string(), z.unknown()).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  prompts: z.array(z.string()).optional(),
  providers: z.array(z.string()).optional(),
});
const translatedKeys = new Set(Object.keys(Test.shape));
type Test = z.infer<typeof Test>;

interface Reading {
  source: Source;
  readBeside: ReadBeside;
  listBeside: ListBeside;
  remarks: Remarks;
}

/** A test as it stands, and the file that it stands in. */
interface WrittenTest {
  source: Source;
  path: SourcePath;
  value: unknown;
}

/** Every test with its defaults; a list of values for a variable makes a test of each. */
export function translateTests(tests: unknown, defaults: unknown, reading: Reading): ImportedTest[] {
  const { source, remarks, readBeside } = reading;
  const base = Test.safeParse(defaultsOf(defaults, reading) ?? {});
  if (!base.success) remarks.add(source, ['defaultTest'], 'defaultTest has a form that is not known');
  const shared: Test = base.data ?? {};
  tellOthers(shared, { source, path: ['defaultTest'], remarks });
  const defaultChecks = { source, path: ['defaultTest', 'assert'], values: shared.assert ?? [] };
  const sharedValues = readValues(shared.vars ?? {}, { ...reading, path: ['defaultTest', 'vars'] });
  const names = new Map<string, number>();
  return writtenTests(tests, reading).flatMap((written, index) => {
    const parsed = Test.safeParse(written.value);
    if (!parsed.success) {
      remarks.add(written.source, written.path, 'the test has a form that is not known');
      return [];
    }
    tellOthers(parsed.data, { ...written, remarks });
    const own = { source: written.source, path: [...written.path, 'assert'], values: parsed.data.assert ?? [] };
    const name = oneLine(parsed.data.description ?? '') || `Test ${index + 1}`;
    const place = { source: written.source, path: [...written.path, 'vars'], readBeside, remarks };
    const all = combinations({
      ...withoutOwn(sharedValues, parsed.data),
      ...readValues(parsed.data.vars ?? {}, place),
    });
    const withDefaults = parsed.data.options?.disableDefaultAsserts === true ? [own] : [defaultChecks, own];
    return all.map((values, at) => {
      const found = withDefaults.flatMap((list) =>
        assertionsOf(list, values, { remarks, readBeside, isFirst: at === 0 }),
      );
      const translated = found.flatMap((one) => one ?? []);
      const judges = translated.map(({ judge }) => judge).filter((judge) => judge !== undefined);
      const threshold = parsed.data.threshold ?? shared.threshold;
      return {
        name: unique(names, all.length === 1 ? name : `${name} (${at + 1})`),
        values,
        lost: Object.keys({ ...shared.vars, ...parsed.data.vars }).filter((key) => !Object.hasOwn(values, key)),
        checks:
          threshold === undefined || translated.length === 0
            ? translated.map(({ check }) => check)
            : [grouped(translated, threshold)],
        isCut: translated.length < found.length,
        judge: judges[0] ?? parsed.data.options?.provider ?? shared.options?.provider ?? sharedProvider(defaults),
        metadata: parsed.data.metadata,
        prompts: parsed.data.prompts,
        providers: parsed.data.providers,
        files: translated.flatMap(({ files }) => files),
        source: written.source,
        path: written.path,
      };
    });
  });
}

/** `defaultTest` may stand in a file of its own. */
function defaultsOf(defaults: unknown, { readBeside }: Reading): unknown {
  if (typeof defaults !== 'string') return defaults;
  const file = defaults.replace(/^file:\/\//, '');
  const beside = readBeside(file);
  const read = beside.ok ? readSource(file, beside.text) : undefined;
  return read?.ok === true ? read.source.value : defaults;
}

const sharedProvider = (defaults: unknown): unknown =>
  z.looseObject({ provider: z.unknown() }).safeParse(defaults).data?.provider;

/** A default that the test overrides is gone, even when what it gives instead is not read. */
const withoutOwn = (shared: Record<string, unknown>, { vars = {} }: Test): Record<string, unknown> =>
  Object.fromEntries(Object.entries(shared).filter(([name]) => !Object.hasOwn(vars, name)));

function writtenTests(tests: unknown, reading: Reading): WrittenTest[] {
  const isList = Array.isArray(tests);
  const listed: unknown[] = isList ? tests : tests === undefined ? [] : [tests];
  return listed.flatMap((value, index): WrittenTest[] => {
    const path = isList ? ['tests', index] : ['tests'];
    return typeof value === 'string' ? testsOfFile(value, path, reading) : [{ source: reading.source, path, value }];
  });
}

function testsOfFile(named: string, path: SourcePath, reading: Reading): WrittenTest[] {
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
      column.startsWith('__') && !/^__(?:expected\d*|description|metric|threshold|metadata:[^[\]]+)$/.test(column),
  );
  if (special !== undefined) return refuse(`its column ${special} has no counterpart`);
  return rows.flatMap(({ line, fields, fault }): WrittenTest[] => {
    if (fault !== undefined) return refuse(`line ${fault.line}: ${fault.message}`);
    const cells = columns.map((column, index) => [column, fields[index] ?? ''] as const);
    const named = new Map(cells);
    const asserted = cells.flatMap(([column, cell]) =>
      /^__expected\d*$/.test(column) && cell.trim() !== '' ? [expectedOf(cell.trim())] : [],
    );
    const description = named.get('__description');
    const threshold = Number(named.get('__threshold') || Number.NaN);
    const value = {
      vars: Object.fromEntries(cells.filter(([column]) => !column.startsWith('__'))),
      ...(asserted.length === 0 ? {} : { assert: asserted }),
      ...(description ? { description } : {}),
      ...(Number.isNaN(threshold) ? {} : { threshold }),
    };
    return [{ source: { file, value, lineOf: () => line }, path: [], value }];
  });
}

/** `contains: Paris`, `similar(0.8): Paris`, `grade: It is polite`; anything else is the answer itself. */
function expectedOf(cell: string): Record<string, unknown> {
  const program = /^(?:javascript|fn|eval):([\s\S]+)$/.exec(cell)?.[1];
  if (program !== undefined) return { type: 'javascript', value: program.trim() };
  const graded = /^(?:grade|llm-rubric):([\s\S]+)$/.exec(cell)?.[1];
  if (graded !== undefined) return { type: 'llm-rubric', value: graded.trim() };
  if (/^file:\/\/.+\.py\b/.test(cell)) return { type: 'python', value: cell };
  if (cell.startsWith('file://')) return { type: 'javascript', value: cell };
  const [, type, threshold, value] = /^([a-z][a-z-]*)(?:\(([\d.]+)\))?(?::([\s\S]*))?$/.exec(cell) ?? [];
  if (type === undefined || (value === undefined && type !== 'is-json')) return { type: 'equals', value: cell };
  const isList = /-(?:any|all)$/.test(type);
  const trimmed = value?.trim();
  return {
    type,
    ...(trimmed === undefined ? {} : { value: isList ? trimmed.split(',').map((one) => one.trim()) : trimmed }),
    ...(threshold === undefined ? {} : { threshold: Number(threshold) }),
  };
}

/** What of the options of a test decides nothing here. */
const housekeeping = new Set([
  'disableVarExpansion',
  'disableDefaultAsserts',
  'disableConversationVar',
  'provider',
  'repeat',
]);

function tellOthers(
  test: Test,
  { source, path, remarks }: { source: Source; path: SourcePath; remarks: Remarks },
): void {
  for (const key of Object.keys(test)) {
    if (!translatedKeys.has(key) && key !== 'provider')
      remarks.add(source, [...path, key], `${key} has no counterpart`);
  }
  for (const key of Object.keys(test.options ?? {})) {
    if (!housekeeping.has(key)) remarks.add(source, [...path, 'options', key], `options.${key} has no counterpart`);
  }
}

/** `{ a: [1, 2], b: 3 }` is two sets of values. */
function combinations(vars: Readonly<Record<string, unknown>>): Record<string, unknown>[] {
  let all: Record<string, unknown>[] = [{}];
  for (const [name, value] of Object.entries(vars)) {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    all = all.flatMap((one) => values.map((item) => ({ ...one, [name]: item })));
  }
  return all;
}

interface WrittenChecks {
  source: Source;
  path: SourcePath;
  values: readonly unknown[];
}

type Translated = Extract<ImportedAssertion, { ok: true }>;

/** Null for one that is lost. `isFirst`: a remark about an assertion is told once, however many tests it becomes part of. */
function assertionsOf(
  { source, path, values: assertions }: WrittenChecks,
  values: Readonly<Record<string, unknown>>,
  { remarks, readBeside, isFirst }: { remarks: Remarks; readBeside: ReadBeside; isFirst: boolean },
): (Translated | null)[] {
  return assertions.map((assertion, index) => {
    const translated = translateAssertion(assertion, { values, readBeside });
    const tell = (message: string) => (isFirst ? remarks.add(source, [...path, index], message) : undefined);
    if (!translated.ok) {
      tell(translated.reason);
      return null;
    }
    const { leftOut } = translated;
    if (leftOut.length > 0) tell(`${translated.type} is translated without ${leftOut.join(', ')}`);
    return translated;
  });
}

/** What all tests have in common: defaults that none of them changes, and values that are equal in each of several. */
export function commonValues(tests: readonly ImportedTest[], defaults: unknown): Record<string, unknown> {
  const byDefault = Test.safeParse(defaults ?? {}).data?.vars ?? {};
  const [first, ...others] = tests;
  const isShared = ([name, value]: [string, unknown]): boolean =>
    (others.length > 0 || Object.hasOwn(byDefault, name)) &&
    others.every(({ values }) => JSON.stringify(values[name]) === JSON.stringify(value));
  return Object.fromEntries(Object.entries(first?.values ?? {}).filter(isShared));
}

/** A suite file of 4 MB is read and no longer one; files that many tests name would soon fill it. */
const mostText = 3_000_000;

export interface ImportedCase {
  name: string;
  input: string;
  messages?: ImportedPrompt['messages'];
  literal?: true;
  status?: 'draft';
  metadata?: Record<string, unknown>;
  expected_behavior: { checks: ImportedCheck[] };
}

/** Whoever answers: a model gets the prompt in its parts, all else gets it whole. */
interface Answering {
  isModel: boolean;
  /** By which tests may name it. */
  names: readonly string[];
}

/** The tests as cases of one prompt. What asserts nothing is asked all the same; what has lost all that it asserts is a draft. */
export function casesOf(
  tests: readonly ImportedTest[],
  prompt: ImportedPrompt,
  { remarks, answering }: { remarks: Remarks; answering: Answering },
): ImportedCase[] {
  let written = 0;
  return tests.filter(isAskedOf(prompt, answering)).flatMap((test) => {
    const said = saidIn(test, prompt, answering);
    const length = said.ok ? said.texts.join('').length : 0;
    written += length;
    const why = said.ok ? (written > mostText ? 'its suite would be longer than 3 MB' : undefined) : said.reason;
    if (!said.ok || why !== undefined) {
      remarks.add(test.source, test.path, `no case of prompt ${prompt.name}: ${why}`);
      return [];
    }
    return [caseOf(test, said.texts, { prompt, answering, remarks })];
  });
}

const isAskedOf =
  ({ ids }: ImportedPrompt, { names }: Answering) =>
  ({ prompts, providers }: ImportedTest): boolean =>
    (prompts?.some((one) => ids.includes(one)) ?? true) && (providers?.some((one) => names.includes(one)) ?? true);

/** What is said, message after message. */
function saidIn(
  { values, lost }: ImportedTest,
  prompt: ImportedPrompt,
  { isModel }: Answering,
): { ok: true; texts: string[] } | { ok: false; reason: string } {
  const templates = isModel ? [...prompt.messages.map(({ content }) => content), prompt.input] : [prompt.whole];
  const missing = lost.find((name) => templates.some((text) => namesIn(text).includes(name)));
  if (missing !== undefined) return { ok: false, reason: `the value of ${missing} is left out` };
  const filled = templates.map((text) => renderTemplate(text, values));
  const broken = filled.find((one) => !one.ok);
  if (broken?.ok === false) return broken;
  const texts = filled.flatMap((one) => (one.ok ? one.text : []));
  if (texts.some((text) => unreadable.test(text))) return { ok: false, reason: 'it holds a control character' };
  return texts.every((text) => /\S/.test(text))
    ? { ok: true, texts }
    : { ok: false, reason: 'a message of it is empty' };
}

/** What no definition file may hold. */
const unreadable = /(?![\t\n\r])\p{Cc}|\p{Cs}/u;

/** Every word in the places and commands of a template. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/\{[{%]([^}]*)\}/g)].flatMap(([, inner = '']) => inner.split(/\W+/));

interface Telling {
  prompt: ImportedPrompt;
  answering: Answering;
  remarks: Remarks;
}

function caseOf(test: ImportedTest, said: readonly string[], { prompt, answering, remarks }: Telling): ImportedCase {
  const { name, checks, isCut, metadata, source, path } = test;
  const isDraft = checks.length === 0 && isCut;
  if (isDraft) remarks.add(source, path, 'nothing that it asserts is translated: the case is a draft');
  else if (checks.length === 0) remarks.note(source, path, 'it asserts nothing: the case asks for any answer');
  const expected = checks.length === 0 ? [anything] : checks;
  const messages = prompt.messages.map(({ role }, at) => ({ role, content: said[at] ?? '' }));
  return {
    name,
    ...(answering.isModel && messages.length > 0 ? { messages } : {}),
    input: said.at(-1) ?? '',
    ...(JSON.stringify([said, expected]).includes('{{') ? { literal: true as const } : {}),
    ...(isDraft ? { status: 'draft' as const } : {}),
    ...(metadata === undefined ? {} : { metadata }),
    expected_behavior: { checks: expected },
  };
}

/** A case has to expect something. */
const anything: ImportedCheck = { type: 'length', min: 1 };

/** A name is one line. */
export const oneLine = (text: string): string =>
  text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 200);

function unique(names: Map<string, number>, name: string): string {
  const count = (names.get(name) ?? 0) + 1;
  names.set(name, count);
  return count === 1 ? name : `${name} (${count})`;
}

interface Place {
  source: Source;
  /** Where the values stand. */
  path: SourcePath;
  readBeside: ReadBeside;
  remarks: Remarks;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * The values of a test with the texts of the files that they name. A value that names what is not read is left out and
 * told: a question must not hold the name of a file where its text belongs.
 */
function readValues(values: Values, place: Place): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const path = [...place.path, name];
    if (!Array.isArray(value)) {
      const [read] = readValue(value, { ...place, path });
      if (read !== undefined) found[name] = read.value;
      continue;
    }
    const read = value.flatMap((item: unknown, at) => readValue(item, { ...place, path: [...path, at] }));
    if (read.length > 0) found[name] = read.map((item) => item.value);
  }
  return found;
}

const program = /\.(?:[cm]?[jt]s|py|rb|sh)(?::\w+)?$/;

/** None when it names a file that is not read. */
function readValue(value: unknown, place: Place): { value: unknown }[] {
  const { source, path, readBeside, remarks } = place;
  const refuse = (message: string): [] => {
    remarks.add(source, path, message);
    return [];
  };
  if (typeof value !== 'string') {
    const isNested = JSON.stringify(value ?? null).includes('"file://');
    return isNested ? refuse('the value is left out: it names a file inside of a list or an object') : [{ value }];
  }
  if (!value.startsWith('file://')) return [{ value }];
  const file = value.slice('file://'.length);
  if (program.test(file)) return refuse(`the value is left out: ${file} is a program`);
  if (/[*?[\]{}]/.test(file))
    return refuse(`the value is left out: ${file} means many files, only single ones are read`);
  const beside = readBeside(file);
  if (!beside.ok) return refuse(`the value is left out: ${file}: ${beside.reason}`);
  if (!/\.ya?ml$/.test(file)) return [{ value: beside.text }];
  // A YAML file goes into a prompt as JSON.
  const read = readSource(file, beside.text);
  return read.ok ? [{ value: JSON.stringify(read.source.value) }] : refuse(`the value is left out: ${read.message}`);
}
