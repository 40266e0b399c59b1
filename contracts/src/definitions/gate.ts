import { z } from 'zod';

export const VerdictWord = z.enum([
  'regressed',
  'suspected',
  'insufficient',
  'inconclusive',
  'unchanged',
  'improved',
  'no-baseline',
  'error',
]);
export type VerdictWord = z.infer<typeof VerdictWord>;

/** Settings of the gate (statistics, section 11), with their defaults. */
export const Gate = z.strictObject({
  decide_by: z.enum(['statistics', 'alert', 'either']).default('statistics'),
  fail_on: z.array(VerdictWord).default(['regressed']),
  min_pass_rate: z.number().min(0).max(100).optional(),
  alpha: z.number().min(0.001).max(0.2).default(0.05),
  strict: z.boolean().default(false),
  min_effect_percent: z.number().min(0).max(50).default(2),
  screen: z.number().min(0.001).max(0.5).default(0.2),
  fdr: z.number().min(0.001).max(0.2).default(0.05),
  min_coverage_percent: z.number().min(1).max(100).default(80),
  history_trials: z.int().min(0).max(500).default(20),
  history_max_age_days: z.int().min(1).max(90).default(14),
  concurrent_base_trials: z.int().min(0).max(100).default(1),
  confirm: z.enum(['off', 'manual', 'auto']).default('manual'),
  stop: z.enum(['fixed', 'sequential']).default('fixed'),
  cluster_by: z.union([z.literal('none'), z.literal('file'), z.string().regex(/^tag:.+$/)]).default('none'),
  reducer: z.enum(['majority', 'all', 'any', 'at_least']).default('majority'),
  reducer_k: z.int().min(1).max(100).optional(),
  pass_k: z.array(z.int().min(1).max(100)).optional(),
  quarantine: z.boolean().default(true),
  alert_on_newly_failing: z.boolean().default(true),
});
export type Gate = z.infer<typeof Gate>;
