import { evaluationsFindings, namesOfMetrics } from '../authored/evaluations-block.ts';
import { SuiteHeader, SuiteOutline, suiteFindings } from '../authored/suite-file.ts';
import { resolveReference } from '../definitions/repository-path.ts';
import type { Finding } from '../parse/finding.ts';
import { readPartly } from '../parse/read-partly.ts';
import { isMapping, spelledKey } from '../parse/schema-plan.ts';
import { type Located, readReferenced, reportAt, type SourceDocument, within } from '../parse/source-document.ts';
import type { LoadContext, LoadedAgent } from '../review/suite-review.ts';
import { casesFrom } from './cases-from.ts';
import { loadAgent } from './load-agent.ts';
import { type CaseList, unwrapVariables } from './load-cases.ts';

/** The three parts of a suite, each as far as it could be read; what is wrong with them is reported. */
export interface SuiteParts {
  header: SuiteHeader | undefined;
  /** Where the header stands. */
  located: Located;
  /** Keys of the header with an error: what is missing there says nothing. */
  broken: ReadonlySet<string>;
  /** Names of the metrics, those with an error too; undefined when not every name can be read. */
  metricNames: readonly string[] | undefined;
  agent: LoadedAgent | undefined;
  cases: CaseList | undefined;
}

/** Reads a suite file, or a HoloDeck agent file, which is a suite of its own: it brings prompt, metrics and cases. */
export function readSuiteParts(context: LoadContext, document: SourceDocument): SuiteParts {
  const isAgentFile = Object.hasOwn(document.value, 'instructions') && !Object.hasOwn(document.value, 'agent');
  return isAgentFile ? partsOfAgentFile(context, document) : partsOfSuiteFile(context, document);
}

function partsOfAgentFile(context: LoadContext, document: SourceDocument): SuiteParts {
  const located: Located = { document, base: [] };
  const agent = loadAgent(context, located, document.value);
  const key = spelledKey(document.value, 'test_cases') ?? 'test_cases';
  const cases = caseList(context, located, key, document.value[key]);
  if (agent === undefined) return { ...nothing(located), cases };
  const { name, ai_configuration: judge } = agent.agent;
  const header = SuiteHeader.parse({ name, ...(judge === null ? {} : { judge: { ai_configuration: judge } }) });
  const broken = new Set([...agent.broken, ...(agent.broken.has('ai_configuration') ? ['judge'] : [])]);
  return { header, located, broken, metricNames: [], agent, cases };
}

const nothing = (located: Located): SuiteParts => ({
  header: undefined,
  located,
  broken: new Set(),
  metricNames: undefined,
  agent: undefined,
  cases: undefined,
});

function partsOfSuiteFile(context: LoadContext, document: SourceDocument): SuiteParts {
  const located: Located = { document, base: [] };
  const raw = document.value;
  const mistaken = otherKind(raw);
  if (mistaken !== undefined) {
    reportAt(context.problems, located, [mistaken]);
    return nothing(located);
  }
  const { value, folded, findings, broken, restore } = readPartly(SuiteOutline, unwrapVariables(raw), {
    name: 'nameless',
  });
  const rules = isMapping(folded)
    ? [...suiteFindings(folded), ...evaluationsFindings(folded.evaluations, ['evaluations'])]
    : [];
  const caseKeys = ['cases', 'test_cases'].flatMap((wanted) => spelledKey(raw, wanted) ?? []);
  reportAt(context.problems, located, [...findings, ...rules, ...(caseKeys.length > 1 ? [twoLists(caseKeys)] : [])]);
  const agentKey = spelledKey(raw, 'agent') ?? 'agent';
  const agent = broken.has('agent') ? undefined : agentOfSuite(context, located, agentKey, raw[agentKey]);
  return {
    header: value === undefined ? undefined : headerOf(value),
    located: { ...located, restore },
    broken,
    metricNames: isMapping(folded) ? namesOfMetrics(folded.evaluations) : undefined,
    agent,
    // A misspelt key was reported as such: then no list is missing.
    cases: broken.has('cases') ? undefined : casesOfSuite(context, located, { key: caseKeys[0], agent }),
  };
}

function casesOfSuite(
  context: LoadContext,
  located: Located,
  { key, agent }: { key: string | undefined; agent: LoadedAgent | undefined },
): CaseList | undefined {
  const rowsKey = spelledKey(located.document.value, 'cases_from');
  if (rowsKey !== undefined) {
    const fromRows = casesFrom(context, within(located, [rowsKey]), located.document.value[rowsKey]);
    if (key === undefined) return { located, entries: [], fromRows };
    const list = caseList(context, located, key, located.document.value[key]);
    return list && { ...list, fromRows };
  }
  if (key === undefined && agent?.testCases !== undefined)
    return caseList(context, agent.located, 'test_cases', agent.testCases);
  return caseList(context, located, key ?? 'cases', located.document.value[key ?? 'cases']);
}

/** A file of another kind that was given as a suite: one problem that says so, instead of one for each of its keys. */
function otherKind(raw: Readonly<Record<string, unknown>>): Finding | undefined {
  const has = (keys: readonly string[]): boolean => keys.some((key) => spelledKey(raw, key) !== undefined);
  if (has(['agent', 'cases', 'test_cases', 'cases_from'])) return undefined;
  const wrong = (message: string, hint: string): Finding => ({ path: [], code: 'invalid_value', message, hint });
  if (has(['input', 'question', 'persona', 'initial_message'])) {
    return wrong('this is a test case, not a suite', 'List it under `cases` of a suite, by its path.');
  }
  if (has(['variables_schema'])) {
    return wrong('this is a test type, not a suite', 'List it under `test_types` in proofmark.yaml.');
  }
  return undefined;
}

const headerOf = ({
  agent: _agent,
  cases: _cases,
  test_cases: _testCases,
  cases_from: _casesFrom,
  ...header
}: SuiteOutline): SuiteHeader => header;

const twoLists = (keys: readonly string[]): Finding => ({
  path: [keys[1] ?? 'test_cases'],
  code: 'exclusive',
  message: '`test_cases` is another word for `cases`: write one of them',
  at: 'key',
});

function agentOfSuite(context: LoadContext, located: Located, key: string, value: unknown): LoadedAgent | undefined {
  const refuse = refusalAt(context, located, key);
  if (isMapping(value)) return loadAgent(context, { document: located.document, base: [key] }, value);
  if (value === undefined) {
    return refuse({
      code: 'required',
      message: '`agent` is missing: the path of an agent file, or the agent itself',
      at: 'key',
    });
  }
  if (typeof value !== 'string' || value === '') {
    return refuse({
      code: 'invalid_type',
      message: 'must be the path of an agent file, or a mapping with the agent itself',
    });
  }
  const resolved = resolveReference(located.document.path, value);
  if (!resolved.ok) return refuse({ code: 'invalid_format', message: `the path \`${value}\` ${resolved.message}` });
  const known = context.agents.get(resolved.path);
  if (known !== undefined) return known.agent;
  const document = readReferenced(context, resolved.path, refuse);
  const agent = document === undefined ? undefined : loadAgent(context, { document, base: [] }, document.value);
  // A file that is missing is reported by every suite that names it; one that is wrong is reported once, at its own lines.
  if (document !== undefined) context.agents.set(resolved.path, { agent });
  return agent;
}

function caseList(context: LoadContext, located: Located, key: string, entries: unknown): CaseList | undefined {
  const refuse = refusalAt(context, located, key);
  if (entries === undefined) {
    return refuse({
      code: 'required',
      message: `\`${key}\` is missing: a suite needs at least one case`,
      hint: 'Or make cases of the rows of a file with `cases_from`.',
      at: 'key',
    });
  }
  if (!Array.isArray(entries)) return refuse({ code: 'invalid_type', message: 'must be a list of cases' });
  if (entries.length === 0) return refuse({ code: 'too_short', message: 'must have at least one case' });
  return { located: { document: located.document, base: [...located.base, key] }, entries };
}

const refusalAt =
  ({ problems }: LoadContext, located: Located, key: string) =>
  (finding: Omit<Finding, 'path'>): undefined =>
    reportAt(problems, located, [{ path: [key], ...finding }]);
