import type { Suite } from '../definitions/suite.ts';
import { type LoadContext, unknownConfiguration } from '../load/load-context.ts';
import { reportAt } from '../load/located.ts';
import type { Finding } from '../parse/finding.ts';
import { reviewCase } from './review-case.ts';
import type { SuiteReview } from './suite-review.ts';

/** Checks what no single file can tell: names that must exist elsewhere, and whether every case can be judged. */
export function reviewSuite(context: LoadContext, review: SuiteReview): void {
  reportAt(context.problems, review.located, configurationFindings(context, review.suite));
  for (const loaded of review.cases) reportAt(context.problems, loaded.located, reviewCase(loaded.testCase, review));
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
