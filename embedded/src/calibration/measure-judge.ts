import type { Calibration, LabelledLine } from '@proofmark/contracts/calibration';
import type { JudgeAgreement, JudgeCounts } from '@proofmark/contracts/judge-measurement';
import type { LoadedSuite } from '@proofmark/contracts/load-definitions';
import type { Problem } from '@proofmark/contracts/problem';
import type { Project } from '@proofmark/contracts/project';
import { buildInstrument, caseLimits } from '@proofmark/domain/build-instrument';
import { countDecisions, type Decision } from '@proofmark/domain/count-decisions';
import { judgeAgreement } from '@proofmark/domain/statistics/judge-agreement';
import { type JudgedLabel, judgeLabelledAnswer } from '@proofmark/runner-agent/judge-labelled-answer';
import type { CasePorts } from '@proofmark/runner-agent/run-case';
import { openSlots, pauseOutside, runInSlots } from '../run/slots.ts';

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

export type MeasuredJudge = { ok: true; measurement: JudgeMeasurement } | { ok: false; problems: Problem[] };

/** Lets the judge of a suite decide about all labelled answers, at most `concurrency` at once. */
export async function measureJudge(input: MeasuringInput): Promise<MeasuredJudge> {
  const { suite, calibration, project, ports, signal, onJudged, mayGoOn = () => true } = input;
  const built = buildInstrument(suite, project);
  if (!built.ok) return built;
  const { answers } = calibration;
  const slots = openSlots(input.concurrency);
  const slotPorts = { ...ports, pause: pauseOutside(slots, ports.pause) };
  const judge = { instrument: built.instrument, limits: caseLimits(project.limits), ports: slotPorts, signal };
  const judged: LabelJudged[] = [];
  await runInSlots(answers, slots, async (line) => {
    if (!mayGoOn()) return;
    const label = await unlessAborted(() => judgeLabelledAnswer(line.answer, judge), signal);
    if (label === undefined) return;
    const event = { ...line, ...label, done: judged.length + 1, total: answers.length };
    judged.push(event);
    onJudged(event);
  });
  return { ok: true, measurement: measured(judged, answers.length) };
}

/** Undefined when the measurement was interrupted meanwhile or before. */
async function unlessAborted<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  try {
    const answer = await ask();
    return signal.aborted ? undefined : answer;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
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
