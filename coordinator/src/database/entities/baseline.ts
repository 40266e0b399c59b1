import { defineEntity } from '@mikro-orm/core';
import { AgentTestSuite } from './agent-test-suite.ts';
import { createdAt, id, partOf, tenantId, text } from './columns.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';
import { TestSuiteRun } from './test-suite-run.ts';

const BaselineSchema = defineEntity({
  name: 'Baseline',
  tableName: 'baselines',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  uniques: [{ name: 'baselines_commit_key', properties: ['tenantId', 'suite', 'cellKey', 'commitSha'] }],
  indexes: [
    { name: 'baselines_agent_hash_idx', properties: ['tenantId', 'suite', 'cellKey', 'agentHash', 'createdAt'] },
    { name: 'baselines_suite_run_idx', properties: ['tenantId', 'suiteRun'] },
  ],
  properties: {
    tenantId,
    id: id(),
    suite: () => partOf(AgentTestSuite, 'suite_id'),
    cellKey: text(),
    commitSha: text(),
    suiteRun: () => partOf(TestSuiteRun, 'suite_run_id'),
    agentHash: text(),
    createdAt: createdAt(),
  },
});

/** A finished suite run of the base branch that others may be compared with, found by its commit. */
export class Baseline extends BaselineSchema.class {}
BaselineSchema.setClass(Baseline);
