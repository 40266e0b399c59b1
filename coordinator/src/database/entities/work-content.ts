import { defineEntity, p } from '@mikro-orm/core';
import type { WorkCase, WorkSetting } from '@proofmark/contracts/case-work';
import type { z } from 'zod';
import { createdAt, tenantId } from './columns.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const WorkContentSchema = defineEntity({
  name: 'WorkContent',
  tableName: 'work_contents',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  properties: {
    tenantId,
    hash: p.text().primary(),
    /** Not jsonb, which sorts keys: an agent reads its tools and the answers of mocks as text. */
    content: p.json<WorkSetting | z.input<typeof WorkCase>>().columnType('json'),
    createdAt: createdAt(),
  },
});

/** A setting or a case as runners are given it, once for each content. */
export class WorkContent extends WorkContentSchema.class {}
WorkContentSchema.setClass(WorkContent);
