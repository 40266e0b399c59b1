import { unknownConfiguration } from '../authored/configurations.ts';
import { compileJsonSchema } from '../definitions/json-schema.ts';
import type { Metric } from '../definitions/metrics.ts';
import { didYouMean, noSuchFile } from '../definitions/near-match.ts';
import { isMapped, settledService } from '../definitions/service-presets.ts';
import type { Suite } from '../definitions/suite.ts';
import { type CaseTurn, checksOfCase, hasCheck, type TestCase } from '../definitions/test-case.ts';
import { type Finding, warning } from '../parse/finding.ts';
import { reportAt } from '../parse/source-document.ts';
import { idleAgentFindings, ownAnswerFindings } from './futile-checks.ts';
import { matcherFindings } from './matcher-findings.ts';
import {
  contextFindings,
  idleThresholdFindings,
  measuringFindings,
  metricsOfCase,
  modelFindings,
  referenceFindings,
} from './measuring-review.ts';
import { type LoadContext, type LoadedCase, type SuiteReview, withoutWrong } from './suite-review.ts';
import { serviceFindings } from './template-data.ts';
import { instructionFindings, templateFindings } from './template-review.ts';
import { idleMockFindings, mockFindings, simulationFindings, toolExpectationFindings } from './tool-review.ts';
import {
  caseSteeringFindings,
  caseVariableFindings,
  reportTypeDefaults,
  suiteSteeringFindings,
  suiteVariableFindings,
  withSteering,
} from './variable-review.ts';

/** Checks what no single file can tell: names that must exist elsewhere, and whether every case can be judged. */
export function reviewSuite(context: LoadContext, review: SuiteReview): void {
  const { suite, agent, variables, located, evaluationsOwner } = review;
  const ofVariables =
    variables === undefined
      ? []
      : withoutWrong(suiteVariableFindings(suite, variables.all).filter(isTellable(review)), variables);
  reportAt(context.problems, located, [
    ...configurationFindings(context, suite),
    ...withSteering(ofVariables, suiteSteeringFindings(context, review)),
    ...mockFindings(suite.mocks, agent),
    ...simulationFindings(review),
    ...idleMockFindings(suite, agent),
    ...activityFindings(review),
  ]);
  reportTypeDefaults(context, review);
  if (evaluationsOwner !== undefined) reportAt(context.problems, evaluationsOwner, measuringFindings(review));
  if (agent !== undefined) {
    reportAt(context.problems, agent.located, [
      ...(variables === undefined ? [] : instructionFindings(agent.agent.instructions, variables.all)),
      ...serviceFindings(agent, variables?.all),
    ]);
  }
  for (const loaded of review.cases) {
    reportAt(context.problems, loaded.located, reviewCase(loaded, review, context));
  }
}

/** Whether a finding still holds when the keys with an error are repaired: a value that is missing may be among them. */
const isTellable =
  ({ broken }: SuiteReview) =>
  ({ code }: Finding): boolean =>
    code !== 'missing_required' || !['variables', 'matrix'].some((key) => broken.has(key));

function configurationFindings(context: LoadContext, suite: Suite): Finding[] {
  const named = [
    { path: ['judge', 'ai_configuration'], name: suite.judge?.ai_configuration },
    ...(suite.judge?.panel ?? []).map((name, index) => ({ path: ['judge', 'panel', index], name })),
    { path: ['simulator', 'ai_configuration'], name: suite.simulator?.ai_configuration },
    { path: ['embedding', 'ai_configuration'], name: suite.embedding?.ai_configuration },
  ];
  return named.flatMap(({ path, name }) =>
    name === undefined || context.configurations.has(name) ? [] : [unknownConfiguration(name, context, path)],
  );
}

function activityFindings({ suite, cases, areAllCasesRead }: SuiteReview): Finding[] {
  const mayBeActive = cases.some(({ broken }) => broken.has('status') || broken.has('is_enabled'));
  if (!areAllCasesRead || mayBeActive) return [];
  if (suite.cases.some(({ status, is_enabled }) => status === 'active' && is_enabled)) return [];
  const message = 'no case is active: a run of this suite is neutral, never green';
  return [{ ...warning(['cases'], 'invalid_value', message), at: 'key' }];
}

/** What is wrong with a case in its suite. A case that does not run need not be judgeable yet. */
function reviewCase(loaded: LoadedCase, review: SuiteReview, context: LoadContext): Finding[] {
  const { testCase, broken } = loaded;
  const { variables } = review;
  const isActive =
    testCase.status === 'active' && testCase.is_enabled && !broken.has('status') && !broken.has('is_enabled');
  return [
    ...metricNameFindings(testCase, review),
    ...(variables === undefined ? [] : templateFindings(testCase, variables.all)),
    ...(testCase.variables === null ? [] : overrideFindings(context, review, testCase.variables)),
    ...toolExpectationFindings(testCase, review.agent),
    ...schemaFindings(testCase),
    ...fileFindings(testCase, context),
    ...turnFindings(testCase, context),
    ...historyFindings(testCase, review),
    ...(isActive ? activeFindings(loaded, review) : []),
  ];
}

/** What a case makes of the variables. */
function overrideFindings(
  context: LoadContext,
  review: SuiteReview,
  overrides: NonNullable<TestCase['variables']>,
): Finding[] {
  const { variables } = review;
  const found = variables === undefined ? [] : withoutWrong(caseVariableFindings(overrides, variables.all), variables);
  return withSteering(found, caseSteeringFindings(context, review, overrides));
}

/** Where the means of judgement of a case stand. */
const judgedBy = [
  'expected_behavior',
  'expected_tools',
  'expected_tool_calls',
  'expected_outcomes',
  'turns',
  'evaluation_criteria_override',
  'evaluations',
];

function activeFindings({ testCase, broken }: LoadedCase, review: SuiteReview): Finding[] {
  const metrics = metricsOfCase(review.suite.evaluations, testCase);
  const isOpen = judgedBy.some((key) => broken.has(key)) || !areMetricsKnown(review);
  if (!isJudged(testCase, metrics)) return isOpen ? [] : [notJudged(testCase)];
  return [
    ...modelFindings(testCase, review),
    ...idleThresholdFindings(testCase),
    ...(broken.has('ground_truth') || broken.has('evaluations') ? [] : referenceFindings(testCase, metrics)),
    ...(broken.has('files') || broken.has('evaluations') ? [] : contextFindings(testCase, metrics, review.agent)),
    ...(isOpen ? [] : idleAgentFindings(testCase, metrics)),
    ...(broken.has('expected_behavior') ? [] : ownAnswerFindings(testCase)),
  ];
}

const areMetricsKnown = ({ broken, evaluationsOwner, agent }: SuiteReview): boolean =>
  evaluationsOwner !== undefined && !broken.has('evaluations') && agent?.broken.has('evaluations') !== true;

function metricNameFindings({ evaluations, name }: TestCase, { metricNames: configured }: SuiteReview): Finding[] {
  if (configured === undefined) return [];
  return (evaluations ?? []).flatMap((metric, index): Finding[] => {
    if (configured.includes(metric)) return [];
    const message = `case \`${name}\` lists the metric \`${metric}\`, which \`evaluations\` of the suite does not configure${didYouMean(metric, configured)}`;
    const hint = configured.length === 0 ? 'It configures none.' : `It configures: ${configured.join(', ')}.`;
    return [{ path: ['evaluations', index], code: 'not_found', message, hint }];
  });
}

/** A service that keeps its conversations itself is told one message after another, and no past. */
function historyFindings({ messages }: TestCase, { agent }: SuiteReview): Finding[] {
  if (messages === undefined || agent === undefined || agent.broken.has('driver')) return [];
  const { driver } = agent.agent;
  if (driver.type !== 'http' || !isMapped(driver)) return [];
  const { mapping, body } = settledService(driver);
  const asked = JSON.stringify([mapping?.request, body]);
  if (/"\$from":"(?:history|messages|ui_messages)\b/.test(asked)) return [];
  const message = `the service keeps conversations itself: what it is asked takes up no \`messages\``;
  const hint = 'Let `mapping.request` take up { $from: messages }, or say with `turns` what is to be said anew.';
  return [{ path: ['messages'], code: 'exclusive', message, hint, at: 'key' }];
}

/** An empty list of tool expectations asserts nothing, and neither does an empty map of outcomes. */
const isJudged = (testCase: TestCase, metrics: readonly Metric[]): boolean =>
  metrics.length > 0 ||
  testCase.expected_behavior !== null ||
  testCase.turns?.some(isTurnJudged) === true ||
  (testCase.expected_tool_calls?.length ?? 0) > 0 ||
  Object.keys(testCase.expected_outcomes ?? {}).length > 0 ||
  testCase.evaluation_criteria_override !== null;

const isTurnJudged = ({ expected_behavior, expected_tool_calls }: CaseTurn): boolean =>
  expected_behavior !== null || (expected_tool_calls?.length ?? 0) > 0;

const notJudged = ({ name }: TestCase): Finding => ({
  path: [],
  code: 'required',
  message: `case \`${name}\` cannot be judged: it has no checks, metrics, tool expectations or outcomes`,
  hint: 'Give it `expected_behavior`, `expected_tools` or `expected_outcomes`, or its suite `evaluations` with metrics; or set `status: draft`.',
});

function schemaFindings(testCase: TestCase): Finding[] {
  if (!hasCheck(testCase, ['json_path', 'json_schema', 'contains_json'])) return [];
  return checksOfCase(testCase).flatMap(({ check, path }): Finding[] => {
    if (check.type === 'json_path') return matcherFindings(check.expected, [...path, 'expected']);
    const schema = check.type === 'json_schema' || check.type === 'contains_json' ? check.schema : undefined;
    const compiled = schema && compileJsonSchema(schema);
    if (compiled === undefined || compiled.ok) return [];
    return [{ path: [...path, 'schema'], code: 'invalid_value', message: compiled.message }];
  });
}

function fileFindings({ files }: TestCase, { source }: LoadContext): Finding[] {
  return files.flatMap(({ path }, index): Finding[] => {
    if (path === undefined || source.exists === undefined || source.exists(path)) return [];
    return [{ path: ['files', index, 'path'], code: 'not_found', message: noSuchFile(path, source.paths?.()) }];
  });
}

function turnFindings({ max_turns: turns, turns: fixed }: TestCase, { project }: LoadContext): Finding[] {
  const cap = project.limits.max_turns;
  if (fixed !== undefined && fixed.length > cap) {
    const message = `the case has ${fixed.length} turns, \`limits.max_turns\` of the project allows ${cap}`;
    return [{ path: ['turns'], code: 'limit', message, hint: 'Raise `limits.max_turns` in proofmark.yaml.' }];
  }
  if (turns === null || turns <= cap) return [];
  return [warning(['max_turns'], 'out_of_range', `\`max_turns\` is cut to ${cap}, the limit of the project`)];
}
