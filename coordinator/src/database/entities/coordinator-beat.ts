import { defineEntity } from '@mikro-orm/core';
import { text, time } from './columns.ts';
import { forWorker } from './tenant-policies.ts';

const CoordinatorBeatSchema = defineEntity({
  name: 'CoordinatorBeat',
  tableName: 'coordinator_beats',
  rowLevelSecurity: 'force',
  policies: [forWorker],
  properties: {
    /** The replica. */
    id: text().primary(),
    beatAt: time().defaultRaw('now()'),
    /** Until then no reaper takes anything: this replica came back when none had been there. */
    patientUntil: time().nullable(),
  },
});

/** When each replica was last alive, so that an outage of ours expires no healthy runner. */
export class CoordinatorBeat extends CoordinatorBeatSchema.class {}
CoordinatorBeatSchema.setClass(CoordinatorBeat);
