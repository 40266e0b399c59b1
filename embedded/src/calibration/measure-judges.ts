import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Calibration, LabelledLine } from '@proofmark/contracts/calibration';
import type { CaseOutcome, MeasuringCost } from '@proofmark/contracts/case-outcome';
import { type JudgeAgreement, JudgeCounts, type MeasuredJudge } from '@proofmark/contracts/judge-measurement';
import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/loaded';
import type { Problem } from '@proofmark/contracts/problem';
import type { Project } from '@proofmark/contracts/project';
import { buildInstrument, caseLimits } from '@proofmark/domain/build-instrument';
import { countDecisions, type Decision, judgeAgreement, whyIncomplete } from '@proofmark/domain/judge-calibration';
import { calibrationTestRuns, type PlannedCalibration, planCalibrations } from '@proofmark/domain/plan-calibrations';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import { sumKnown, totalCostUsd } from '@proofmark/domain/totals';
import { CasePlace } from '@proofmark/runner-agent/case-place';
import { CaseAborted, type CasePorts, runCase } from '@proofmark/runner-agent/run-case';
import { z } from 'zod';
import { type Budget, isOverBudget, openSlots, ownRun, runInSlots, type Spending } from '../limits.ts';
import { writeWhole } from '../results/result-files.ts';

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

export interface MeasuringInput {
  suite: LoadedSuite;
  calibration: Calibration;
  project: Project;
  ports: CasePorts;
  concurrency: number;
  signal: AbortSignal;
  /** Told after each answer, in the order in which the judge came to decide. */
  onJudged: (event: LabelJudged) => void;
  /** Asked before each answer; absent: all are judged. */
  mayGoOn?: () => boolean;
}

interface JudgedLabel {
  /** Null when the judge could not decide or could not be used; `error` says why. */
  decision: 'passed' | 'failed' | null;
  reasoning: string;
  error: string | null;
  /** The identity of the judge; null when none is configured. */
  judgeHash: string | null;
  /** Whether the judge has answered, and would not answer otherwise if it were asked again. */
  isAnswered: boolean;
  spent: MeasuringCost[];
}

/** A labelled answer and what the judge said of it. */
export interface LabelJudged extends LabelledLine, JudgedLabel {
  done: number;
  total: number;
}

export interface JudgeMeasurement {
  /** Null when no answer was judged. */
  judgeHash: string | null;
  counts: JudgeCounts;
  agreement: JudgeAgreement;
  /** In the order of the file, as are those that could not be judged; neither of these counts as a decision. */
  disagreements: LabelJudged[];
  unjudged: LabelJudged[];
  /** Answers that were not asked about, because of an interruption or because there was nothing left to spend. */
  skipped: number;
}

export type JudgeMeasuring = { ok: true; measurement: JudgeMeasurement } | { ok: false; problems: Problem[] };

/** Lets the judge of a suite decide about all labelled answers, at most `concurrency` at once. */
export async function measureJudge(input: MeasuringInput): Promise<JudgeMeasuring> {
  const { suite: loaded, calibration, project, ports, signal, onJudged, mayGoOn = () => true } = input;
  const built = buildInstrument(loaded, project);
  if (!built.ok) return built;
  const { instrument } = built;
  const slots = openSlots(input.concurrency);
  const testRuns = calibrationTestRuns({ loaded, calibration, instrument }, caseLimits(project.limits));
  const judged: LabelJudged[] = [];
  const total = testRuns.length;
  await runInSlots(testRuns, slots, async ({ work, sortOrder }, slot) => {
    const line = calibration.answers[sortOrder];
    if (work === null || line === undefined || signal.aborted || !mayGoOn()) return;
    using place = new CasePlace(slot, (waits) => slots.room.tell(ownRun, waits));
    const label = await unlessAborted(() => runCase(work, { ...ports, place }, signal));
    if (label === undefined) return;
    const event = { ...line, ...label, done: judged.length + 1, total };
    judged.push(event);
    onJudged(event);
  });
  return { ok: true, measurement: measured(judged, total) };
}

/** Undefined when the measurement was interrupted meanwhile. */
async function unlessAborted(judge: () => Promise<CaseOutcome>): Promise<JudgedLabel | undefined> {
  try {
    return labelOf(await judge());
  } catch (error) {
    if (error instanceof CaseAborted) return undefined;
    throw error;
  }
}

function labelOf({ outcomes, errorMessage, measuring = [] }: CaseOutcome): JudgedLabel {
  const passed = outcomes?.passed ?? null;
  return {
    decision: passed === null ? null : passed ? 'passed' : 'failed',
    reasoning: outcomes?.criteria.map(({ reasoning }) => reasoning).join('\n') ?? '',
    error: errorMessage,
    judgeHash: outcomes?.judgeHash ?? null,
    isAnswered: outcomes !== null && outcomes.criteria.length > 0,
    spent: measuring,
  };
}

function measured(judged: readonly LabelJudged[], total: number): JudgeMeasurement {
  const inOrder = judged.toSorted((a, b) => a.line - b.line);
  const counts = countDecisions(judged.map(decisionOf));
  return {
    judgeHash: judged.find(({ judgeHash }) => judgeHash !== null)?.judgeHash ?? null,
    counts,
    agreement: judgeAgreement(counts),
    disagreements: inOrder.filter(({ decision, answer }) => decision !== null && decision !== answer.label),
    unjudged: inOrder.filter(({ decision }) => decision === null),
    skipped: total - judged.length,
  };
}

const decisionOf = ({ answer: { label }, decision }: LabelJudged): Decision => ({ label, decision });
