import { z } from 'zod';
import type { BridgeFile } from './bridge-files.ts';
import { freeNames } from './free-names.ts';
import { copiedSecret, secretsIn } from './hide-secrets.ts';
import { type ImportedCheck, isMetric } from './imported-check.ts';
import type { OutputShape } from './imported-provider.ts';
import { tellCopied } from './provider-secrets.ts';
import { Test, type TestsBeside, testsOfScenarios, writtenTests } from './read-tests.ts';
import { type ListBeside, type ReadBeside, type Remarks, readSource, type Source, type SourcePath } from './source.ts';
import { grouped, type ImportedAssertion, translateAssertion } from './translate-assertion.ts';

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
  /** Whatever compares by meaning, where an assertion says it; undefined: what judges may say it. */
  embedding: unknown;
  metadata: Record<string, unknown> | undefined;
  /** Only these prompts and providers; undefined: all. */
  prompts: string[] | undefined;
  providers: string[] | undefined;
  files: BridgeFile[];
  source: Source;
  path: SourcePath;
}

const translatedKeys = new Set(Object.keys(Test.shape));

/** What a test is answered is a value of those behind it. */
const Storing = z.looseObject({ options: z.looseObject({ storeOutputAs: z.string() }) });

/** Every test with its defaults; a list of values for a variable makes a test of each. */
export function translateTests(
  { tests, scenarios }: { tests?: unknown; scenarios?: unknown },
  defaults: unknown,
  reading: TestsBeside & { shape: OutputShape | null },
): ImportedTest[] {
  const { source, remarks, readBeside, listBeside, shape } = reading;
  const base = Test.safeParse(defaultsOf(defaults, reading) ?? {});
  if (!base.success) remarks.add(source, ['defaultTest'], 'defaultTest has a form that is not known');
  const shared: Test = base.data ?? {};
  tellOthers(shared, { source, path: ['defaultTest'], remarks });
  const defaultChecks = { source, path: ['defaultTest', 'assert'], values: shared.assert ?? [] };
  const sharedValues = readValues(shared.vars ?? {}, { ...reading, path: ['defaultTest', 'vars'] });
  const freeName = freeNames((name, number) => `${name} (${number})`);
  const all = [...writtenTests(tests, reading), ...testsOfScenarios(scenarios, reading)];
  const stored = all.flatMap(({ value }) => Storing.safeParse(value).data?.options.storeOutputAs ?? []);
  return all.flatMap((written, index) => {
    const parsed = Test.safeParse(written.value);
    if (!parsed.success) {
      remarks.add(written.source, written.path, 'the test has a form that is not known');
      return [];
    }
    tellOthers(parsed.data, { ...written, remarks });
    const own = { source: written.source, path: [...written.path, 'assert'], values: parsed.data.assert ?? [] };
    const name = oneLine(parsed.data.description ?? '') || `Test ${index + 1}`;
    const place = { source: written.source, path: [...written.path, 'vars'], readBeside, listBeside, remarks };
    const transform = parsed.data.options?.transform ?? shared.options?.transform;
    const given = { ...withoutOwn(sharedValues, parsed.data), ...readValues(parsed.data.vars ?? {}, place) };
    const sets = combinations(given, { ...shared.options, ...parsed.data.options }.disableVarExpansion !== true);
    const withDefaults = parsed.data.options?.disableDefaultAsserts === true ? [own] : [defaultChecks, own];
    tellUnseen(transform, withDefaults, { ...written, remarks });
    return sets.map(withinEachOther).map((values, at) => {
      const lost = [...Object.keys({ ...shared.vars, ...parsed.data.vars }), ...stored].filter(
        (key) => !Object.hasOwn(values, key),
      );
      const found = withDefaults.flatMap((list) =>
        assertionsOf(list, values, { remarks, readBeside, isFirst: at === 0, shape, transform, lost }),
      );
      // What has no weight is a number for people, and fails nothing.
      const translated = found.flatMap((one) => (one === null || one.weight === 0 ? [] : one));
      const named = (isEmbedder: boolean): unknown[] =>
        translated.flatMap(({ type, judge }) =>
          judge !== undefined && /similar$/.test(type) === isEmbedder ? [judge] : [],
        );
      const [judges, embedders] = [named(false), named(true)];
      const threshold = parsed.data.threshold ?? shared.threshold;
      return {
        name: freeName(sets.length === 1 ? name : `${name} (${at + 1})`),
        values,
        lost,
        checks: weighed(translated, threshold, (message) => remarks.add(written.source, written.path, message)),
        isCut: found.includes(null),
        judge: judges[0] ?? parsed.data.options?.provider ?? shared.options?.provider ?? sharedProvider(defaults),
        embedding: embedders[0],
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

/** All of them, or enough of them by their weight; a least score of a judge counts by itself. */
function weighed(
  translated: readonly Translated[],
  threshold: number | undefined,
  tell: (message: string) => void,
): ImportedCheck[] {
  const checks = translated.map(({ check }) => check);
  const inGroup = translated.filter(({ check }) => !isMetric(check));
  if (threshold === undefined || inGroup.length === 0) return checks;
  const apart = checks.filter(isMetric);
  if (apart.length > 0) tell('threshold: a least score of a judge cannot be weighed with checks, it counts by itself');
  return [grouped(inGroup, threshold), ...apart];
}

/** `defaultTest` may stand in a file of its own. */
function defaultsOf(defaults: unknown, { readBeside }: TestsBeside): unknown {
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

/** What of the options of a test decides nothing here. */
const housekeeping = new Set([
  'disableVarExpansion',
  'disableDefaultAsserts',
  'disableConversationVar',
  'provider',
  'repeat',
  // Told where an assertion cannot do with it.
  'transform',
  // Slips: promptfoo reads neither of them.
  'providers',
  'includeMetrics',
]);

function tellOthers(
  test: Test,
  { source, path, remarks }: { source: Source; path: SourcePath; remarks: Remarks },
): void {
  for (const key of Object.keys(test)) {
    // That of defaultTest judges; that of a test would answer in the place of all others.
    if (!translatedKeys.has(key) && !(key === 'provider' && path[0] === 'defaultTest'))
      remarks.add(source, [...path, key], `${key} has no counterpart`);
  }
  for (const key of Object.keys(test.options ?? {})) {
    if (!housekeeping.has(key)) remarks.add(source, [...path, 'options', key], `options.${key} has no counterpart`);
  }
}

function tellUnseen(
  transform: unknown,
  lists: readonly WrittenChecks[],
  { source, path, remarks }: { source: Source; path: SourcePath; remarks: Remarks },
): void {
  if (transform !== undefined && lists.every(({ values }) => values.length === 0))
    remarks.note(source, path, 'its transform is not run: nothing looks at what it makes');
}

/** `{ a: [x, y], b: z }` is two sets of values. A list of anything but texts is one value, as promptfoo has it. */
function combinations(vars: Readonly<Record<string, unknown>>, isExpanded: boolean): Record<string, unknown>[] {
  let all: Record<string, unknown>[] = [{}];
  for (const [name, value] of Object.entries(vars)) {
    const values: unknown[] = isExpanded && Array.isArray(value) && typeof value[0] === 'string' ? value : [value];
    all = all.flatMap((one) => values.map((item) => ({ ...one, [name]: item })));
  }
  return all;
}

/** A value may name others: what stands there is put in their place, as promptfoo does. */
function withinEachOther(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values = { ...given };
  for (let round = 0; round < 5; round += 1)
    for (const [name, value] of Object.entries(values))
      if (typeof value === 'string') values[name] = withNamed(value, values, name);
  return values;
}

/** A value with the first other one that it names; an object is named by its parts alone. */
function withNamed(value: string, values: Readonly<Record<string, unknown>>, own: string): string {
  const [place = '', inner = ''] = /\{\{\s*(\w+)\s*\}\}/.exec(value) ?? [];
  if (inner === '' || inner === own || !Object.hasOwn(values, inner)) return value;
  const other = values[inner];
  return typeof other === 'object'
    ? value
    : value.replace(place, () => (typeof other === 'string' ? other : JSON.stringify(other)));
}

interface WrittenChecks {
  source: Source;
  path: SourcePath;
  values: readonly unknown[];
}

type Translated = Extract<ImportedAssertion, { ok: true }>;

interface ToldOnce {
  remarks: Remarks;
  isFirst: boolean;
}

/** What is taken over of an assertion; settings of a judge are told by themselves. */
const writtenIn = (assertion: unknown): string =>
  JSON.stringify(assertion, (key, inner: unknown) => (key === 'provider' ? undefined : inner)).replaceAll('\\"', '"');

/** Null for one that is lost. `isFirst`: a remark about an assertion is told once, however many tests it becomes part of. */
function assertionsOf(
  { source, path, values: assertions }: WrittenChecks,
  values: Readonly<Record<string, unknown>>,
  { remarks, isFirst, ...within }: Omit<Parameters<typeof translateAssertion>[1], 'values'> & ToldOnce,
): (Translated | null)[] {
  return assertions.map((assertion, index) => {
    const translated = translateAssertion(assertion, { values, ...within });
    const tell = (message: string) => (isFirst ? remarks.add(source, [...path, index], message) : undefined);
    if (!translated.ok) {
      tell(translated.reason);
      return null;
    }
    if (translated.type === 'cost' && isFirst)
      remarks.note(source, [...path, index], 'cost: prices are not imported: give each AI configuration its `price`');
    const written = [{ path: translated.type, text: writtenIn(assertion) }, ...translated.files];
    tellCopied(written, { source, path: [...path, index], remarks });
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

/** A name is one line. */
export const oneLine = (text: string): string =>
  text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 200);

interface Place {
  source: Source;
  /** Where the values stand. */
  path: SourcePath;
  readBeside: ReadBeside;
  listBeside: ListBeside;
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
      const read = readValue(value, { ...place, path });
      if (read.length > 0) found[name] = read.length === 1 ? read[0]?.value : read.map((item) => item.value);
      continue;
    }
    const read = value.flatMap((item: unknown, at) => readValue(item, { ...place, path: [...path, at] }));
    if (read.length > 0) found[name] = read.map((item) => item.value);
  }
  tellSecretValues(found, place);
  return found;
}

function tellSecretValues(values: Values, { source, path, remarks }: Place): void {
  for (const inside of secretsIn(values))
    remarks.note(source, [...path, ...inside], `${inside.join('.')}: ${copiedSecret}`);
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
  // The line break that a block of YAML ends with is no part of it, as promptfoo has it.
  if (!value.startsWith('file://')) return [{ value: value.replace(/\n$/, '') }];
  const file = value.slice('file://'.length);
  if (program.test(file)) return refuse(`the value is left out: ${file} is a program`);
  if (/[*?[\]{}]/.test(file)) {
    const found = place.listBeside(file.replace(/^\.\//, ''));
    if (found.length === 0) return refuse(`the value is left out: ${file}: no file fits`);
    return found.flatMap((one) => readValue(`file://${one}`, place));
  }
  const beside = readBeside(file);
  if (!beside.ok) return refuse(`the value is left out: ${file}: ${beside.reason}`);
  if (!/\.ya?ml$/.test(file)) return [{ value: beside.text.trim() }];
  // A YAML file goes into a prompt as JSON.
  const read = readSource(file, beside.text);
  return read.ok ? [{ value: JSON.stringify(read.source.value) }] : refuse(`the value is left out: ${read.message}`);
}
