import { matchTools } from '../checks/match-tools.ts';
import type { CaseStep } from './case-state.ts';

/** Compares the calls with what the case expects. Also done when the agent failed, so a given expectation always has an answer. */
export const compareTools: CaseStep = (state, { work, tools }) => {
  const match = matchTools(work.case.expected_tool_calls, tools.calls);
  const lacking = work.instrument.mockSettings.unmatched === 'fail' ? tools.unmatched : [];
  const problems = [...lacking.map((name) => `${name} was called, but no mock fits the call`), ...match.problems];
  return { ...state, toolCalls: tools.calls, tools: { matched: lacking.length > 0 ? false : match.matched, problems } };
};
