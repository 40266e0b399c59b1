import { z } from 'zod';
import { Gate } from './gate.ts';
import { EvaluationConfig } from './metrics.ts';
import { MockEntry, MockSettings } from './mocks.ts';
import { TestCase } from './test-case.ts';
import { Name, refusal } from './texts.ts';
import { VariableValue } from './variables.ts';

export const Judge = z.strictObject({
  ai_configuration: z.string().min(1),
  panel: z
    .array(z.string().min(1))
    .min(3)
    .max(5)
    .refine((names) => names.length % 2 === 1, refusal('invalid_value', 'must have 3 or 5 members'))
    .optional(),
  calibration_file: z.string().min(1).optional(),
});
export type Judge = z.infer<typeof Judge>;

export const Simulator = z.strictObject({
  ai_configuration: z.string().min(1),
  temperature: z.number().min(0).max(2).default(0.7),
  first_speaker: z.enum(['user', 'agent']).default('user'),
  review: z.enum(['off', 'label', 'exclude']).default('off'),
});
export type Simulator = z.infer<typeof Simulator>;

/** A suite as everything behind the parser sees it; the agent is loaded beside it, not inside. */
export const Suite = z.strictObject({
  name: Name,
  description: z.string().nullable().default(null),
  test_type: z.string().min(1).default('agent-eval'),
  variables: z.record(z.string(), VariableValue).default({}),
  judge: Judge.nullable().default(null),
  simulator: Simulator.nullable().default(null),
  embedding: z
    .strictObject({ ai_configuration: z.string().min(1) })
    .nullable()
    .default(null),
  evaluations: EvaluationConfig.nullable().default(null),
  mocks: z.array(MockEntry).default([]),
  mock_settings: MockSettings.prefault({}),
  /** Absent: 3 for runs that are compared or recorded as base, 1 for all others. */
  repetitions: z.int().min(1).max(100).optional(),
  gate: Gate.prefault({}),
  matrix: z.record(z.string(), z.array(VariableValue).min(1)).default({}),
  /** Cells to add to the matrix and cells to leave out of it. */
  matrix_include: z.array(z.record(z.string(), VariableValue)).default([]),
  matrix_exclude: z.array(z.record(z.string(), VariableValue)).default([]),
  schedule_type: z.enum(['manual', 'hourly', 'daily', 'weekly']).default('manual'),
  schedule_time: z.string().nullable().default(null),
  schedule_day_of_week: z.int().min(0).max(6).nullable().default(null),
  alert_on_regression: z.boolean().default(true),
  alert_threshold_percent: z.int().min(1).max(100).default(10),
  is_enabled: z.boolean().default(true),
  watch: z.array(z.string().min(1)).default([]),
  cases: z.array(TestCase).min(1),
});
export type Suite = z.infer<typeof Suite>;
