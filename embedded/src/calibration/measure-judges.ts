import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JudgeCounts, type MeasuredJudge } from '@proofmark/contracts/judge-measurement';
import type { LoadedDefinitions } from '@proofmark/contracts/loaded';
import { whyIncomplete } from '@proofmark/domain/judge-calibration';
import { type PlannedCalibration, planCalibrations } from '@proofmark/domain/plan-calibrations';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import { sumKnown, totalCostUsd } from '@proofmark/domain/totals';
import type { CasePorts } from '@proofmark/runner-agent/run-case';
import { z } from 'zod';
import { type Budget, isOverBudget, type Spending } from '../limits.ts';
import { writeWhole } from '../results/result-files.ts';
import { type LabelJudged, measureJudge } from './measure-judge.ts';

/** A judge that is about to be asked. */
export interface MeasuringJudge {
  suiteName: string;
  /** The calibration file. */
  path: string;
  labels: number;
}

interface JudgesInput {
  definitions: LoadedDefinitions;
  suiteRuns: readonly PlannedSuiteRun[];
  cache: MeasurementCache;
  /** Opened only when somebody has to be asked. */
  openPorts: () => AsyncDisposable & { ports: CasePorts };
  concurrency: number;
  budget: Budget;
  onMeasuring: (judge: MeasuringJudge) => void;
  onJudged: (event: LabelJudged) => void;
  signal: AbortSignal;
}

export interface MeasuredJudges {
  /** By the path of the suite. */
  judges: ReadonlyMap<string, MeasuredJudge>;
  /** What was spent for a suite; nothing where its judge was known, or where nothing had a known price. */
  costsUsd: ReadonlyMap<string, number | null>;
  spent: Spending;
}

/**
 * The judges of all suites that name labelled answers and judge something in this run. Each judge is asked about equal
 * answers once, and not again while neither changes. One that cannot be asked is not measured, and the run goes on.
 */
export async function measureJudges(input: JudgesInput): Promise<MeasuredJudges> {
  const spent: Spending = { usd: 0, tokens: 0 };
  const known = new Map<string, MeasuredJudge>();
  const judges = new Map<string, MeasuredJudge>();
  const costsUsd = new Map<string, number | null>();
  for (const planned of planCalibrations(input.definitions, input.suiteRuns)) {
    const { loaded, calibration, judgeHash } = planned;
    const key = `${judgeHash} ${calibration.digest}`;
    let measured = known.get(key) ?? (await remembered(planned, input));
    if (measured === null) {
      const asked = await ask(planned, input, spent);
      costsUsd.set(loaded.path, asked.costUsd);
      measured = asked.measured;
    }
    known.set(key, measured);
    judges.set(loaded.path, { ...measured, path: calibration.path });
  }
  return { judges, costsUsd, spent };
}

/** A provider that is down must not hold up the cases with every single label. */
const enoughSilence = 5;

async function remembered(
  { calibration, judgeHash }: PlannedCalibration,
  { cache }: JudgesInput,
): Promise<MeasuredJudge | null> {
  const kept = await cache.read({ judge_hash: judgeHash, labels_digest: calibration.digest });
  if (kept === null) return null;
  const { labels, counts, problem } = kept;
  return { path: calibration.path, judgeHash, labels, counts, problem };
}

interface Asked {
  measured: MeasuredJudge;
  costUsd: number | null;
}

async function ask(planned: PlannedCalibration, input: JudgesInput, spent: Spending): Promise<Asked> {
  const { loaded, calibration, judgeHash } = planned;
  const { definitions, concurrency, signal, cache } = input;
  const labels = calibration.answers.length;
  input.onMeasuring({ suiteName: loaded.suite.name, path: calibration.path, labels });
  await using open = input.openPorts();
  const answers = { given: 0, missing: 0 };
  const costs: (number | null)[] = [];
  const isSilent = () => answers.given === 0 && answers.missing >= enoughSilence;
  const measured = await measureJudge({
    suite: loaded,
    calibration,
    project: definitions.project,
    ports: open.ports,
    concurrency,
    signal,
    mayGoOn: () => !isOverBudget(spent, input.budget) && !isSilent(),
    onJudged: (event) => {
      answers[event.isAnswered ? 'given' : 'missing'] += 1;
      costs.push(add(spent, event));
      input.onJudged(event);
    },
  });
  if (!measured.ok) throw new Error('The plan has a judge that the project does not have');
  const { counts, unjudged, skipped } = measured.measurement;
  const problem = whyIncomplete({
    labels,
    skipped,
    unjudged: unjudged.length,
    firstError: unjudged[0]?.error ?? null,
    stop: signal.aborted ? 'interrupted' : isSilent() ? 'no_answer' : 'budget',
  });
  // What a provider failed to answer it may answer next time.
  if (skipped === 0 && answers.missing === 0) {
    const key = { judge_hash: judgeHash, labels_digest: calibration.digest };
    await cache.keep({ ...key, labels, counts, problem, measured_at: open.ports.clock.now().toISOString() });
  }
  return { measured: { path: calibration.path, judgeHash, labels, counts, problem }, costUsd: sumKnown(costs) };
}

function add(spent: Spending, { spent: measuring }: LabelJudged): number | null {
  const costUsd = totalCostUsd({ costUsd: null, measuring });
  spent.usd += costUsd ?? 0;
  for (const { usage } of measuring) spent.tokens += (usage?.promptTokens ?? 0) + (usage?.completionTokens ?? 0);
  return costUsd;
}

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
type KeptMeasurement = z.infer<typeof KeptMeasurement>;

type Key = Pick<KeptMeasurement, 'judge_hash' | 'labels_digest'>;

/** Beside the folders of runs: nobody asks again what an equal judge said of equal answers. */
interface MeasurementCache {
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
