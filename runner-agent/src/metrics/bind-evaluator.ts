import type { Metric } from '@proofmark/contracts/metrics';
import { checkEvaluators } from './check-evaluators.ts';
import type { Evaluator } from './evaluator.ts';
import { gevalEvaluator } from './geval-evaluator.ts';
import { lexicalEvaluators } from './lexical-evaluators.ts';
import { ragEvaluator } from './rag-evaluator.ts';
import { ragTasks } from './rag-tasks.ts';
import { rubricEvaluator } from './rubric-evaluator.ts';
import { rubrics } from './rubrics.ts';

/** The evaluator of a metric; undefined for a name or kind that there is none for, which loading refuses before any run. */
export function bindEvaluator({ type, metric, metric_type }: Metric): Evaluator | undefined {
  switch (type) {
    case 'geval':
      return gevalEvaluator;
    case 'rag':
      return metric_type && ragEvaluator(ragTasks[metric_type]);
    case 'standard': {
      const rubric = rubrics.get(metric);
      return rubric ? rubricEvaluator(rubric) : (lexicalEvaluators.get(metric) ?? checkEvaluators.get(metric));
    }
  }
}

/** Every name of type `standard` that has an evaluator. */
export const boundMetrics: readonly string[] = [
  ...rubrics.keys(),
  ...lexicalEvaluators.keys(),
  ...checkEvaluators.keys(),
];
