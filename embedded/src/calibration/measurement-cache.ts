import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JudgeCounts } from '@proofmark/contracts/judge-measurement';
import { z } from 'zod';
import { writeWhole } from '../write-whole.ts';

/** A measurement as it is kept: of one judge, with one set of labels. */
const KeptMeasurement = z.strictObject({
  judge_hash: z.string(),
  labels_digest: z.string(),
  labels: z.int().min(0),
  counts: JudgeCounts,
  /** Why some labelled answers were not decided about; null when all were. */
  problem: z.string().nullable(),
  measured_at: z.string(),
});
export type KeptMeasurement = z.infer<typeof KeptMeasurement>;

type Key = Pick<KeptMeasurement, 'judge_hash' | 'labels_digest'>;

/** Beside the folders of runs: nobody asks again what an equal judge said of equal answers. */
export interface MeasurementCache {
  read: (key: Key) => Promise<KeptMeasurement | null>;
  keep: (measurement: KeptMeasurement) => Promise<void>;
}

/** The measurements in a folder. A file that is missing, broken or about something else is as if there were none. */
export function measurementCache(folder: string): MeasurementCache {
  const pathOf = ({ judge_hash, labels_digest }: Key): string =>
    join(folder, `${judge_hash.slice(0, 16)}-${labels_digest.slice(0, 16)}.json`);
  return {
    read: async (key) => {
      const kept = KeptMeasurement.safeParse(await readJson(pathOf(key))).data;
      const isAsked = kept?.judge_hash === key.judge_hash && kept.labels_digest === key.labels_digest;
      return isAsked ? kept : null;
    },
    keep: async (measurement) => {
      await writeWhole(pathOf(measurement), `${JSON.stringify(measurement, null, 2)}\n`);
    },
  };
}

/** Undefined for what cannot be read: a cache never stops a run. */
async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}
