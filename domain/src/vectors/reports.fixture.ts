import { z } from 'zod';
import { countMetrics, summarize } from '../report/summarize.ts';
import { metricPassed } from '../results/metric-passed.ts';
import { formatDuration, formatRate } from '../text/format-numbers.ts';
import { type Adapter, adapter } from './adapter.fixture.ts';

const Scored = z.object({ metric_name: z.string(), score: z.number().nullable() });
const SummarizedResult = z
  .object({ passed: z.boolean(), execution_time_ms: z.number(), metrics: z.array(Scored) })
  .transform(({ metrics, ...rest }) => ({ ...rest, metric_results: metrics }));

/** The one number of the input, whatever it is called. */
const Milliseconds = z
  .record(z.string(), z.unknown())
  .transform((fields) => z.number().parse(Object.values(fields).find((value) => typeof value === 'number')));

export const reports: Readonly<Record<string, Adapter>> = {
  summary: adapter(z.object({ results: z.array(SummarizedResult) }), ({ results }) => summarize(results)),
  metric_passed: adapter(
    z.object({ score: z.number().nullable(), threshold: z.number().nullish(), verdict: z.boolean().nullish() }),
    (input) => ({ passed: metricPassed(input) }),
  ),
  test_result_counts: adapter(z.object({ metrics: z.array(z.object({ passed: z.boolean() })) }), ({ metrics }) =>
    countMetrics(metrics),
  ),
  format_duration: adapter(Milliseconds, formatDuration),
  format_pass_rate: adapter(z.object({ pass_rate: z.number().nullable() }), ({ pass_rate }) => formatRate(pass_rate)),
};
