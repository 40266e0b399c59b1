import { matchTools } from '../checks/match-tools.ts';
import type { CaseStep } from './case-state.ts';

/** Compares the calls with what the case expects. Also done when the agent failed, so a given expectation always has an answer. */
export const compareTools: CaseStep = async (state, { work, tools }) => {
  const match = matchTools(work.case.expected_tool_calls, tools.calls);
  const problems = [...state.tools.problems, ...match.problems];
  const hasFailedBefore = state.tools.matched === false;
  return { ...state, toolCalls: tools.calls, tools: { matched: hasFailedBefore ? false : match.matched, problems } };
};
