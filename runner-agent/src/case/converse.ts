import { AgentSeat } from '../conversation/agent-seat.ts';
import { simulate } from '../conversation/simulate.ts';
import { attachFiles } from '../files/attach-files.ts';
import type { CaseContext, CaseState, CaseStep } from './case-state.ts';
import { withError } from './case-state.ts';

/** Plays the conversation with the agent. A single-turn case is one turn: its input, byte for byte, and behind it its files. */
export const converse: CaseStep = async (state, context) => {
  await using seat = new AgentSeat(context);
  return await (context.work.case.kind === 'simulated'
    ? simulate(state, context, seat)
    : askOnce(state, context, seat));
};

async function askOnce(state: CaseState, { signal, work, ports }: CaseContext, seat: AgentSeat): Promise<CaseState> {
  const { testInput: said, files, images } = state;
  try {
    const sent = attachFiles(said, files, ports.random);
    const answered = await seat.turn({ said, sent, attachments: { said, files, images } });
    const told = seat.record(state);
    return answered.ok ? told : withError(told, answered.failure.kind, answered.failure.message);
  } catch (error) {
    if (!signal.aborted) throw error;
    // What was said until then is worth keeping.
    return withError(seat.record(state), 'limit', `The test run took longer than ${work.limits.caseTimeoutMs} ms`);
  }
}
