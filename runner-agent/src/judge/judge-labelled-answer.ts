import type { LabelledAnswer } from '@proofmark/contracts/calibration';
import type { MeasuringCost } from '@proofmark/contracts/case-outcome';
import type { CaseLimits, Instrument } from '@proofmark/contracts/case-work';
import type { CasePorts } from '../case/case-state.ts';
import { judgeOutcomes } from './judge-outcomes.ts';
import { meterModels } from './meter-models.ts';

export interface LabelJudge {
  instrument: Pick<Instrument, 'judge' | 'panel'>;
  limits: CaseLimits;
  ports: CasePorts;
  signal: AbortSignal;
}

export interface JudgedLabel {
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

/** What the judge of outcomes says of an answer that a person has labelled, asked exactly as in a test run. */
export async function judgeLabelledAnswer(
  { response, transcript, criterion }: LabelledAnswer,
  { instrument, limits, ports, signal }: LabelJudge,
): Promise<JudgedLabel> {
  const models = meterModels(ports.models);
  const turns = transcript ?? [{ role: 'agent' as const, text: response ?? '' }];
  const verdict = await judgeOutcomes(
    { transcript: turns, toolCalls: [], tools: { matched: null, problems: [] } },
    {
      work: { case: { ...conversation, expected_outcomes: { criterion } }, instrument, limits },
      ports: { ...ports, models },
      signal,
      deadlineAtMs: ports.clock.monotonicMs() + limits.caseTimeoutMs,
    },
  );
  const passed = verdict?.passed ?? null;
  return {
    decision: passed === null ? null : passed ? 'passed' : 'failed',
    reasoning: verdict?.criteria.map(({ reasoning }) => reasoning).join('\n') ?? '',
    error: verdict?.error ?? null,
    judgeHash: verdict?.judgeHash ?? null,
    isAnswered: verdict !== null && verdict.criteria.length > 0,
    spent: models.spent,
  };
}

/** Nothing that could tell the judge what a person thought of the answer. */
const conversation = {
  name: 'Conversation',
  description: null,
  input: null,
  initial_message: null,
  evaluation_criteria_override: null,
};
