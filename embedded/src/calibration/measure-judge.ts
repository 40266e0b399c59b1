import type { Calibration, LabelledLine } from '@proofmark/contracts/calibration';
import type { CaseOutcome, MeasuringCost } from '@proofmark/contracts/case-outcome';
import type { JudgeAgreement, JudgeCounts } from '@proofmark/contracts/judge-measurement';
import type { LoadedSuite } from '@proofmark/contracts/loaded';
import type { Problem } from '@proofmark/contracts/problem';
import type { Project } from '@proofmark/contracts/project';
import { buildInstrument, caseLimits } from '@proofmark/domain/build-instrument';
import { countDecisions, type Decision, judgeAgreement } from '@proofmark/domain/judge-calibration';
import { calibrationTestRuns } from '@proofmark/domain/plan-calibrations';
import { CasePlace } from '@proofmark/runner-agent/case-place';
import { CaseAborted, type CasePorts, runCase } from '@proofmark/runner-agent/run-case';
import { openSlots, ownRun, runInSlots } from '../limits.ts';

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
