import type { FileInput } from '@proofmark/contracts/test-case';
import { type CaseContext, type CaseState, type CaseStep, withError } from '../case/case-state.ts';
import { AgentSeat } from '../conversation/agent-seat.ts';
import { withFiles } from '../conversation/attach-files.ts';
import { simulate } from '../conversation/simulate.ts';
import { takesImages } from '../drivers/takes-images.ts';
import { shownPlace } from '../files/file-name.ts';
import type { ReadFile } from '../files/file-reader.ts';

/** Turns the files of the case into text for the agent. A file that cannot be read ends the case before the agent is called. */
export const processFiles: CaseStep = (state, context) =>
  context.work.case.files.length === 0 ? state : readAll(state, context);

async function readAll(state: CaseState, context: CaseContext): Promise<CaseState> {
  const read: ReadFile[] = [];
  for (const file of context.work.case.files) read.push(await readOne(file, context));
  return failOnBroken({
    ...state,
    files: read.map(({ facts }) => facts),
    images: read.flatMap(({ image }) => image ?? []),
  });
}

async function readOne(file: FileInput, { work, ports, signal }: CaseContext): Promise<ReadFile> {
  if (!ports.files) return unread(file, 'files cannot be read here');
  const found = await ports.files.read(file, signal);
  const { driver } = work.agent;
  if (found.image === null || takesImages(driver)) return found;
  return unread(file, `agents of the driver "${driver.type}" take no images`);
}

function unread(file: FileInput, reason: string): ReadFile {
  const error = `${shownPlace(file)}: ${reason}`;
  const nothing = { markdown_content: '', metadata: {}, cached_path: null, processing_time_ms: 0 };
  return { facts: { original: file, ...nothing, error }, image: null };
}

function failOnBroken(state: CaseState): CaseState {
  const errors = state.files.flatMap(({ error }) => error ?? []);
  return errors.length === 0 ? state : withError(state, 'files', errors.join('; '));
}

/** Plays the conversation with the agent. A single-turn case is one turn: its input, byte for byte, and behind it its files. */
export const converse: CaseStep = async (state, context) => {
  await using seat = new AgentSeat(context);
  return await (context.work.case.kind === 'simulated' ? simulate(state, context, seat) : sayAll(state, context, seat));
};

/** What is said stands fast: one input, or turn after turn, until the agent ends the conversation. */
async function sayAll(state: CaseState, { signal, work, ports }: CaseContext, seat: AgentSeat): Promise<CaseState> {
  const { turns = [] } = work.case;
  try {
    let answered = await seat.turn(withFiles({ said: state.testInput }, state, ports.random));
    for (const { user } of turns.slice(1)) {
      if (!answered.ok || answered.value.ended) break;
      answered = await seat.turn({ said: user });
    }
    const told = seat.record(state);
    return answered.ok ? told : withError(told, answered.failure.kind, answered.failure.message);
  } catch (error) {
    if (!signal.aborted) throw error;
    // What was said until then is worth keeping.
    return withError(seat.record(state), 'limit', `The test run took longer than ${work.limits.caseTimeoutMs} ms`);
  }
}
