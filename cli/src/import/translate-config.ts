import { stringify } from 'yaml';
import { z } from 'zod';
import {
  collectRemarks,
  type ListBeside,
  type ReadBeside,
  type Remarks,
  type Source,
  type Untranslated,
} from './source.ts';
import { type ImportedPrompt, translatePrompt } from './translate-prompt.ts';
import { type ImportedProvider, translateProvider } from './translate-provider.ts';
import {
  casesOf,
  commonValues,
  type ImportedCase,
  type ImportedTest,
  oneLine,
  translateTests,
} from './translate-tests.ts';

/** A configuration of promptfoo as files of ours, by path, and everything of it that is not in them. */
export type Translated =
  | { ok: true; files: Map<string, string>; remarks: Untranslated[] }
  | { ok: false; message: string; remarks: Untranslated[] };

const Config = z.looseObject({
  description: z.string().optional(),
  prompts: z.unknown().optional(),
  providers: z.unknown().optional(),
  targets: z.unknown().optional(),
  tests: z.unknown().optional(),
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

/** Translates what can be said here; everything else is a remark with its line. */
export function translateConfig(source: Source, { readBeside, listBeside }: Folder): Translated {
  const remarks = collectRemarks();
  const parsed = Config.safeParse(source.value);
  if (!parsed.success) return { ok: false, message: `${source.file} is no configuration of promptfoo`, remarks: [] };
  const config = parsed.data;
  for (const key of Object.keys(config)) {
    if (translatedKeys.has(key)) continue;
    const tell = bookkeeping.test(key) ? remarks.note : remarks.add;
    tell(source, [key], `${key} has no counterpart`);
  }
  const providersKey = config.providers === undefined ? 'targets' : 'providers';
  const reading = { source, readBeside, listBeside, remarks };
  const providers = unique(
    listOf(config[providersKey]).flatMap(
      (value, at) => translateProvider(value, { ...reading, path: [providersKey, at] }) ?? [],
    ),
  );
  const tests = translateTests(config.tests, config.defaultTest, reading);
  const common = commonValues(tests, config.defaultTest);
  const prompts = unique(
    listOf(config.prompts).flatMap((value, at) => translatePrompt(['prompts', at], value, { ...reading, common })),
  );
  const missing = whatIsMissing({ providers, prompts, tests });
  if (missing !== undefined) return { ok: false, message: missing, remarks: inOrder(remarks) };
  tellSharedTools(providers, { ...reading, path: [providersKey] });
  const options = optionsOf(config.evaluateOptions, source, remarks);
  const name = oneLine(config.description ?? '') || 'Imported';
  const judge = judgeOf(tests, { ...reading, path: ['defaultTest', 'options', 'provider'] });
  const files = filesOf({ name, providers, prompts, tests, options, remarks, judge });
  if (files.size > 0) return { ok: true, files, remarks: inOrder(remarks) };
  const message = 'No test makes a case of any prompt, so that there is no suite to write.';
  return { ok: false, message, remarks: inOrder(remarks) };
}

function whatIsMissing({
  providers,
  prompts,
  tests,
}: Pick<Parts, 'providers' | 'prompts' | 'tests'>): string | undefined {
  if (providers.length === 0) return 'No provider can be translated, so that there is no agent to test.';
  if (prompts.length === 0) return 'No prompt can be translated, so that there is no agent to test.';
  return tests.length === 0 ? 'There are no tests that can be translated.' : undefined;
}

function tellSharedTools(
  providers: readonly ImportedProvider[],
  { source, path, remarks }: Parameters<typeof translateProvider>[1],
): void {
  const models = providers.filter((one) => one.kind === 'model');
  const offering = models.filter(({ tools }) => tools.length > 0);
  if (
    offering.length === 0 ||
    new Set(models.map(({ tools }) => JSON.stringify(tools.map(({ name }) => name)))).size === 1
  )
    return;
  const names = offering.map(({ name }) => name).join(', ');
  remarks.add(source, path, `tools belong to the agent: those of ${names} are offered to all models`);
}

/** Who judges; a suite has one judge, so that a second one is lost. */
function judgeOf(tests: readonly ImportedTest[], at: Parameters<typeof translateProvider>[1]): ImportedProvider | null {
  const written = new Map(
    tests.flatMap(({ judge }) => (judge === undefined ? [] : [[JSON.stringify(judge), judge] as const])),
  );
  const [first, ...more] = written.values();
  if (first === undefined) return null;
  if (more.length > 0)
    at.remarks.add(at.source, at.path, 'more than one provider judges: the suite has the first of them');
  const inner = z.looseObject({ text: z.unknown() }).safeParse(first).data?.text;
  const judge = translateProvider(inner ?? first, at);
  if (judge === null || judge.kind === 'model') return judge;
  at.remarks.add(at.source, at.path, `provider ${judge.id}: only a model judges`);
  return null;
}

/** By file and line; files in the order in which they were read. */
function inOrder({ all }: Remarks): Untranslated[] {
  const files = [...new Set(all.map(({ file }) => file))];
  return all.toSorted((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line);
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);

/** Two with the same name get a number. */
function unique<Item extends { name: string }>(items: readonly Item[]): Item[] {
  const seen = new Map<string, number>();
  return items.map((item) => {
    const count = (seen.get(item.name) ?? 0) + 1;
    seen.set(item.name, count);
    return count === 1 ? item : { ...item, name: `${item.name}-${count}` };
  });
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
  tests: readonly ImportedTest[];
  options: Options;
  remarks: Remarks;
  judge: ImportedProvider | null;
}

type Model = Extract<ImportedProvider, { kind: 'model' }>;

/** Who answers in one suite: all models, cell by cell, or one agent of another kind. */
interface Side {
  title: string;
  models: readonly Model[];
  agent: Extract<ImportedProvider, { kind: 'agent' }> | null;
  names: readonly string[];
}

function sidesOf(providers: readonly ImportedProvider[]): Side[] {
  const models = providers.filter((one) => one.kind === 'model');
  const agents = providers.filter((one) => one.kind === 'agent');
  const namesOf = (all: readonly ImportedProvider[]) => all.flatMap(({ id, label, name }) => [id, label ?? name, name]);
  return [
    ...(models.length === 0 ? [] : [{ title: '', models, agent: null, names: namesOf(models) }]),
    ...agents.map((agent) => ({
      title: models.length + agents.length === 1 ? '' : agent.name,
      ...{ models: [], agent, names: namesOf([agent]) },
    })),
  ];
}

/** Judges where no other model is named, as promptfoo does. */
const usualJudge = { name: 'judge', provider: 'openai', model: 'gpt-4.1' };
const usualEmbedding = { name: 'text-embeddings', provider: 'openai', model: 'text-embedding-3-large' };

function filesOf(parts: Parts): Map<string, string> {
  const { name, providers, prompts, tests, options, remarks, judge } = parts;
  const files = new Map<string, string>();
  const sides = sidesOf(providers);
  const models = sides.flatMap((side) => side.models);
  const judging = judge?.kind === 'model' ? judge : null;
  const pairs = prompts.flatMap((prompt) => sides.map((side) => ({ prompt, side })));
  const slugs = slugsOf(pairs.map(({ prompt, side }) => `${prompt.name} ${side.title}`));
  for (const [index, { prompt, side }] of pairs.entries()) {
    const cases = casesOf(tests, prompt, { remarks, answering: { isModel: side.agent === null, names: side.names } });
    if (cases.length === 0) continue;
    const title = [name, titleOf(prompt, side, prompts.length === 1)].filter((part) => part !== '').join(': ');
    const slug = slugs[index] ?? `prompt-${index + 1}`;
    addSuite(files, {
      ...{ slug, prompt, side, cases },
      settings: { name: title, options: { ...options, judge: judgeNameFor(side, judging) } },
    });
  }
  if (files.size === 0) return files;
  const bridges = [...tests.flatMap((test) => test.files), ...sides.flatMap(({ agent }) => agent?.files ?? [])];
  const project = {
    suites: ['evals/*.suite.yaml'],
    ai_configurations: configurationsOf(models, judging, [...files.values()]),
    ...(options.concurrency === undefined ? {} : { limits: { concurrency: options.concurrency } }),
  };
  return new Map([
    ['proofmark.yaml', yaml(project)],
    ...files,
    ...bridges.map(({ path, text }) => [path, text] as const),
  ]);
}

const titleOf = ({ name }: ImportedPrompt, { title }: Side, isOnly: boolean): string =>
  [isOnly ? '' : name, title].filter((part) => part !== '').join(', ');

interface ToAdd {
  slug: string;
  prompt: ImportedPrompt;
  side: Side;
  cases: readonly ImportedCase[];
  settings: { name: string; options: Options & { judge: string } };
}

function addSuite(files: Map<string, string>, { slug, prompt, side, cases, settings }: ToAdd): void {
  const agent = `agents/${slug}.agent.yaml`;
  files.set(agent, yaml(agentOf(prompt, side)));
  files.set(
    `evals/${slug}.suite.yaml`,
    yaml({
      name: settings.name,
      agent: `../${agent}`,
      ...suiteSettings(cases, side, settings.options),
      ...listed(cases, slug, files),
    }),
  );
}

const judgeNameFor = ({ models: [first] }: Side, judging: Model | null): string =>
  judging === null ? (first?.name ?? usualJudge.name) : judgeNameOf(judging);

const judgeNameOf = ({ name }: Model): string => `judge ${name}`;

/** Models by name: those that are tested, and those that measure where a suite names them. */
function configurationsOf(models: readonly Model[], judging: Model | null, texts: readonly string[]) {
  const isNamed = ({ name }: { name: string }): boolean =>
    texts.some((text) => text.includes(`ai_configuration: ${name}\n`));
  return {
    ...Object.fromEntries(models.map((model) => [model.name, model.configuration])),
    ...(judging === null ? {} : { [judgeNameOf(judging)]: judging.configuration }),
    ...Object.fromEntries(
      [usualJudge, usualEmbedding].filter(isNamed).map(({ name, ...configuration }) => [name, configuration]),
    ),
  };
}

/** More of a suite than this is no reading for people: its cases stand in a file of rows. */
const mostSuite = 200_000;

function listed(cases: readonly ImportedCase[], slug: string, files: Map<string, string>) {
  const rows = cases.map((one) => `${JSON.stringify(one)}\n`).join('');
  if (rows.length < mostSuite) return { cases };
  files.set(`data/${slug}.jsonl`, rows);
  const keys = new Set(cases.flatMap((one) => Object.keys(one)));
  const template = Object.fromEntries([...keys].map((key) => [key, `{{${key}}}`]));
  return { cases_from: { file: `../data/${slug}.jsonl`, case: template } };
}

/** The kinds of checks that a model makes. */
const judgesIn = (cases: readonly ImportedCase[]): string[] =>
  [
    ...JSON.stringify(cases.map(({ expected_behavior }) => expected_behavior)).matchAll(
      /"type":"(llm_judge|semantic_similarity)"/g,
    ),
  ].map(([, type = '']) => type);

function agentOf({ name, instructions }: ImportedPrompt, { models, agent }: Side) {
  if (agent !== null) return { name: `${name} (${agent.name})`, driver: agent.driver };
  const tools = new Map(models.flatMap((provider) => provider.tools.map((tool) => [String(tool.name), tool])));
  return {
    name,
    ai_configuration: models[0]?.name,
    instructions: instructions === '' ? emptyInstructions : instructions,
    ...(tools.size === 0 ? {} : { tools: [...tools.values()] }),
  };
}

/** The prompt was the message of the user alone; an agent has to have instructions. */
const emptyInstructions = 'Answer the message.';

function suiteSettings(
  cases: readonly ImportedCase[],
  { models }: Side,
  { repetitions, judge }: Options & { judge: string },
) {
  const names = models.map((provider) => provider.name);
  const asked = judgesIn(cases);
  return {
    ...(asked.length > 0 ? { judge: { ai_configuration: judge } } : {}),
    ...(asked.includes('semantic_similarity') ? { embedding: { ai_configuration: usualEmbedding.name } } : {}),
    ...(names.length > 1 ? { matrix: { AIConfiguration: names } } : {}),
    ...(repetitions === undefined ? {} : { repetitions }),
  };
}

function slugsOf(names: readonly string[]): string[] {
  const slugs = names.map((name) =>
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 40),
  );
  return slugs.map((slug, index) =>
    slug === '' || slugs.indexOf(slug) !== index ? `${slug || 'prompt'}-${index + 1}` : slug,
  );
}

const yaml = (value: unknown): string => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
