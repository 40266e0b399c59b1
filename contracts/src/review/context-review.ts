import type { Metric } from '../definitions/metrics.ts';
import type { TestCase } from '../definitions/test-case.ts';
import type { Finding } from '../parse/finding.ts';
import type { LoadedAgent } from './suite-review.ts';

/** Metrics that judge by a context, for a case that can never have one: no file, and no tool that could return anything. */
export function contextFindings(
  { files, name }: TestCase,
  metrics: readonly Metric[],
  agent: LoadedAgent | undefined,
): Finding[] {
  if (files.length > 0 || mayCallTools(agent)) return [];
  const judging = metrics.filter(needsContext).map(({ metric }) => `\`${metric}\``);
  if (judging.length === 0) return [];
  const what = judging.length === 1 ? `the metric ${judging[0]} judges` : `the metrics ${judging.join(', ')} judge`;
  return [
    {
      path: [],
      code: 'required',
      message: `case \`${name}\` needs a context: ${what} by one, and it has no \`files\` and the agent no \`tools\``,
      hint: 'Add `files` to the case or `tools` to the agent, or list the metrics of the case in `evaluations`.',
    },
  ];
}

function needsContext({ type, metric, metric_type, evaluation_params = [] }: Metric): boolean {
  if (type === 'rag') return metric_type !== 'answer_relevancy';
  if (type === 'geval') return evaluation_params.some((param) => param === 'context' || param === 'retrieval_context');
  return metric === 'groundedness';
}

/** A team's own service or program may tell of tools that its definition does not list. */
function mayCallTools(agent: LoadedAgent | undefined): boolean {
  if (agent === undefined || agent.toolNames === undefined || agent.broken.has('driver')) return true;
  const { type } = agent.agent.driver;
  return agent.toolNames.length > 0 || type === 'http' || type === 'command';
}
