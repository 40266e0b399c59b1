import type { Configurations } from '../authored/configurations.ts';
import { normaliseEvaluations } from '../authored/evaluations-block.ts';
import type { SuiteHeader } from '../authored/suite-file.ts';
import { type AiConfiguration, providers } from '../definitions/ai-configuration.ts';
import { BUILT_IN_TYPE } from '../definitions/built-in-type.ts';
import type { LoadedSuite } from '../definitions/loaded.ts';
import { type EvaluationConfig, metricNeeds } from '../definitions/metrics.ts';
import { simulatesTools } from '../definitions/mocks.ts';
import { didYouMean } from '../definitions/near-match.ts';
import type { Suite } from '../definitions/suite.ts';
import { hasCheck } from '../definitions/test-case.ts';
import { type Located, parseSource, reportAt } from '../parse/source-document.ts';
import { reviewSuite } from '../review/review-suite.ts';
import { type KnownType, type LoadContext, type LoadedCase, usableVariables } from '../review/suite-review.ts';
import { fileOfCase, matrixFrom } from './cases-from.ts';
import { configurationOfModel } from './load-agent.ts';
import { type LoadedCases, loadCases } from './load-cases.ts';
import { typeNamed } from './load-project.ts';
import { loadCalibration, loadCassette } from './load-suite-data.ts';
import { CodePins } from './pin-code.ts';
import { readSuiteParts, type SuiteParts } from './read-suite-parts.ts';

/** One suite with everything it names; undefined when anything of it has an error. `names` are those of earlier suites. */
export function loadSuite(context: LoadContext, path: string, names: Map<string, string>): LoadedSuite | undefined {
  const { problems, source } = context;
  const content = source.read(path);
  if (content === undefined) {
    problems.add({
      code: 'not_found',
      file: path,
      line: 1,
      column: 1,
      path: '',
      message: 'the suite file cannot be read',
    });
    return undefined;
  }
  const document = parseSource(path, content, problems);
  return document === undefined ? undefined : assemble(context, readSuiteParts(context, document), names);
}

/** Reviews the suite as far as it could be read; undefined when something of it has an error. */
function assemble(context: LoadContext, parts: SuiteParts, names: Map<string, string>): LoadedSuite | undefined {
  const { header, agent, located, broken } = parts;
  const pins = new CodePins(context);
  const loaded = parts.cases === undefined ? undefined : pinned(loadCases(context, parts.cases), pins);
  if (header === undefined) return undefined;
  const known = testTypeOf(context, located, header);
  claimName(context, parts, header.name, names);
  const { owner, metricNames, ...found } = evaluationsOf(context, parts, header);
  const evaluations = owner && found.evaluations && pinnedMetrics(found.evaluations, owner, pins);
  const columns = matrixFrom(context, located, header.matrix_from ?? {});
  const suite = fillMeasuringModels(
    context.configurations,
    suiteOf(header, { evaluations: evaluations ?? null, axes: columns.axes, cases: loaded?.cases ?? [] }),
  );
  reviewSuite(context, {
    ...{ located, suite, agent, broken, metricNames },
    evaluationsOwner: owner,
    cases: loaded?.cases ?? [],
    areAllCasesRead: loaded?.areAllRead === true,
    testType: broken.has('test_type') ? undefined : known,
    variables: broken.has('test_type') ? undefined : usableVariables(known),
  });
  const measured = loadCalibration(context, located, suite.judge);
  const cassette = loadCassette(context, located, suite);
  if (agent === undefined || loaded === undefined || known === undefined || !loaded.areAllRead) return undefined;
  const { path } = located.document;
  const files = dependencies(context, known.path, [
    ...[path, agent.located.document.path],
    ...agent.dependsOn,
    ...loaded.dependsOn,
    ...suite.cases.flatMap(({ files }) => files.flatMap(({ path }) => path ?? [])),
    ...measured.dependsOn,
    ...cassette.dependsOn,
    ...columns.dependsOn,
    ...pins.files,
  ]);
  // Whatever was left out as wrong has been reported in one of them.
  if (files.some((file) => context.problems.hasErrors(file))) return undefined;
  return {
    path,
    suite,
    agent: agent.agent,
    agentPath: agent.located.document.path,
    testType: known.type,
    ...measured.found,
    ...cassette.part,
    dependsOn: files,
    casePositions: new Map(loaded.cases.map(({ testCase, position }) => [testCase.name, position])),
    caseFiles: new Map(loaded.cases.map((one) => [one.testCase.name, fileOfCase(one.located, path)])),
  };
}

const pinned = (loaded: LoadedCases, pins: CodePins): LoadedCases => ({
  ...loaded,
  cases: loaded.cases.map((one) => ({ ...one, testCase: pins.inCase(one) })),
});

const pinnedMetrics = (evaluations: EvaluationConfig, owner: Located, pins: CodePins): EvaluationConfig => ({
  ...evaluations,
  metrics: evaluations.metrics.map((metric, index) => pins.inMetric(metric, owner, index)),
});

/** Every file a suite depends on, each once: also the project file, which all suites share. */
const dependencies = ({ source }: LoadContext, typePath: string | undefined, paths: readonly string[]): string[] => [
  ...new Set([
    ...paths,
    ...(typePath === undefined ? [] : [typePath]),
    ...(source.projectPath === undefined ? [] : [source.projectPath]),
  ]),
];

function testTypeOf(context: LoadContext, located: Located, header: SuiteHeader): KnownType | undefined {
  const name = header.test_type ?? BUILT_IN_TYPE;
  const found = typeNamed(context.testTypes, name);
  if (found !== undefined || !context.areTypesKnown) return found;
  const known = [...context.testTypes.keys()];
  const message = `there is no test type \`${name}\`${didYouMean(name, known)}`;
  reportAt(context.problems, located, [
    { path: ['test_type'], code: 'not_found', message, hint: `The project has: ${known.join(', ')}.` },
  ]);
  return undefined;
}

function claimName(
  context: LoadContext,
  { located, broken }: SuiteParts,
  name: string,
  names: Map<string, string>,
): void {
  if (broken.has('name')) return;
  const key = name.normalize('NFC');
  const first = names.get(key);
  if (first === undefined) names.set(key, located.document.path);
  else
    reportAt(context.problems, located, [
      { path: ['name'], code: 'duplicate', message: `duplicate suite name \`${key}\`, first in ${first}` },
    ]);
}

interface OwnedEvaluations {
  evaluations: EvaluationConfig | null;
  /** Where the block stands; undefined when it cannot be told. */
  owner: Located | undefined;
  metricNames: readonly string[] | undefined;
}

/** The suite's metrics, or those of its agent's file. */
function evaluationsOf(context: LoadContext, parts: SuiteParts, header: SuiteHeader): OwnedEvaluations {
  const { agent, located, broken } = parts;
  const isOwn = broken.has('evaluations') || (header.evaluations !== undefined && header.evaluations !== null);
  const owner = isOwn ? located : agent?.located;
  const block = isOwn ? header.evaluations : agent?.header.evaluations;
  const metricNames = isOwn ? parts.metricNames : agent?.metricNames;
  if (block === undefined || block === null || owner === undefined) return { evaluations: null, owner, metricNames };
  const evaluations = normaliseEvaluations(block, (model) => {
    const wanted = typeof model === 'string' ? model : `${model.provider}/${model.model ?? model.name ?? ''}`;
    return configurationOfModel(context, owner, { model, wanted, key: ['evaluations'] });
  });
  return { evaluations, owner, metricNames };
}

interface ReadApart {
  evaluations: EvaluationConfig | null;
  /** Axes whose values stand in files. */
  axes: Suite['matrix'];
  cases: readonly LoadedCase[];
}

function suiteOf(header: SuiteHeader, { evaluations, axes: fromFiles, cases }: ReadApart): Suite {
  const { schema_version: _version, matrix_from: _from, matrix = {}, ...rest } = header;
  const { include = [], exclude = [], ...axes } = matrix;
  return {
    ...rest,
    description: header.description ?? null,
    test_type: header.test_type ?? BUILT_IN_TYPE,
    evaluations,
    matrix: { ...axes, ...fromFiles },
    matrix_include: include,
    matrix_exclude: exclude,
    schedule_time: header.schedule_time ?? null,
    cases: cases.map(({ testCase }) => testCase),
  };
}

/**
 * The suite with a simulator and an embedding model where its cases or tools need them and only a judge is named: the judge's
 * configuration simulates, and its provider embeds. What cannot be derived stays null and is reported by the review.
 */
function fillMeasuringModels(configurations: Configurations, suite: Suite): Suite {
  const judge = suite.judge?.ai_configuration;
  const settings = judge === undefined ? undefined : configurations.get(judge);
  if (judge === undefined || settings === undefined) return suite;
  const playsSomething =
    suite.cases.some(({ kind }) => kind === 'simulated') || simulatesTools(suite.mocks, suite.mock_settings);
  const simulates = suite.simulator === null && playsSomething;
  const embeds = suite.embedding === null && (suite.cases.some(needsEmbedding) || hasEmbeddingMetric(suite));
  const embedding = embeds ? embeddingOf(settings) : undefined;
  return {
    ...suite,
    ...(simulates
      ? { simulator: { ai_configuration: judge, temperature: 0.7, first_speaker: 'user', review: 'off' } }
      : {}),
    ...(embedding === undefined
      ? {}
      : { embedding: { ai_configuration: configurations.adopt(`${judge}/embeddings`, embedding) } }),
  };
}

const needsEmbedding = (testCase: Suite['cases'][number]): boolean => hasCheck(testCase, ['semantic_similarity']);

const hasEmbeddingMetric = ({ evaluations }: Suite): boolean =>
  evaluations?.metrics.some((metric) => metric.enabled && metricNeeds(metric)?.asks === 'embedding') ?? false;

/** Undefined for a provider without embeddings: then the suite must name a configuration that has them. */
function embeddingOf({ provider, base_url, api_key_env }: AiConfiguration): AiConfiguration | undefined {
  const model = providers[provider].embeddingModel;
  if (model === undefined) return undefined;
  return {
    provider,
    model,
    ...(base_url === undefined ? {} : { base_url }),
    ...(api_key_env === undefined ? {} : { api_key_env }),
  };
}
