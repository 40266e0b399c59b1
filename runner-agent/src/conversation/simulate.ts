import type { ConversationFacts } from '@proofmark/contracts/case-outcome';
import type { CaseContext, CaseState } from '../case/case-state.ts';
import { withError } from '../case/case-state.ts';
import type { AgentSeat } from './agent-seat.ts';
import type { PlayEnd } from './play-conversation.ts';
import { playConversation } from './play-conversation.ts';
import { Simulator } from './simulator.ts';

const freshStarts = 2;

/**
 * Plays the case with a simulated person. A try that the simulator has spoilt is thrown away and begun again, at most
 * twice; after that the test run is invalid and blames the simulator, never the agent.
 */
export async function simulate(state: CaseState, context: CaseContext, seat: AgentSeat): Promise<CaseState> {
  const simulator = new Simulator(context);
  const discardedTries: string[] = [];
  const facts = (end: PlayEnd | null): ConversationFacts => ({
    endReason: end?.kind === 'over' ? end.endReason : null,
    leaveReason: end?.kind === 'over' ? end.leaveReason : null,
    agentTurns: seat.turns,
    discardedTries,
    simulator: simulator.spent,
  });
  const told = (end: PlayEnd | null): CaseState => withFacts(seat.record(state), context, facts(end));
  try {
    for (;;) {
      const end = await playConversation({ context, seat, simulator });
      if (end.kind === 'over') return told(end);
      if (end.kind === 'failed') return withError(told(end), end.errorKind, end.message);
      discardedTries.push(end.why);
      if (discardedTries.length > freshStarts) {
        return withError(told(end), 'simulator', `${end.why}, also after starting over ${freshStarts} times`);
      }
      await seat.startOver();
    }
  } catch (error) {
    if (!context.signal.aborted) throw error;
    return withError(told(null), 'limit', `The test run took longer than ${context.work.limits.caseTimeoutMs} ms`);
  }
}

function withFacts(state: CaseState, { work }: CaseContext, conversation: ConversationFacts): CaseState {
  const firstWords = state.transcript.find(({ role }) => role === 'user')?.text;
  const isCut = (work.case.max_turns ?? 0) > work.limits.maxTurns;
  return {
    ...state,
    conversation,
    testInput: work.case.initial_message ?? firstWords ?? work.case.name,
    flags: [
      ...state.flags,
      ...(isCut ? ['max_turns_cut'] : []),
      ...(conversation.discardedTries.length > 0 ? ['simulation_started_over'] : []),
    ],
  };
}
