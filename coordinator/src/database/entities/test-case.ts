import { defineEntity, p } from '@mikro-orm/core';
import type { ExpectedBehavior } from '@proofmark/contracts/checks';
import type { TestCase as CaseDefinition, Persona, ToolExpectation } from '@proofmark/contracts/test-case';
import type { TestVariableOverride } from '@proofmark/contracts/test-type';
import { CaseKind, CaseLife, Difficulty } from '@proofmark/contracts/words';
import { AgentTestSuite } from './agent-test-suite.ts';
import { count, createdAt, deletedAt, id, partOf, tenantOfWhole, text, updatedAt } from './columns.ts';
import { indexOn } from './index-on.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const TestCaseSchema = defineEntity({
  name: 'TestCase',
  tableName: 'test_cases',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  uniques: [
    { name: 'test_cases_suite_name_key', properties: ['tenantId', 'name', 'suite'], where: 'deleted_at is null' },
  ],
  indexes: [
    indexOn('test_cases_suite_idx', 'test_cases', ['suite_id']),
    indexOn('test_cases_created_at_idx', 'test_cases', ['tenant_id', 'created_at', 'id'], 'deleted_at is null'),
    indexOn('test_cases_file_idx', 'test_cases', ['file'], 'file is not null'),
    { name: 'test_cases_tags_idx', properties: ['tags'], type: 'gin' },
  ],
  checks: [
    { name: 'test_cases_name_check', expression: 'char_length(name) >= 1 and char_length(name) <= 255' },
    { name: 'test_cases_question_check', expression: `question is not null or kind = 'simulated'` },
  ],
  properties: {
    tenantId: tenantOfWhole,
    id: id(),
    suite: () => partOf(AgentTestSuite, 'suite_id'),
    name: text(),
    description: text().nullable(),
    kind: p.enum(CaseKind.options).default('simulated'),
    /** The input of a single-turn case; a simulated one opens with `initial_message`. */
    question: text().nullable(),
    expectedBehavior: p.json<ExpectedBehavior>().nullable(),
    sortOrder: count(),
    isEnabled: p.boolean().default(true),
    persona: p.json<Persona>().nullable(),
    initialMessage: text().nullable(),
    userContext: p.json<Record<string, unknown>>().nullable(),
    maxTurns: p.integer().nullable(),
    expectedOutcomes: p.json<Record<string, unknown>>().nullable(),
    expectedToolCalls: p.json<ToolExpectation[]>().nullable(),
    evaluationCriteriaOverride: text().nullable(),
    tags: p.array().columnType('text[]').defaultRaw(`'{}'`),
    difficulty: p.enum(Difficulty.options).default('normal'),
    status: p.enum(CaseLife.options).default('active'),
    variables: p.json<Record<string, TestVariableOverride>>().nullable(),
    definition: p.json<CaseDefinition>().nullable(),
    caseKey: text().nullable(),
    /** The file that it is written in, when that is not its suite's: suites that list it list this case. */
    file: text().nullable(),
    /** Where its name stands in the suite file. */
    line: p.integer().nullable(),
    /** 0 to 1, over the newest scored trials of the base branch; null below 10 of them. */
    flakiness: p.double().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    deletedAt: deletedAt(),
  },
});

export class TestCase extends TestCaseSchema.class {}
TestCaseSchema.setClass(TestCase);
