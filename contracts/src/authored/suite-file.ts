import { z } from 'zod';
import { CasesFromList, MatrixFrom } from '../definitions/case-rows.ts';
import { gateDefaults } from '../definitions/gate.ts';
import { Project } from '../definitions/project.ts';
import { Suite } from '../definitions/suite.ts';
import { KeyName, Name } from '../definitions/texts.ts';
import { VariableValue } from '../definitions/variables.ts';
import type { Finding } from '../parse/finding.ts';
import { isMapping } from '../parse/schema-plan.ts';
import { AgentHeader } from './agent-document.ts';
import { CaseFile, SchemaVersion } from './case-file.ts';
import { EvaluationsBlock } from './evaluations-block.ts';

const Cell = z.record(z.string(), VariableValue);

/** Axes by name, beside them the cells to add and to leave out. */
const MatrixBlock = z
  .object({ include: z.array(Cell).optional(), exclude: z.array(Cell).optional() })
  .catchall(z.array(VariableValue).min(1));

const ScheduleTime = z.string().regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/, 'must be a time of day such as 02:00');

/** A suite as it is written, without its agent and cases, which are read and reported one by one. */
export const SuiteHeader = Suite.omit({ cases: true, matrix_include: true, matrix_exclude: true }).extend({
  schema_version: SchemaVersion.optional().describe('Version of this format.'),
  name: Name.describe('Name of the suite, unique in the repository.'),
  test_type: KeyName.optional().describe('Which variables the cases have; agent-eval unless set.'),
  description: z.string().nullish().describe('For people.'),
  evaluations: EvaluationsBlock.nullish().describe('Metrics of all cases.'),
  matrix: MatrixBlock.optional().describe(
    'Variables with several values each; every combination runs. include adds cells, exclude leaves cells out.',
  ),
  matrix_from: MatrixFrom.optional().describe('Further axes of the matrix, whose values are the columns of files.'),
  schedule_time: ScheduleTime.nullish().describe(
    'Time of day of a daily or weekly suite, such as 02:00, in schedule_time_zone.',
  ),
  repetitions: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe('How often every case runs; 3 in comparisons unless set, else 1.'),
});
export type SuiteHeader = z.infer<typeof SuiteHeader>;

const readApart = z.unknown().optional();

/** The top of a suite file; agent and cases are read and reported one by one. */
export const SuiteOutline = SuiteHeader.extend({
  agent: readApart,
  cases: readApart,
  test_cases: readApart,
  cases_from: readApart,
});
export type SuiteOutline = z.infer<typeof SuiteOutline>;

/** The top of an agent file. */
export const AgentOutline = AgentHeader.extend({ test_cases: readApart });

const CaseEntry = z.union([
  z.string().min(1),
  z.strictObject({ file: z.string().min(1).describe('Path of a case file from here.') }),
  CaseFile.meta({ id: 'Case' }),
]);

/** The whole suite file: what editors complete and check. */
export const SuiteFile = SuiteHeader.extend({
  agent: z.union([z.string().min(1), AgentHeader]).describe('Path of the agent file from here, or the agent itself.'),
  cases: z.array(CaseEntry).min(1).optional().describe('The cases, or paths of case files from here.'),
  test_cases: z.array(CaseEntry).min(1).optional().describe('Another word for cases.'),
  cases_from: CasesFromList.optional().describe('Files whose rows become cases.'),
});
export type SuiteFile = z.infer<typeof SuiteFile>;

export const AgentFile = AgentHeader.extend({ test_cases: z.array(CaseEntry).min(1).optional() });
export type AgentFile = z.infer<typeof AgentFile>;

/** `proofmark.yaml` as it is written. */
export const ProjectFile = Project.extend({
  schema_version: SchemaVersion.optional().describe('Version of this format.'),
});

type Raw = Record<string, unknown>;

/** The rules between the keys of one suite, beyond the types of its keys. */
export function suiteFindings(raw: Raw): Finding[] {
  return [...scheduleFindings(raw), ...gateFindings(raw)];
}

function scheduleFindings(raw: Raw): Finding[] {
  const hasWord = raw.schedule_type !== undefined && raw.schedule_type !== null && raw.schedule_type !== 'manual';
  if (hasWord && raw.schedule_cron !== undefined && raw.schedule_cron !== null)
    return [
      {
        path: ['schedule_cron'],
        code: 'exclusive',
        message: '`schedule_cron` stands instead of `schedule_type`: take one of them away',
        at: 'key',
      },
    ];
  const missing = raw.schedule_day_of_week === undefined || raw.schedule_day_of_week === null;
  if (raw.schedule_type !== 'weekly' || !missing) return [];
  return [
    {
      path: ['schedule_day_of_week'],
      code: 'required',
      message: '`schedule_day_of_week` is missing: a weekly suite needs a day, 0 (Sunday) to 6',
      at: 'key',
    },
  ];
}

function gateFindings(raw: Raw): Finding[] {
  const gate = raw.gate;
  if (!isMapping(gate)) return [];
  const { screen = gateDefaults.screen, alpha = gateDefaults.alpha, reducer, reducer_k: reducerK } = gate;
  const findings: Finding[] = [];
  if (typeof screen === 'number' && typeof alpha === 'number' && screen < alpha) {
    findings.push({
      path: ['gate', 'screen'],
      code: 'out_of_range',
      message: `must be at least \`alpha\`, which is ${alpha}`,
    });
  }
  if (reducer === 'at_least' && reducerK === undefined) {
    findings.push({
      path: ['gate', 'reducer_k'],
      code: 'required',
      message: '`reducer_k` is missing: `at_least` needs a number',
      at: 'key',
    });
  }
  return findings;
}
