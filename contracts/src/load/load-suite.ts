import { evaluationsFindings, normaliseEvaluations } from '../authored/evaluations-block.ts';
import { SuiteHeader } from '../authored/suite-file.ts';
import { suiteFindings } from '../authored/suite-findings.ts';
import { BUILT_IN_TYPE } from '../definitions/built-in-type.ts';
import type { LoadedSuite } from '../definitions/loaded.ts';
import type { EvaluationConfig } from '../definitions/metrics.ts';
import { resolveReference } from '../definitions/repository-path.ts';
import type { Suite } from '../definitions/suite.ts';
import type { TestType } from '../definitions/test-type.ts';
import { type Finding, isBlocking } from '../parse/finding.ts';
import { snakeCase } from '../parse/key-spelling.ts';
import { didYouMean } from '../parse/near-match.ts';
import { readShape } from '../parse/read-shape.ts';
import { isMapping } from '../parse/schema-plan.ts';
import { parseSource, type SourceDocument } from '../parse/source-document.ts';
import { fillMeasuringModels } from '../review/measuring-models.ts';
import { reviewSuite } from '../review/review-suite.ts';
import { configurationOfModel, loadAgent } from './load-agent.ts';
import { type CaseList, type LoadedCase, loadCases, unwrapVariables } from './load-cases.ts';
import { type LoadContext, readReferenced } from './load-context.ts';
import { typeNamed } from './load-test-types.ts';
import type { LoadedAgent } from './loaded-agent.ts';
import { type Located, reportAt } from './located.ts';

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
  if (document === undefined) return undefined;
  const parts = isAgentDocument(document) ? partsOfAgentFile(context, document) : partsOfSuiteFile(context, document);
  return assemble(context, { document, base: [] }, parts, names);
}

interface SuiteParts {
  header: SuiteHeader | undefined;
  agent: LoadedAgent | undefined;
  cases: CaseList | undefined;
}

/** A HoloDeck agent file is a suite of its own: it brings instructions, metrics and cases. */
const isAgentDocument = ({ value }: SourceDocument): boolean =>
  Object.hasOwn(value, 'instructions') && !Object.hasOwn(value, 'agent');

function partsOfAgentFile(context: LoadContext, document: SourceDocument): SuiteParts {
  const located: Located = { document, base: [] };
  const agent = loadAgent(context, located, document.value);
  const key = Object.keys(document.value).find((name) => snakeCase(name) === 'test_cases') ?? 'test_cases';
  if (agent === undefined)
    return { header: undefined, agent, cases: caseList(context, located, key, document.value[key]) };
  const judge = agent.agent.ai_configuration;
  const header = SuiteHeader.parse({
    name: agent.agent.name,
    ...(judge === null ? {} : { judge: { ai_configuration: judge } }),
  });
  return { header, agent, cases: caseList(context, located, key, agent.testCases) };
}

function partsOfSuiteFile(context: LoadContext, document: SourceDocument): SuiteParts {
  const located: Located = { document, base: [] };
  const keys = Object.keys(document.value);
  const keyOf = (wanted: string): string | undefined => keys.find((key) => snakeCase(key) === wanted);
  const agentKey = keyOf('agent') ?? 'agent';
  const caseKeys = ['cases', 'test_cases'].flatMap((wanted) => keyOf(wanted) ?? []);
  const rest = Object.fromEntries(
    Object.entries(document.value).filter(([key]) => key !== agentKey && !caseKeys.includes(key)),
  );
  const { value: header, folded, findings } = readShape(SuiteHeader, unwrapVariables(rest));
  const all = [
    ...findings,
    ...(isMapping(folded)
      ? [...suiteFindings(folded), ...evaluationsFindings(folded.evaluations, ['evaluations'])]
      : []),
    ...(caseKeys.length > 1 ? [twoLists(caseKeys)] : []),
  ];
  reportAt(context.problems, located, all);
  const agent = agentOfSuite(context, located, agentKey, document.value[agentKey]);
  const caseKey = caseKeys[0];
  const fromAgent = caseKey === undefined && agent?.testCases !== undefined;
  const cases = fromAgent
    ? caseList(context, agent.located, 'test_cases', agent.testCases)
    : caseList(context, located, caseKey ?? 'cases', document.value[caseKey ?? 'cases']);
  return { header: all.some(isBlocking) ? undefined : header, agent, cases };
}

const twoLists = (keys: readonly string[]): Finding => ({
  path: [keys[1] ?? 'test_cases'],
  code: 'exclusive',
  message: '`test_cases` is another word for `cases`: write one of them',
  at: 'key',
});

function agentOfSuite(context: LoadContext, located: Located, key: string, value: unknown): LoadedAgent | undefined {
  const refuse = (finding: Omit<Finding, 'path'>): undefined =>
    reportAt(context.problems, located, [{ path: [key], ...finding }]);
  if (isMapping(value)) return loadAgent(context, { document: located.document, base: [key] }, value);
  if (value === undefined)
    return refuse({
      code: 'required',
      message: '`agent` is missing: the path of an agent file, or the agent itself',
      at: 'key',
    });
  if (typeof value !== 'string' || value === '')
    return refuse({
      code: 'invalid_type',
      message: 'must be the path of an agent file, or a mapping with the agent itself',
    });
  const resolved = resolveReference(located.document.path, value);
  if (!resolved.ok) return refuse({ code: 'invalid_format', message: `the path \`${value}\` ${resolved.message}` });
  const known = context.agents.get(resolved.path);
  if (known !== undefined)
    return known.agent ?? refuse({ code: 'invalid_value', message: `\`${resolved.path}\` has errors` });
  const document = readReferenced(context, resolved.path, refuse);
  const agent = document === undefined ? undefined : loadAgent(context, { document, base: [] }, document.value);
  if (document !== undefined) context.agents.set(resolved.path, { agent });
  return agent;
}

function caseList(context: LoadContext, located: Located, key: string, entries: unknown): CaseList | undefined {
  const refuse = (finding: Omit<Finding, 'path'>): undefined =>
    reportAt(context.problems, located, [{ path: [key], ...finding }]);
  if (entries === undefined)
    return refuse({ code: 'required', message: `\`${key}\` is missing: a suite needs at least one case`, at: 'key' });
  if (!Array.isArray(entries)) return refuse({ code: 'invalid_type', message: 'must be a list of cases' });
  if (entries.length === 0) return refuse({ code: 'too_short', message: 'must have at least one case' });
  return { located: { document: located.document, base: [...located.base, key] }, entries };
}

function assemble(
  context: LoadContext,
  located: Located,
  { header, agent, cases }: SuiteParts,
  names: Map<string, string>,
): LoadedSuite | undefined {
  const loaded = cases === undefined ? undefined : loadCases(context, cases);
  const testType = header === undefined ? undefined : testTypeOf(context, located, header);
  if (header === undefined || agent === undefined || loaded === undefined || testType === undefined) return undefined;
  claimName(context, located, header.name, names);
  const evaluations = evaluationsOf(context, located, header, agent);
  const suite = fillMeasuringModels(context.configurations, suiteOf(header, evaluations, loaded.cases));
  const path = located.document.path;
  const evaluationsFromAgent = header.evaluations === undefined || header.evaluations === null;
  reviewSuite(context, { located, suite, cases: loaded.cases, agent, testType: testType.type, evaluationsFromAgent });
  const files = [
    path,
    agent.located.document.path,
    ...agent.dependsOn,
    ...loaded.dependsOn,
    ...suiteReferences(context, located, suite),
  ];
  if ([...files].some((file) => context.problems.hasErrors(file))) return undefined;
  return {
    path,
    suite,
    agent: agent.agent,
    agentPath: agent.located.document.path,
    testType: testType.type,
    dependsOn: [
      ...new Set([
        ...files,
        ...(testType.path === undefined ? [] : [testType.path]),
        ...(context.source.projectPath === undefined ? [] : [context.source.projectPath]),
      ]),
    ],
    casePositions: new Map(loaded.cases.map(({ testCase, position }) => [testCase.name, position])),
  };
}

function testTypeOf(
  context: LoadContext,
  located: Located,
  header: SuiteHeader,
): { type: TestType; path: string | undefined } | undefined {
  const name = header.test_type ?? BUILT_IN_TYPE;
  const found = typeNamed(context.testTypes, name);
  if (found !== undefined) return found;
  const known = [...context.testTypes.keys()];
  const message = `there is no test type \`${name}\`${didYouMean(name, known)}`;
  reportAt(context.problems, located, [
    { path: ['test_type'], code: 'not_found', message, hint: `The project has: ${known.join(', ')}.` },
  ]);
  return undefined;
}

function claimName(context: LoadContext, located: Located, name: string, names: Map<string, string>): void {
  const key = name.normalize('NFC');
  const first = names.get(key);
  if (first === undefined) names.set(key, located.document.path);
  else
    reportAt(context.problems, located, [
      { path: ['name'], code: 'duplicate', message: `duplicate suite name \`${key}\`, first in ${first}` },
    ]);
}

function evaluationsOf(
  context: LoadContext,
  located: Located,
  header: SuiteHeader,
  agent: LoadedAgent,
): EvaluationConfig | null {
  const block = header.evaluations ?? agent.header.evaluations;
  if (block === undefined || block === null) return null;
  const owner = header.evaluations === undefined || header.evaluations === null ? agent.located : located;
  return normaliseEvaluations(block, (model) => {
    const wanted = typeof model === 'string' ? model : `${model.provider}/${model.model ?? model.name ?? ''}`;
    return configurationOfModel(context, owner, { model, wanted, key: ['evaluations'] });
  });
}

function suiteOf(header: SuiteHeader, evaluations: EvaluationConfig | null, cases: readonly LoadedCase[]): Suite {
  const { schema_version: _version, matrix = {}, ...rest } = header;
  const { include = [], exclude = [], ...axes } = matrix;
  return {
    ...rest,
    description: header.description ?? null,
    test_type: header.test_type ?? BUILT_IN_TYPE,
    evaluations,
    matrix: axes,
    matrix_include: include,
    matrix_exclude: exclude,
    schedule_time: header.schedule_time ?? null,
    cases: cases.map(({ testCase }) => testCase),
  };
}

/** Files that a suite names beside its agent and cases. */
function suiteReferences(context: LoadContext, located: Located, suite: Suite): string[] {
  const inputs = suite.cases.flatMap(({ files }) => files.flatMap(({ path }) => path ?? []));
  const calibration = suite.judge?.calibration_file;
  if (calibration === undefined) return inputs;
  const resolved = resolveReference(located.document.path, calibration);
  if (resolved.ok) return [...inputs, resolved.path];
  reportAt(context.problems, located, [
    { path: ['judge', 'calibration_file'], code: 'invalid_format', message: `the path ${resolved.message}` },
  ]);
  return inputs;
}
