import { z } from 'zod';
import { fillIn, type ReadBeside, type Remarks, readSource, type Source, type SourcePath } from './source.ts';
import { type ImportedCheck, translateAssertion } from './translate-assertion.ts';
import type { ImportedPrompt } from './translate-prompt.ts';

/** A test with one combination of its values, before it meets a prompt. */
export interface ImportedTest {
  name: string;
  values: Record<string, unknown>;
  checks: ImportedCheck[];
  source: Source;
  path: SourcePath;
}

const Test = z.looseObject({
  description: z.string().optional(),
  vars: z.record(z.string(), z.unknown()).optional(),
  assert: z.array(z.unknown()).optional(),
});
type Test = z.infer<typeof Test>;

interface Reading {
  source: Source;
  readBeside: ReadBeside;
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
  const base = Test.safeParse(defaults ?? {});
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
    const name = (parsed.data.description ?? '').trim() || `Test ${index + 1}`;
    const place = { source: written.source, path: [...written.path, 'vars'], readBeside, remarks };
    const all = combinations({
      ...withoutOwn(sharedValues, parsed.data),
      ...readValues(parsed.data.vars ?? {}, place),
    });
    return all.map((values, at) => ({
      name: unique(names, all.length === 1 ? name : `${name} (${at + 1})`),
      values,
      checks: [defaultChecks, own].flatMap((list) => checksOf(list, values, { remarks, isFirst: at === 0 })),
      source: written.source,
      path: written.path,
    }));
  });
}

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

function testsOfFile(named: string, path: SourcePath, { source, readBeside, remarks }: Reading): WrittenTest[] {
  const file = named.replace(/^file:\/\//, '');
  const refuse = (why: string): [] => {
    remarks.add(source, path, `tests of ${file}: ${why}`);
    return [];
  };
  if (!/\.(ya?ml|json)$/.test(file) || file.includes('*')) return refuse('only single YAML and JSON files are read');
  const beside = readBeside(file);
  if (!beside.ok) return refuse(beside.reason);
  const read = readSource(file, beside.text);
  if (!read.ok) return refuse(read.message);
  const list = read.source.value;
  const items: unknown[] = Array.isArray(list) ? list : [list];
  return items.map((item, at) => ({ source: read.source, path: [at], value: item }));
}

function tellOthers(
  test: Test,
  { source, path, remarks }: { source: Source; path: SourcePath; remarks: Remarks },
): void {
  for (const key of Object.keys(test)) {
    if (key === 'description' || key === 'vars' || key === 'assert') continue;
    remarks.add(source, [...path, key], `${key} has no counterpart`);
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

/** `isFirst`: a remark about an assertion is told once, however many tests it becomes part of. */
function checksOf(
  { source, path, values: assertions }: WrittenChecks,
  values: Readonly<Record<string, unknown>>,
  { remarks, isFirst }: { remarks: Remarks; isFirst: boolean },
): ImportedCheck[] {
  return assertions.flatMap((assertion, index) => {
    const translated = translateAssertion(assertion, values);
    const tell = (message: string) => (isFirst ? remarks.add(source, [...path, index], message) : undefined);
    if (!translated.ok) {
      tell(translated.reason);
      return [];
    }
    const { check, leftOut } = translated;
    if (leftOut.length > 0) tell(`${translated.type} is translated without ${leftOut.join(', ')}`);
    return [check];
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

/** The tests as cases of one prompt. What has nothing that can be checked is a draft. */
export function casesOf(tests: readonly ImportedTest[], { name: promptName, input }: ImportedPrompt, remarks: Remarks) {
  let written = 0;
  return tests.flatMap(({ name, values, checks, source, path }) => {
    const filled = fillIn(input, values);
    if (!filled.ok) {
      remarks.add(source, path, `no case of prompt ${promptName}: ${filled.reason}`);
      return [];
    }
    written += filled.text.length;
    if (written > mostText) {
      remarks.add(source, path, `no case of prompt ${promptName}: its suite would be longer than 3 MB`);
      return [];
    }
    if (checks.length === 0) remarks.add(source, path, 'nothing that it asserts is translated: the case is a draft');
    const isLiteral = JSON.stringify([filled.text, checks]).includes('{{');
    return [
      {
        name,
        input: filled.text,
        ...(isLiteral ? { literal: true } : {}),
        ...(checks.length === 0
          ? { status: 'draft', expected_behavior: { checks: [anything] } }
          : { expected_behavior: { checks } }),
      },
    ];
  });
}

/** A case has to expect something. */
const anything = { type: 'length', min: 1 };

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
