import type { ConversationFacts, EndReason } from '@proofmark/contracts/case-outcome';
import type { Persona, TestCase } from '@proofmark/contracts/test-case';
import { type CaseContext, type CaseState, withError } from '../case/case-state.ts';
import type { CallFailure } from '../retry/call-failure.ts';
import type { AgentSeat, UserMessage } from './agent-seat.ts';
import { withFiles } from './attach-files.ts';
import {
  SimulatedUser,
  type SimulatorAction,
  type SimulatorMove,
  simulatorTemplate,
  type Utterance,
} from './simulator.ts';

/** Shorter sentences may be what a person would say anyway. */
const tellingCharacters = 40;
const ownAction = /["'{]\s*action\s*["']?\s*:\s*["'](?:say|end)["']/;

interface LeakCheck {
  persona: Persona | null;
  /** The person's first message; null while it writes that. */
  opener: string | null;
}

/** Why a message of the simulated person cannot have been meant for the agent, or undefined. */
function findLeak(message: string, { persona, opener }: LeakCheck): string | undefined {
  if (opener !== null && message.trim() === opener.trim())
    return 'The simulated person repeated its first message word for word';
  if (ownAction.test(message)) return 'The simulated person wrote its own action into the message';
  const instructions = [
    ...simulatorTemplate.role,
    ...simulatorTemplate.rules,
    ...simulatorTemplate.output,
    persona?.instructions ?? '',
  ];
  const spoken = plain(message);
  const isLeaked = instructions.flatMap(sentences).some((sentence) => spoken.includes(sentence));
  return isLeaked ? 'The simulated person recited its instructions' : undefined;
}

function sentences(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|\n/)
    .map(plain)
    .filter((sentence) => sentence.length >= tellingCharacters);
}

function plain(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

/** How one try of a simulated conversation ended. `discard`: it does not count, and the test run starts over. */
type PlayEnd =
  | { kind: 'over'; endReason: EndReason; leaveReason: ConversationFacts['leaveReason'] }
  | { kind: 'failed'; errorKind: 'simulator' | CallFailure['kind']; message: string }
  | { kind: 'discard'; why: string };

interface Stage {
  context: CaseContext;
  seat: AgentSeat;
  simulator: SimulatedUser;
  /** What goes with the first message of the person. */
  files: Pick<CaseState, 'files' | 'images'>;
}

/** A person who says nothing has had enough of a conversation that went back and forth at least this often. */
const turnsBeforeSilence = 2;

/** Plays one try from the first message to its end. Rejects only when the test run is aborted while the agent works. */
async function playConversation(stage: Stage): Promise<PlayEnd> {
  const said: Utterance[] = [];
  const { work } = stage.context;
  if (work.instrument.simulator?.settings.first_speaker === 'agent') {
    const end = await letAgentSpeak(stage, said, { said: null });
    if (end) return end;
  }
  const opener = work.case.initial_message;
  let move: SimulatorMove =
    opener === null
      ? await stage.simulator.next(said)
      : { kind: 'acted', action: { kind: 'say', message: opener }, durationMs: 0 };
  for (;;) {
    const end = await follow(stage, said, move);
    if (end) return end;
    move = await stage.simulator.next(said);
  }
}

/** Does what the person decided; how the conversation ended by it, or undefined when it goes on. */
async function follow(stage: Stage, said: Utterance[], move: SimulatorMove): Promise<PlayEnd | undefined> {
  if (move.kind === 'discard') return { kind: 'discard', why: move.why };
  if (move.kind === 'broken') return { kind: 'failed', errorKind: 'simulator', message: move.why };
  const { action, durationMs } = move;
  if (action.kind === 'empty') return silence(stage.seat);
  const over: PlayEnd = {
    kind: 'over',
    endReason: 'simulator',
    leaveReason: action.kind === 'end' ? action.reason : null,
  };
  const isFull = stage.seat.turns >= stage.context.work.limits.maxTurns;
  if (action.kind === 'end' && (action.message === null || isFull)) return leave(stage.seat, over);
  if (isFull) return tooManyTurns(stage.context);

  const message = spoken(action);
  const leak = leakIn(message, said, stage.context.work.case);
  if (leak !== undefined) return { kind: 'discard', why: leak };
  const isFirst = said.every(({ speaker }) => speaker !== 'user');
  said.push({ speaker: 'user', text: message });
  // The last message of a person who leaves still gets its answer: the completing turn.
  const told = { said: message, durationMs };
  const { random } = stage.context.ports;
  const end = await letAgentSpeak(stage, said, isFirst ? withFiles(told, stage.files, random) : told);
  return end?.kind === 'failed' || action.kind === 'say' ? end : over;
}

const spoken = (action: Exclude<SimulatorAction, { kind: 'empty' }>): string => action.message ?? '';

/** The first message of the case itself may say whatever its author wants. */
function leakIn(
  message: string,
  said: readonly Utterance[],
  { persona, initial_message }: TestCase,
): string | undefined {
  const opener = said.find(({ speaker }) => speaker === 'user')?.text ?? null;
  return opener === null && message === initial_message ? undefined : findLeak(message, { persona, opener });
}

function silence({ turns }: AgentSeat): PlayEnd {
  if (turns >= turnsBeforeSilence) return { kind: 'over', endReason: 'silent', leaveReason: null };
  return { kind: 'failed', errorKind: 'simulator', message: 'The simulated person said nothing, even when reminded' };
}

function leave({ turns }: AgentSeat, over: PlayEnd): PlayEnd {
  return turns > 0 ? over : { kind: 'discard', why: 'The simulated person left before it had said anything' };
}

/** One turn of the agent; how the conversation ended by it, or undefined when it goes on. */
async function letAgentSpeak(
  { context, seat }: Stage,
  said: Utterance[],
  message: UserMessage,
): Promise<PlayEnd | undefined> {
  const answered = await seat.turn(message);
  if (!answered.ok) return { kind: 'failed', errorKind: answered.failure.kind, message: answered.failure.message };
  said.push({ speaker: 'agent', text: answered.value.text });
  if (answered.value.ended) return { kind: 'over', endReason: 'agent', leaveReason: null };
  const { case: testCase, limits } = context.work;
  const isLastTurn = testCase.max_turns !== null && seat.turns >= Math.min(testCase.max_turns, limits.maxTurns);
  return isLastTurn ? { kind: 'over', endReason: 'max_turns', leaveReason: null } : undefined;
}

function tooManyTurns({ work }: CaseContext): PlayEnd {
  const message = `The conversation did not end within ${work.limits.maxTurns} turns of the agent`;
  return { kind: 'failed', errorKind: 'limit', message };
}

const freshStarts = 2;

/**
 * Plays the case with a simulated person. A try that the simulator has spoilt is thrown away and begun again, at most
 * twice; after that the test run is invalid and blames the simulator, never the agent.
 */
export async function simulate(state: CaseState, context: CaseContext, seat: AgentSeat): Promise<CaseState> {
  const simulator = new SimulatedUser(context);
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
      const end = await playConversation({ context, seat, simulator, files: state });
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
