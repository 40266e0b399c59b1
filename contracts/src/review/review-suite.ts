import { unknownConfiguration } from '../authored/configurations.ts';
import type { Suite } from '../definitions/suite.ts';
import { type Finding, warning } from '../parse/finding.ts';
import { reportAt } from '../parse/source-document.ts';
import { measuringFindings } from './measuring-review.ts';
import { reviewCase } from './review-case.ts';
import { type LoadContext, type SuiteReview, withoutWrong } from './suite-review.ts';
import { serviceFindings } from './template-data.ts';
import { instructionFindings } from './template-review.ts';
import { idleMockFindings, mockFindings, simulationFindings } from './tool-review.ts';
import { reportTypeDefaults, suiteSteeringFindings, suiteVariableFindings, withSteering } from './variable-review.ts';

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
