import type { EvaluationParam, Metric } from '@proofmark/contracts/metrics';
import { hangLines } from '../judge/hang-lines.ts';
import type { MetricSubject } from './metric-subject.ts';

export interface GevalParam {
  title: string;
  /** What is missing when it is empty. */
  input: string;
  read: (subject: MetricSubject) => string;
}

/** What a G-Eval metric looks at, in its order, each once; the response unless it says otherwise. */
export const gevalParams = ({ evaluation_params: chosen = ['actual_output'] }: Metric): GevalParam[] =>
  [...new Set(chosen)].map((param) => params[param]);

const params: Readonly<Record<EvaluationParam, GevalParam>> = {
  input: { title: 'Input', input: 'query', read: ({ query }) => query },
  actual_output: { title: 'Actual output', input: 'response', read: ({ response }) => response },
  expected_output: {
    title: 'Expected output',
    input: 'ground_truth',
    read: ({ groundTruth }) => groundTruth ?? '',
  },
  context: { title: 'Context', input: 'context', read: ({ context }) => context },
  retrieval_context: {
    title: 'Retrieved context',
    input: 'retrieval_context',
    read: ({ chunks }) => chunks.map((chunk, index) => `${index + 1}. ${hangLines(chunk)}`).join('\n\n'),
  },
};
