import { createHash } from 'node:crypto';
import { z } from 'zod';
import { measuringOf } from './choose-measuring.ts';
import { freeNames } from './free-names.ts';
import { nameSecrets } from './hide-secrets.ts';
import type { ImportedCheck } from './imported-check.ts';
import type { ImportedProvider, OutputShape } from './imported-provider.ts';
import { casesOrRows, yaml } from './list-cases.ts';
import {
  collectRemarks,
  type ListBeside,
  type ReadBeside,
  type Remarks,
  type Source,
  type Untranslated,
} from './source.ts';
import {
  type ImportedPrompt,
  settingsOfPrompts,
  settledPrompt,
  tellSplit,
  translatePrompt,
} from './translate-prompt.ts';
import { textsOfProviders, type translateEmbedding, translateProviders } from './translate-provider.ts';
import { commonValues, type ImportedTest, oneLine, translateTests } from './translate-tests.ts';
import { casesOf, type ImportedCase, isMeant, type KeepPicture } from './write-cases.ts';

/** A configuration of promptfoo as files of ours, by path, and everything of it that is not in them. */
export type Translated =
  | { ok: true; files: Map<string, string | Buffer>; remarks: Untranslated[] }
  | { ok: false; message: string; remarks: Untranslated[] };

const Config = z.looseObject({
  description: z.string().optional(),
  prompts: z.unknown().optional(),
  providers: z.unknown().optional(),
  targets: z.unknown().optional(),
  tests: z.unknown().optional(),
  scenarios: z.unknown().optional(),
  defaultTest: z.unknown().optional(),
  evaluateOptions: z.record(z.string(), z.unknown()).default({}),
});
const translatedKeys = new Set(Object.keys(Config.shape));

/** What of a configuration says nothing about answers and verdicts. */
const bookkeeping =
  /^(?:x-.*|\$schema|tags|metadata|outputPath|sharing|tracing|env|commandLineOptions|writeLatestResults|outputs|derivedMetrics)$/;

interface Folder {
  readBeside: ReadBeside;
  listBeside: ListBeside;
}

function tellOthers(config: z.infer<typeof Config>, { source, remarks }: { source: Source; remarks: Remarks }): void {
  for (const key of Object.keys(config)) {
    // What is named by `$ref` stands where it is named.
    if (translatedKeys.has(key) || key === 'assertionTemplates') continue;
    const tell = bookkeeping.test(key) ? remarks.note : remarks.add;
    tell(source, [key], `${key} has no counterpart`);
  }
}

/** Translates what can be said here; everything else is a remark with its line. */
export function translateConfig(source: Source, { readBeside, listBeside }: Folder): Translated {
  const remarks = collectRemarks();
  const parsed = Config.safeParse(withReferences(source.value));
  if (!parsed.success) return { ok: false, message: `${source.file} is no configuration of promptfoo`, remarks: [] };
  const config = parsed.data;
  tellOthers(config, { source, remarks });
  const providersKey = config.providers === undefined ? 'targets' : 'providers';
  const entries = listOf(config[providersKey]);
  const nameSecret = nameSecrets([source.value, textsOfProviders(entries, readBeside)]);
  const reading = { source, readBeside, listBeside, remarks, nameSecret };
  const overrides = settingsOfPrompts(listOf(config.prompts), reading);
  const providers = unique(
    entries.flatMap((value, at) => translateProviders(value, { ...reading, overrides, path: [providersKey, at] })),
  );
  // What an assertion is shown depends on whoever answers.
  const shapes = new Set(providers.map(shapeOf));
  const byShape = new Map(
    [...shapes].map((shape) => [shape, translateTests(config, config.defaultTest, { ...reading, shape })]),
  );
  const tests = [...byShape.values()][0] ?? [];
  const common = commonValues(tests, config.defaultTest);
  const prompts = unique(
    listOf(config.prompts).flatMap((value, at) => translatePrompt(['prompts', at], value, { ...reading, common })),
  ).map((prompt) => settledPrompt(prompt, tests[0]?.values));
  const missing = whatIsMissing({ providers, prompts, tests });
  if (missing !== undefined) return { ok: false, message: missing, remarks: inOrder(remarks) };
  const options = optionsOf(config.evaluateOptions, source, remarks);
  const name = oneLine(config.description ?? '') || 'Imported';
  const measuring = measuringOf(tests, { ...reading, path: ['defaultTest', 'options', 'provider'] });
  const [first] = providers;
  if (measuring.judge === null && first?.kind === 'model' && tests.some(({ checks }) => asksJudge(checks)))
    remarks.note(
      source,
      [providersKey],
      `${first.name} judges: promptfoo would choose a grader itself; name yours as \`judge\``,
    );
  if (providers.some(({ kind }) => kind === 'model')) tellSplit(prompts, { source, remarks });
  const files = filesOf({ name, providers, prompts, byShape, options, remarks, ...measuring });
  if (files.size > 0) return { ok: true, files, remarks: inOrder(remarks) };
  const message = 'No test makes a case of any prompt, so that there is no suite to write.';
  return { ok: false, message, remarks: inOrder(remarks) };
}

function whatIsMissing({
  providers,
  prompts,
  tests,
}: Pick<Parts, 'providers' | 'prompts'> & { tests: readonly ImportedTest[] }): string | undefined {
  if (providers.length === 0) return 'No provider can be translated, so that there is no agent to test.';
  if (prompts.length === 0) return 'No prompt can be translated, so that there is no agent to test.';
  return tests.length === 0 ? 'There are no tests that can be translated.' : undefined;
}

const shapeOf = (provider: ImportedProvider): OutputShape | null => (provider.kind === 'model' ? provider.shape : null);

/** `{ $ref: '#/assertionTemplates/polite' }` is what stands there. */
function withReferences(root: unknown, value: unknown = root, depth = 0): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withReferences(root, item, depth));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...own }: Record<string, unknown> = { ...value };
  const rest = Object.fromEntries(Object.entries(own).map(([key, inner]) => [key, withReferences(root, inner, depth)]));
  if ($ref === undefined) return rest;
  const named = typeof $ref === 'string' && depth < mostReferences ? valueAt(root, $ref) : undefined;
  const found = withReferences(root, named, depth + 1);
  return typeof found === 'object' && found !== null ? { ...found, ...rest } : { $ref, ...rest };
}

/** One that leads back to itself ends here. */
const mostReferences = 10;

function valueAt(root: unknown, pointer: string): unknown {
  let value: unknown = pointer.startsWith('#/') ? root : undefined;
  for (const key of pointer.slice(2).split('/')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Object.entries(value).find(([name]) => name === key)?.[1];
  }
  return value;
}

/** By file and line; files in the order in which they were read. */
function inOrder({ all }: Remarks): Untranslated[] {
  const files = [...new Set(all.map(({ file }) => file))];
  return all.toSorted((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line);
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);

/** Two with the same name get a number. */
function unique<Item extends { name: string }>(items: readonly Item[]): Item[] {
  const freeName = freeNames((name, number) => `${name}-${number}`);
  return items.map((item) => ({ ...item, name: freeName(item.name) }));
}

interface Options {
  repetitions?: number;
  concurrency?: number;
}

function optionsOf(given: Readonly<Record<string, unknown>>, source: Source, remarks: Remarks): Options {
  const known: Record<string, keyof Options> = { repeat: 'repetitions', maxConcurrency: 'concurrency' };
  const found: Options = {};
  for (const [key, value] of Object.entries(given)) {
    const to = Object.hasOwn(known, key) ? known[key] : undefined;
    const number = z.int().min(1).max(100).safeParse(value);
    if (to !== undefined && number.success) found[to] = number.data;
    else remarks.add(source, ['evaluateOptions', key], `evaluateOptions.${key} has no counterpart`);
  }
  return found;
}

interface Parts {
  name: string;
  providers: readonly ImportedProvider[];
  prompts: readonly ImportedPrompt[];
  /** The tests as whoever answers makes them. */
  byShape: ReadonlyMap<OutputShape | null, readonly ImportedTest[]>;
  options: Options;
  remarks: Remarks;
  judge: ImportedProvider | null;
  embedding: ReturnType<typeof translateEmbedding>;
}

type Model = Extract<ImportedProvider, { kind: 'model' }>;

/** Who answers in one suite: models with the same agent, cell by cell, or one agent of another kind. */
interface Side {
  title: string;
  models: readonly Model[];
  agent: Extract<ImportedProvider, { kind: 'agent' }> | null;
  names: readonly string[];
  shape: OutputShape | null;
  /** Only these, by what they are called; undefined: all. */
  prompts: readonly string[] | undefined;
}

/** Models that differ only in their settings are cells of one matrix: their agent is the same, and so are their tests. */
function sidesOf(providers: readonly ImportedProvider[], tests: readonly ImportedTest[]): Side[] {
  const models = providers.filter((one) => one.kind === 'model');
  const agents = providers.filter((one) => one.kind === 'agent');
  const namesOf = (all: readonly ImportedProvider[]) => all.flatMap(({ id, label, name }) => [id, label ?? name, name]);
  const alike = [
    ...Map.groupBy(models, (model) => {
      const { tools, instructions, prompts, shape } = model;
      const asked = tests.map((test) => test.providers?.some((one) => isMeant(one, namesOf([model]))) ?? true);
      return JSON.stringify([tools, instructions, prompts, shape, asked]);
    }).values(),
  ];
  const isOnly = alike.length + agents.length === 1;
  return [
    ...alike.map((group) => ({
      title: isOnly || (agents.length > 0 && alike.length === 1) ? '' : group.map(({ name }) => name).join(' and '),
      ...{
        models: group,
        agent: null,
        names: namesOf(group),
        prompts: group[0]?.prompts,
        shape: group[0]?.shape ?? null,
      },
    })),
    ...agents.map((agent) => ({
      title: isOnly ? '' : agent.name,
      ...{ models: [], agent, names: namesOf([agent]), prompts: agent.prompts, shape: null },
    })),
  ];
}

/** Of a suite, with room for a number: a name has at most 255 characters. */
const mostName = 240;

/** Judges where no other model is named, as promptfoo does. */
const usualJudge = { name: 'judge', provider: 'openai', model: 'gpt-4.1' };
const usualEmbedding = { name: 'text-embeddings', provider: 'openai', model: 'text-embedding-3-large' };

function filesOf(parts: Parts): Map<string, string | Buffer> {
  const { name, providers, prompts, byShape, options, remarks, judge, embedding } = parts;
  const files = new Map<string, string>();
  const sides = sidesOf(providers, [...byShape.values()][0] ?? []);
  const models = sides.flatMap((side) => side.models);
  const judging = judge?.kind === 'model' ? judge : null;
  const pairs = prompts.flatMap((prompt) =>
    sides
      .filter((side) => side.prompts?.some((one) => prompt.ids.includes(one) || prompt.name === one) ?? true)
      .map((side) => ({ prompt, side })),
  );
  const values = new Map<string, Record<string, unknown>>();
  const pictures = new Map<string, Buffer>();
  const keepPicture: KeepPicture = (mediaType, bytes) => {
    const path = `images/${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.${mediaType.replace(/^.*\//, '')}`;
    pictures.set(path, bytes);
    return path;
  };
  const freeName = freeNames((slug, number) => `${slug}-${number}`);
  const freeTitle = freeNames((title, number) => `${title} (${number})`);
  for (const { prompt, side } of pairs) {
    const slug = freeName(slugOf(`${prompt.name} ${side.title}`));
    const answering = { isModel: side.agent === null, names: side.names, reads: side.agent?.reads ?? null };
    const tests = byShape.get(side.shape) ?? [];
    const cases = casesOf(tests, prompt, { remarks, answering, keepPicture });
    if (cases.length === 0) continue;
    keepValues(values, { tests, cases, side, remarks });
    const title = [name, titleOf(prompt, side, prompts.length === 1)].filter((part) => part !== '').join(': ');
    const suiteName = freeTitle(title.slice(0, mostName));
    addSuite(files, {
      ...{ slug, prompt, side, cases },
      settings: {
        name: suiteName,
        options: { ...options, judge: judgeNameFor(side, judging), embedding: embedding?.name ?? usualEmbedding.name },
      },
    });
  }
  if (files.size === 0) return files;
  const bridges = [
    ...[...byShape.values()].flat().flatMap((test) => test.files),
    ...sides.flatMap(({ agent }) => agent?.files ?? []),
  ];
  const project = {
    suites: ['evals/*.suite.yaml'],
    ai_configurations: {
      ...configurationsOf(models, judging, [...files.values()]),
      ...(embedding === null || !isNamedIn([...files.values()], embedding.name)
        ? {}
        : { [embedding.name]: embedding.model }),
    },
    ...(options.concurrency === undefined ? {} : { limits: { concurrency: options.concurrency } }),
  };
  return new Map<string, string | Buffer>([
    ['proofmark.yaml', yaml(project)],
    ...files,
    ...pictures,
    ...bridges.map(({ path, text }) => [path, text] as const),
    ...[...values].map(([path, known]) => [path, `${JSON.stringify(known, null, 2)}\n`] as const),
  ]);
}

interface ToKeep {
  tests: readonly ImportedTest[];
  cases: readonly ImportedCase[];
  side: Side;
  remarks: Remarks;
}

/** The values of tests for a provider that reads them, by the prompt: it is told nothing else of the test. */
function keepValues(known: Map<string, Record<string, unknown>>, { tests, cases, side, remarks }: ToKeep): void {
  const path = side.agent?.reads?.path;
  if (path === undefined) return;
  const byName = new Map(tests.map((test) => [test.name, test]));
  const own = known.get(path) ?? {};
  for (const { name, input } of cases) {
    const test = byName.get(name);
    if (test === undefined || input === undefined) continue;
    const isOther = Object.hasOwn(own, input) && JSON.stringify(own[input]) !== JSON.stringify(test.values);
    if (isOther)
      remarks.add(
        test.source,
        test.path,
        'its provider reads values that another test with the same prompt has otherwise',
      );
    else own[input] = test.values;
  }
  known.set(path, own);
}

const titleOf = ({ name }: ImportedPrompt, { title }: Side, isOnly: boolean): string =>
  [isOnly ? '' : name, title].filter((part) => part !== '').join(', ');

interface ToAdd {
  slug: string;
  prompt: ImportedPrompt;
  side: Side;
  cases: readonly ImportedCase[];
  settings: { name: string; options: Options & { judge: string; embedding: string } };
}

function addSuite(files: Map<string, string>, { slug, prompt, side, cases: given, settings }: ToAdd): void {
  const { metrics, cases } = namedMetrics(given);
  const agent = `agents/${slug}.agent.yaml`;
  files.set(agent, yaml(agentOf(prompt, side)));
  files.set(
    `evals/${slug}.suite.yaml`,
    yaml({
      name: settings.name,
      agent: `../${agent}`,
      ...suiteSettings(given, side, settings.options),
      ...(metrics.length === 0 ? {} : { evaluations: { metrics } }),
      ...casesOrRows(cases, slug, files),
    }),
  );
}

/** Each distinct metric once, by a name of its own; a case names those that count for it. */
function namedMetrics(given: readonly ImportedCase[]) {
  const known = new Map<string, Record<string, unknown>>();
  const nameOf = ({ type, ...measure }: ImportedCheck): string => {
    const key = JSON.stringify([type, measure]);
    const found = known.get(key) ?? {
      type,
      name: `${type === 'rag' ? 'relevancy' : 'rubric'} ${known.size + 1}`,
      ...measure,
    };
    known.set(key, found);
    return String(found.name);
  };
  const named = given.map(({ measures = [], ...one }) => ({ ...one, evaluations: measures.map(nameOf) }));
  const metrics = [...known.values()];
  const cases = metrics.length === 0 ? named.map(({ evaluations: _none, ...one }) => one) : named;
  return { metrics, cases };
}

const judgeNameFor = ({ models: [first] }: Side, judging: Model | null): string =>
  judging === null ? (first?.name ?? usualJudge.name) : judgeNameOf(judging);

const judgeNameOf = ({ name }: Model): string => `judge ${name}`;

const isNamedIn = (texts: readonly string[], name: string): boolean =>
  texts.some((text) => text.includes(`ai_configuration: ${name}\n`));

/** Models by name: those that are tested, and those that measure where a suite names them. */
function configurationsOf(models: readonly Model[], judging: Model | null, texts: readonly string[]) {
  const isNamed = ({ name }: { name: string }): boolean => isNamedIn(texts, name);
  return {
    ...Object.fromEntries(models.map((model) => [model.name, model.configuration])),
    ...(judging === null ? {} : { [judgeNameOf(judging)]: judging.configuration }),
    ...Object.fromEntries(
      [usualJudge, usualEmbedding].filter(isNamed).map(({ name, ...configuration }) => [name, configuration]),
    ),
  };
}

const asksJudge = (checks: readonly unknown[]): boolean =>
  /"type":"(?:llm_judge|geval|rag)"/.test(JSON.stringify(checks));

/** The kinds of checks that a model makes. */
const judgesIn = (cases: readonly ImportedCase[]): string[] =>
  [
    ...JSON.stringify(
      cases.map(({ expected_behavior, turns, measures }) => [expected_behavior, turns, measures]),
    ).matchAll(/"type":"(llm_judge|semantic_similarity|geval|rag)"/g),
  ].map(([, type = '']) => type);

function agentOf({ name, instructions }: ImportedPrompt, { models, agent }: Side) {
  if (agent !== null) return { name: `${name} (${agent.name})`, driver: agent.driver };
  const tools = new Map(models.flatMap((provider) => provider.tools.map((tool) => [String(tool.name), tool])));
  return {
    name,
    ai_configuration: models[0]?.name,
    instructions: [models[0]?.instructions ?? '', instructions].filter((text) => text !== '').join('\n\n'),
    ...(tools.size === 0 ? {} : { tools: [...tools.values()] }),
  };
}

function suiteSettings(
  cases: readonly ImportedCase[],
  { models }: Side,
  { repetitions, judge, embedding }: Options & { judge: string; embedding: string },
) {
  const names = models.map((provider) => provider.name);
  const asked = judgesIn(cases);
  return {
    ...(asked.length > 0 ? { judge: { ai_configuration: judge } } : {}),
    ...(asked.includes('semantic_similarity') ? { embedding: { ai_configuration: embedding } } : {}),
    ...(names.length > 1 ? { matrix: { AIConfiguration: names } } : {}),
    ...(repetitions === undefined ? {} : { repetitions }),
  };
}

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-|-$/g, '') || 'prompt';
