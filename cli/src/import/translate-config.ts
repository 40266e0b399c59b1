import { stringify } from 'yaml';
import { z } from 'zod';
import { collectRemarks, type ReadBeside, type Remarks, type Source, type Untranslated } from './source.ts';
import { type ImportedPrompt, translatePrompt } from './translate-prompt.ts';
import { type ImportedProvider, translateProvider } from './translate-provider.ts';
import { casesOf, commonValues, type ImportedTest, translateTests } from './translate-tests.ts';

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

/** Translates what can be said here; everything else is a remark with its line. */
export function translateConfig(source: Source, readBeside: ReadBeside): Translated {
  const remarks = collectRemarks();
  const parsed = Config.safeParse(source.value);
  if (!parsed.success) return { ok: false, message: `${source.file} is no configuration of promptfoo`, remarks: [] };
  const config = parsed.data;
  for (const key of Object.keys(config)) {
    if (!translatedKeys.has(key)) remarks.add(source, [key], `${key} has no counterpart`);
  }
  const providersKey = config.providers === undefined ? 'targets' : 'providers';
  const providers = unique(
    listOf(config[providersKey]).flatMap(
      (value, at) => translateProvider(source, [providersKey, at], value, remarks) ?? [],
    ),
  );
  const tests = translateTests(config.tests, config.defaultTest, { source, readBeside, remarks });
  const common = commonValues(tests, config.defaultTest);
  const prompts = unique(
    listOf(config.prompts).flatMap((value, at) =>
      translatePrompt(['prompts', at], value, { source, readBeside, common, remarks }),
    ),
  );
  const refuse = (message: string): Translated => ({ ok: false, message, remarks: inOrder(remarks) });
  if (providers.length === 0) return refuse('No provider can be translated, so that there is no agent to test.');
  if (prompts.length === 0) return refuse('No prompt can be translated, so that there is no agent to test.');
  if (tests.length === 0) return refuse('There are no tests that can be translated.');
  const offering = providers.filter(({ tools }) => tools.length > 0);
  if (offering.length > 0 && offering.length < providers.length) {
    const names = offering.map(({ name }) => name).join(', ');
    remarks.add(source, [providersKey], `tools belong to the agent: those of ${names} are offered to all models`);
  }
  const options = optionsOf(config.evaluateOptions, source, remarks);
  const name = config.description ?? 'Imported';
  const files = filesOf({ name, providers, prompts, tests, options, remarks });
  const hasSuite = [...files.keys()].some((path) => path.endsWith('.suite.yaml'));
  if (!hasSuite) return refuse('No test makes a case of any prompt, so that there is no suite to write.');
  return { ok: true, files, remarks: inOrder(remarks) };
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
}

function filesOf({ name, providers, prompts, tests, options, remarks }: Parts): Map<string, string> {
  const files = new Map<string, string>();
  const configurations = Object.fromEntries(providers.map((provider) => [provider.name, provider.configuration]));
  const limits = options.concurrency === undefined ? {} : { limits: { concurrency: options.concurrency } };
  files.set('proofmark.yaml', yaml({ ai_configurations: configurations, ...limits }));
  const slugs = slugsOf(prompts.map((prompt) => prompt.name));
  for (const [index, prompt] of prompts.entries()) {
    const slug = slugs[index] ?? `prompt-${index + 1}`;
    const cases = casesOf(tests, prompt, remarks);
    if (cases.length === 0) continue;
    files.set(`agents/${slug}.agent.yaml`, yaml(agentOf(prompt, providers)));
    const title = prompts.length === 1 ? name : `${name}: ${prompt.name}`;
    files.set(
      `evals/${slug}.suite.yaml`,
      yaml({ name: title, agent: `../agents/${slug}.agent.yaml`, ...suiteSettings(cases, providers, options), cases }),
    );
  }
  return files;
}

function agentOf({ name, instructions }: ImportedPrompt, providers: readonly ImportedProvider[]) {
  const tools = new Map(providers.flatMap((provider) => provider.tools.map((tool) => [String(tool.name), tool])));
  return {
    name,
    ai_configuration: providers[0]?.name,
    instructions: instructions === '' ? emptyInstructions : instructions,
    ...(tools.size === 0 ? {} : { tools: [...tools.values()] }),
  };
}

/** The prompt was the message of the user alone; an agent has to have instructions. */
const emptyInstructions = 'Answer the message.';

function suiteSettings(
  cases: ReturnType<typeof casesOf>,
  providers: readonly ImportedProvider[],
  { repetitions }: Options,
) {
  const types = new Set(cases.flatMap(({ expected_behavior }) => expected_behavior.checks.map(({ type }) => type)));
  const needsJudge = types.has('llm_judge') || types.has('semantic_similarity');
  const names = providers.map((provider) => provider.name);
  return {
    ...(needsJudge ? { judge: { ai_configuration: names[0] } } : {}),
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
