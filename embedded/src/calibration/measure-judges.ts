import type { MeasuredJudge } from '@proofmark/contracts/judge-measurement';
import type { LoadedDefinitions } from '@proofmark/contracts/load-definitions';
import { whyIncomplete } from '@proofmark/domain/judge-calibration';
import { type PlannedCalibration, planCalibrations } from '@proofmark/domain/plan-calibrations';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import { sumKnown, totalCostUsd } from '@proofmark/domain/totals';
import type { CasePorts } from '@proofmark/runner-agent/run-case';
import { type Budget, isOver, type Spending } from '../run/spending.ts';
import { type LabelJudged, measureJudge } from './measure-judge.ts';
import type { MeasurementCache } from './measurement-cache.ts';

/** A judge that is about to be asked. */
export interface MeasuringJudge {
  suiteName: string;
  /** The calibration file. */
  path: string;
  labels: number;
}

export interface JudgesInput {
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
    mayGoOn: () => !isOver(spent, input.budget) && !isSilent(),
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
