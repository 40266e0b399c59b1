import type { TranscriptTurn } from '@proofmark/contracts/case-outcome';
import type { AgentTurn, Conversation } from '../drivers/agent-driver.ts';
import { openDriver } from '../drivers/open-driver.ts';
import { tryAgain } from '../retry/try-again.ts';
import type { MockedTools } from '../tools/tool-box.ts';
import type { CaseContext, CaseState, CaseStep } from './case-state.ts';
import { withError } from './case-state.ts';

const agentTries = 3;
const tokensPerTestRun = 200_000;

/** Plays the conversation with the agent. A single-turn case is one turn: its input, byte for byte. */
export const converse: CaseStep = async (state, context) => {
  const { work, ports, tools } = context;
  if (work.case.kind === 'simulated') {
    return withError(state, 'simulator', 'Simulated conversations are not supported by this runner yet');
  }
  const opened = openDriver({ work, models: ports.models, tools });
  if (!opened.ok) return withError(state, opened.failure.kind, opened.failure.message);
  const conversation = opened.value;
  try {
    return await takeTurn(state, context, conversation);
  } finally {
    await conversation.close();
  }
};

async function takeTurn(
  state: CaseState,
  { work, ports, tools, signal, deadlineAtMs }: CaseContext,
  conversation: Conversation,
): Promise<CaseState> {
  tools.startTurn(0);
  const tried = await tryAgain<AgentTurn>(ports, {
    tries: agentTries,
    timeoutMs: work.limits.agentTimeoutMs,
    signal,
    deadlineAtMs,
    attempt: (trySignal) => {
      tools.rewindTurn();
      return conversation.turn(state.testInput, trySignal);
    },
  });
  const told: CaseState = { ...state, retryCount: tried.retryCount };
  const transcript: TranscriptTurn[] = [{ role: 'user', text: state.testInput }, ...toolTurns(tools)];
  if (!tried.ok) return withError({ ...told, transcript }, tried.failure.kind, tried.failure.message);
  const turn = tried.value;
  const answered: CaseState = {
    ...told,
    response: turn.text,
    transcript: [...transcript, { role: 'agent', text: turn.text }],
    model: turn.model,
    usage: turn.usage,
    latencyMs: tried.latencyMs,
    flags: [...told.flags, ...turn.flags],
  };
  return refuseTooManyTokens(failOnUnmatched(answered, tools, work.instrument.mockSettings.unmatched));
}

function toolTurns({ calls }: MockedTools): TranscriptTurn[] {
  return calls.map((call) => ({ role: 'tool', text: JSON.stringify(call.result), toolCallId: call.id }));
}

function failOnUnmatched(state: CaseState, tools: MockedTools, mode: 'error' | 'invalid' | 'fail'): CaseState {
  if (mode !== 'fail' || tools.unmatched.length === 0) return state;
  const problems = tools.unmatched.map((name) => `${name} was called, but no mock fits the call`);
  return { ...state, tools: { matched: false, problems } };
}

function refuseTooManyTokens(state: CaseState): CaseState {
  const { usage } = state;
  if (usage === null || usage.promptTokens + usage.completionTokens <= tokensPerTestRun) return state;
  return withError(state, 'limit', `The agent used more than ${tokensPerTestRun} tokens`);
}
