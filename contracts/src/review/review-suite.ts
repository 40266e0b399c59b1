import type { Suite } from '../definitions/suite.ts';
import { type LoadContext, unknownConfiguration } from '../load/load-context.ts';
import { reportAt } from '../load/located.ts';
import { type Finding, warning } from '../parse/finding.ts';
import { metricFindings } from './metric-review.ts';
import { reviewCase } from './review-case.ts';
import type { SuiteReview } from './suite-review.ts';
import { instructionFindings } from './template-review.ts';
import { mockFindings } from './tool-review.ts';
import { selectedConfigurationFindings, suiteVariableFindings } from './variable-review.ts';

/** Checks what no single file can tell: names that must exist elsewhere, and whether every case can be judged. */
export function reviewSuite(context: LoadContext, review: SuiteReview): void {
  const { suite, agent, testType, located } = review;
  const { variables } = testType.variables_schema;
  reportAt(context.problems, located, [
    ...configurationFindings(context, suite),
    ...selectedConfigurationFindings(context, suite, agent.agent.driver),
    ...suiteVariableFindings(suite, variables),
    ...mockFindings(suite.mocks, agent.agent),
    ...activityFindings(suite),
  ]);
  const evaluationsOwner = review.evaluationsFromAgent ? agent.located : located;
  reportAt(context.problems, evaluationsOwner, metricFindings(suite));
  reportAt(context.problems, agent.located, instructionFindings(agent.agent.instructions, variables));
  for (const loaded of review.cases) {
    reportAt(context.problems, loaded.located, reviewCase(loaded.testCase, review, context));
  }
}

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

function activityFindings(suite: Suite): Finding[] {
  if (suite.cases.some(({ status, is_enabled }) => status === 'active' && is_enabled)) return [];
  const message = 'no case is active: a run of this suite is neutral, never green';
  return [{ ...warning(['cases'], 'invalid_value', message), at: 'key' }];
}
