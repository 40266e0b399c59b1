import { z } from 'zod';
import { CronExpression, TimeZone } from './cron.ts';
import { Gate } from './gate.ts';
import { EvaluationConfig } from './metrics.ts';
import { MockEntry, MockSettings } from './mocks.ts';
import { PathPattern } from './path-pattern.ts';
import { PoolName } from './pool.ts';
import { TestCase } from './test-case.ts';
import { Name, refusal } from './texts.ts';
import { VariableValue } from './variables.ts';
import { ScheduleType } from './words.ts';

export const Judge = z.strictObject({
  ai_configuration: z.string().min(1).describe('AI configuration of the judge.'),
  panel: z
    .array(z.string().min(1))
    .min(3)
    .max(5)
    .refine((names) => names.length % 2 === 1, refusal('invalid_value', 'must have 3 or 5 members'))
    .optional()
    .describe('3 or 5 AI configurations that vote.'),
  calibration_file: z.string().min(1).optional().describe('JSONL of labelled answers to measure the judge with.'),
});
export type Judge = z.infer<typeof Judge>;

export const Simulator = z.strictObject({
  ai_configuration: z.string().min(1).describe('AI configuration of the simulated user.'),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .optional()
    .describe('0 to 2; that of its AI configuration unless set, else 0.7.'),
  first_speaker: z.enum(['user', 'agent']).default('user').describe('Who opens the conversation.'),
  review: z
    .enum(['off', 'label', 'exclude'])
    .default('off')
    .describe('Whether failed conversations are looked through for faults of the simulator.'),
});
export type Simulator = z.infer<typeof Simulator>;

/** A suite as everything behind the parser sees it; the agent is loaded beside it, not inside. */
export const Suite = z.strictObject({
  name: Name.describe('Name of the suite, unique in the repository.'),
  description: z.string().nullable().default(null).describe('For people.'),
  test_type: z.string().min(1).default('agent-eval').describe('Which variables the cases have; agent-eval unless set.'),
  variables: z
    .record(z.string(), VariableValue)
    .default({})
    .describe('Values for all cases of the suite, by variable.'),
  judge: Judge.nullable().default(null).describe('The model that judges.'),
  simulator: Simulator.nullable()
    .default(null)
    .describe("The model that plays users and simulated tools; the judge's unless set."),
  embedding: z
    .strictObject({ ai_configuration: z.string().min(1).describe('AI configuration of the embeddings.') })
    .nullable()
    .default(null)
    .describe("The model of semantic_similarity; the judge's provider unless set."),
  evaluations: EvaluationConfig.nullable().default(null).describe('Metrics of all cases.'),
  mocks: z
    .array(MockEntry)
    .default([])
    .describe('Canned answers of tools, in order; each is used once unless times says otherwise.'),
  mock_settings: MockSettings.prefault({}).describe(
    'How calls without a canned answer are treated, and the state that canned answers share.',
  ),
  /** Absent: 3 for runs that are compared or recorded as base, 1 for all others. */
  repetitions: z.int().min(1).max(100).optional(),
  gate: Gate.prefault({}).describe('When a run is red.'),
  matrix: z.record(z.string(), z.array(VariableValue).min(1)).default({}),
  /** Cells to add to the matrix and cells to leave out of it. */
  matrix_include: z.array(z.record(z.string(), VariableValue)).default([]),
  matrix_exclude: z.array(z.record(z.string(), VariableValue)).default([]),
  schedule_type: ScheduleType.default('manual').describe('How often the coordinator runs the suite by itself.'),
  schedule_time: z.string().nullable().default(null),
  schedule_day_of_week: z.int().min(0).max(6).nullable().default(null).describe('Day of a weekly suite, 0 is Sunday.'),
  schedule_cron: CronExpression.nullish().describe(
    'When the coordinator runs the suite by itself, as a cron expression; instead of schedule_type.',
  ),
  schedule_time_zone: TimeZone.nullish().describe('Time zone of the schedule, such as Europe/Berlin; UTC unless set.'),
  schedule_jitter_minutes: z
    .int()
    .min(0)
    .max(60)
    .nullish()
    .describe('Up to how many minutes later it may begin, always the same for a suite: so that not all begin at once.'),
  alert_on_regression: z.boolean().default(true).describe('Whether a drop of the pass rate alerts.'),
  alert_threshold_percent: z
    .int()
    .min(1)
    .max(100)
    .default(10)
    .describe('How many percentage points the pass rate may drop.'),
  pool: PoolName.optional().describe(
    'Pool of runners that executes it; that of its AI configurations unless set, else default. Without a coordinator it says nothing.',
  ),
  is_enabled: z.boolean().default(true).describe('false keeps the suite from running.'),
  watch: z
    .array(PathPattern)
    .max(100)
    .default([])
    .describe('Further files whose change affects the suite, as patterns.'),
  cases: z.array(TestCase).min(1),
});
export type Suite = z.infer<typeof Suite>;
