import { defineEntity, p } from '@mikro-orm/core';
import type { Suite } from '@proofmark/contracts/suite';
import type { VariableValue } from '@proofmark/contracts/variables';
import { ScheduleType } from '@proofmark/contracts/words';
import { Agent } from './agent.ts';
import { belongsTo, createdAt, deletedAt, id, mayReferTo, partOf, tenantId, text, updatedAt } from './columns.ts';
import { indexOn } from './index-on.ts';
import { ModelConfiguration } from './model-configuration.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';
import { TestType } from './test-type.ts';
import { User } from './user.ts';

const AgentTestSuiteSchema = defineEntity({
  name: 'AgentTestSuite',
  tableName: 'agent_test_suites',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  uniques: [
    {
      name: 'agent_test_suites_agent_name_key',
      properties: ['tenantId', 'agent', 'name'],
      where: 'deleted_at is null',
    },
  ],
  indexes: [
    indexOn('agent_test_suites_tenant_idx', 'agent_test_suites', ['tenant_id']),
    indexOn('agent_test_suites_agent_idx', 'agent_test_suites', ['agent_id']),
  ],
  checks: [
    { name: 'agent_test_suites_schedule_time_check', expression: `schedule_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'` },
    {
      name: 'agent_test_suites_schedule_day_check',
      expression: 'schedule_day_of_week >= 0 and schedule_day_of_week <= 6',
    },
    {
      name: 'agent_test_suites_alert_check',
      expression: 'alert_threshold_percent >= 1 and alert_threshold_percent <= 100',
    },
  ],
  properties: {
    tenantId,
    id: id(),
    agent: () => partOf(Agent, 'agent_id'),
    name: text(),
    description: text().nullable(),
    scheduleType: p.enum(ScheduleType.options).default('manual'),
    /** HH:MM in UTC, for daily and weekly. */
    scheduleTime: text().nullable(),
    /** 0 is Sunday. */
    scheduleDayOfWeek: p.integer().nullable(),
    llmJudgeModelConfig: () => mayReferTo(ModelConfiguration, 'llm_judge_model_config_id'),
    alertOnRegression: p.boolean().default(true),
    alertThresholdPercent: p.integer().default(10),
    isEnabled: p.boolean().default(true),
    createdBy: () => belongsTo(User, 'created_by'),
    /** The suite's file from the root of its repository; null when it was made through the API. */
    path: text().nullable(),
    /** The whole suite without its cases. */
    definition: p.json<Omit<Suite, 'cases'>>().nullable(),
    definitionHash: text().nullable(),
    testType: () => mayReferTo(TestType, 'test_type_id'),
    variables: p.json<Record<string, VariableValue>>().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    deletedAt: deletedAt(),
  },
});

/** A named list of cases for one agent, with defaults, schedule, alert rule and gate. */
export class AgentTestSuite extends AgentTestSuiteSchema.class {}
AgentTestSuiteSchema.setClass(AgentTestSuite);
