import { defineEntity, p } from '@mikro-orm/core';
import type { JudgeCounts } from '@proofmark/contracts/judge-measurement';
import { createdAt, tenantId, text } from './columns.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const JudgeCalibrationSchema = defineEntity({
  name: 'JudgeCalibration',
  tableName: 'judge_calibrations',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  properties: {
    tenantId,
    judgeHash: text().primary(),
    labelsDigest: text().primary(),
    labels: p.integer(),
    counts: p.json<JudgeCounts>(),
    /** Why some labelled answers were not decided about; null when all were. */
    problem: text().nullable(),
    createdAt: createdAt(),
  },
});

/** What labelled answers say about a judge: measured once, and never again while neither changes. */
export class JudgeCalibration extends JudgeCalibrationSchema.class {}
JudgeCalibrationSchema.setClass(JudgeCalibration);
