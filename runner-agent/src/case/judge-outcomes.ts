import { judgeOutcomes } from '../judge/judge-outcomes.ts';
import { suspectInjection } from '../judge/suspect-injection.ts';
import type { CaseState, CaseStep } from './case-state.ts';

/** Judges `expected_outcomes` and `evaluation_criteria_override`; a case without them stays as it is. */
export const judgeCaseOutcomes: CaseStep = (state, context) => {
  const { expected_outcomes: expected, evaluation_criteria_override: override } = context.work.case;
  return state.response === null || (expected === null && override === null) ? state : judged(state, context);
};

const judged: CaseStep = async (state, context) => {
  const outcomes = await judgeOutcomes(state, context);
  const flags = outcomes?.injectionAttempt ? [...state.flags, 'injection_attempt'] : state.flags;
  return { ...state, outcomes, flags };
};

/** Flags answers that look like an attempt on a judge, where a judge read them. It changes no verdict. */
export const flagSuspicion: CaseStep = (state, { work }) => {
  const { judge, panel = [], metricModels = {} } = work.instrument;
  const readers = [...(judge === null ? [] : [judge]), ...panel, ...Object.values(metricModels)];
  if (readers.length === 0 || !agentTexts(state).some((text) => suspectInjection(text).length > 0)) return state;
  return { ...state, flags: [...state.flags, 'suspected_injection'] };
};

const agentTexts = ({ transcript }: CaseState): string[] =>
  transcript.filter(({ role }) => role !== 'user').map(({ text }) => text);
