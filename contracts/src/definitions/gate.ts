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

/** What the gate decides by unless a suite says otherwise; every other table of defaults is derived from this one. */
export const gateDefaults = {
  alpha: 0.05,
  strict: false,
  min_effect_percent: 2,
  screen: 0.2,
  fdr: 0.05,
  min_coverage_percent: 80,
} as const;

/** Settings of the gate (docs/suite-file.md#the-gate), with their defaults. */
export const Gate = z.strictObject({
  decide_by: z
    .enum(['statistics', 'alert', 'either'])
    .default('statistics')
    .describe('Whether the statistical verdict, the alert rule or either one decides.'),
  fail_on: z.array(VerdictWord).default(['regressed']).describe('Verdicts that make the check red.'),
  min_pass_rate: z.number().min(0).max(100).optional().describe('Lowest pass rate, 0 to 100, whatever came before.'),
  alpha: z
    .number()
    .min(0.001)
    .max(0.2)
    .default(gateDefaults.alpha)
    .describe('Risk of calling a suite worse that is not.'),
  strict: z
    .boolean()
    .default(gateDefaults.strict)
    .describe('Whether a probability that never exceeds its level decides instead of the mid-p, which is less wary.'),
  min_effect_percent: z
    .number()
    .min(0)
    .max(50)
    .default(gateDefaults.min_effect_percent)
    .describe('Smaller drops are not called regressions.'),
  screen: z
    .number()
    .min(0.001)
    .max(0.5)
    .default(gateDefaults.screen)
    .describe('Above this p-value nothing is suspected.'),
  fdr: z
    .number()
    .min(0.001)
    .max(0.2)
    .default(gateDefaults.fdr)
    .describe('Share of wrongly named cases that is accepted.'),
  min_coverage_percent: z
    .number()
    .min(1)
    .max(100)
    .default(gateDefaults.min_coverage_percent)
    .describe('Share of planned test runs that must have a result.'),
  history_trials: z.int().min(0).max(500).default(20).describe('How many earlier trials of the base count.'),
  history_max_age_days: z.int().min(1).max(90).default(14).describe('How old such trials may be.'),
  concurrent_base_trials: z.int().min(0).max(100).default(1).describe('Fresh trials of the base beside every head.'),
  confirm: z.enum(['off', 'manual', 'auto']).default('manual').describe('Whether a suspicion is tested again.'),
  stop: z.enum(['fixed', 'sequential']).default('fixed').describe('Whether a run ends early once it is decided.'),
  cluster_by: z
    .union([z.literal('none'), z.literal('file'), z.string().regex(/^tag:.+$/)])
    .default('none')
    .describe('Cases that belong together: none, file or tag:prefix.'),
  reducer: z
    .enum(['majority', 'all', 'any', 'at_least'])
    .default('majority')
    .describe('How the repetitions of a case become one result.'),
  reducer_k: z.int().min(1).max(100).optional().describe('How many must pass with at_least.'),
  pass_k: z.array(z.int().min(1).max(100)).optional().describe('For which k the chance of k passes is shown.'),
  quarantine: z
    .boolean()
    .default(true)
    .describe('Whether cases that are measured to be flaky are never flagged alone.'),
  alert_on_newly_failing: z.boolean().default(true).describe('Whether one newly failing case alerts.'),
});
export type Gate = z.infer<typeof Gate>;
