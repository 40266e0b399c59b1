import { defineEntity, p } from '@mikro-orm/core';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import { createdAt, tenantId } from './columns.ts';
import { Run } from './run.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const SimulatedAnswerSchema = defineEntity({
  name: 'SimulatedAnswer',
  tableName: 'simulated_answers',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  indexes: [{ name: 'simulated_answers_key_idx', properties: ['tenantId', 'key'] }],
  properties: {
    tenantId,
    run: () =>
      p
        .manyToOne(Run)
        .ref()
        .primary()
        .joinColumns('tenant_id', 'run_id')
        .ownColumns('run_id')
        .updateRule('no action')
        .deleteRule('cascade'),
    key: p.text().primary(),
    /** What was called, and what it returned. */
    entry: p.json<CassetteEntry>(),
    createdAt: createdAt(),
  },
});

/** What a simulated tool answers in a run, so that every runner of it hears the same. */
export class SimulatedAnswer extends SimulatedAnswerSchema.class {}
SimulatedAnswerSchema.setClass(SimulatedAnswer);
