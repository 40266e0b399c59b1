import { z } from 'zod';
import { Suite } from '../definitions/suite.ts';
import { KeyName, Name } from '../definitions/texts.ts';
import { VariableValue } from '../definitions/variables.ts';
import { AgentHeader } from './agent-document.ts';
import { CaseFile, SchemaVersion } from './case-file.ts';
import { EvaluationsBlock } from './evaluations-block.ts';

const Cell = z.record(z.string(), VariableValue);

/** Axes by name, beside them the cells to add and to leave out. */
export const MatrixBlock = z
  .object({ include: z.array(Cell).optional(), exclude: z.array(Cell).optional() })
  .catchall(z.array(VariableValue).min(1));

const ScheduleTime = z
  .string()
  .regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/, 'must be a time of day such as 02:00, in UTC');

/** A suite as it is written, without its agent and cases, which are read and reported one by one. */
export const SuiteHeader = Suite.omit({ cases: true }).extend({
  schema_version: SchemaVersion.optional(),
  name: Name,
  test_type: KeyName.optional(),
  description: z.string().nullish(),
  evaluations: EvaluationsBlock.nullish(),
  matrix: MatrixBlock.optional(),
  schedule_time: ScheduleTime.nullish(),
  repetitions: z.int().min(1).max(100).optional(),
});
export type SuiteHeader = z.infer<typeof SuiteHeader>;

const CaseEntry = z.union([z.string().min(1), z.strictObject({ file: z.string().min(1) }), CaseFile]);

/** The whole suite file: what editors complete and check. */
export const SuiteFile = SuiteHeader.extend({
  agent: z.union([z.string().min(1), AgentHeader]),
  cases: z.array(CaseEntry).min(1).optional(),
  test_cases: z.array(CaseEntry).min(1).optional(),
});
export type SuiteFile = z.infer<typeof SuiteFile>;

export const AgentFile = AgentHeader.extend({ test_cases: z.array(CaseEntry).min(1).optional() });
export type AgentFile = z.infer<typeof AgentFile>;
