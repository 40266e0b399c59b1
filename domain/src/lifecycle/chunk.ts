import { type LeaseState, MAX_CRASHES, nextLeaseState } from './lifecycle.ts';

/**
 * 1 to 64 test runs that are queued, claimed and leased as one. The rules below are all that ever happens to a chunk: where
 * the coordinator decides in its own process it calls them, and where it decides in SQL a test holds the SQL to them.
 */
export interface Chunk {
  /** Test runs by their place; they never change. Both sides of a pair stand side by side, the first at an even place. */
  members: readonly string[];
  hasPairs: boolean;
  /** A bit for each place that has nothing to do any more. */
  settled: bigint;
  state: LeaseState;
  /** The number of the last claim: what fences off all that came before. */
  attempt: number;
  /** The session of each attempt, from the first. */
  holders: readonly string[];
  sessionId: string | null;
  claimId: string | null;
  /** Runners that fell silent while all of it was under way. */
  crashCount: number;
  /** Runners that fell silent before they had begun it. */
  returnCount: number;
  /** Heartbeats in a row in which its session did not name it. */
  missedBeats: number;
  /** Tells a message about this turn in the queue from a message about an earlier one. */
  publishGen: number;
  isPublished: boolean;
}

/** Whether the place has nothing to do any more. */
export const hasSettled = (settled: bigint, at: number): boolean => ((settled >> BigInt(at)) & 1n) === 1n;

/** The places of a chunk that are open. */
export const openPlaces = ({ members, settled }: Pick<Chunk, 'members' | 'settled'>): number[] =>
  members.flatMap((_, at) => (hasSettled(settled, at) ? [] : [at]));

/** As Postgres reads a bigint: the last of 64 places is its sign. */
export const bitsOf = (places: readonly number[]): bigint =>
  BigInt.asIntN(
    64,
    places.reduce((bits, at) => bits | (1n << BigInt(at)), 0n),
  );

/** The places have nothing to do any more; with the last of them the chunk ends. */
export function settle(chunk: Chunk, places: readonly number[], end: 'done' | 'closed'): Chunk {
  const settled = chunk.settled | bitsOf(places);
  const isOver = openPlaces({ members: chunk.members, settled }).length === 0;
  return { ...chunk, settled, state: isOver ? end : chunk.state };
}

/** What a claim depends on beside the chunk. */
export interface Claimant {
  /** The session is open, and its lease has not run out. */
  isAlive: boolean;
  /** Nobody has decided that a suite run of the chunk ends, and its deadline has not passed. */
  goesOn: boolean;
}

export const mayClaim = (
  { state, crashCount }: Pick<Chunk, 'state' | 'crashCount'>,
  { isAlive, goesOn }: Claimant,
): boolean => nextLeaseState(state, 'claim') === 'leased' && crashCount < MAX_CRASHES && isAlive && goesOn;

/** Who claims: the id is made by the runner, so that the same claim asked again gets the same answer. */
export interface ClaimOf {
  sessionId: string;
  claimId: string;
}

export const claim = (chunk: Chunk, { sessionId, claimId }: ClaimOf): Chunk => ({
  ...chunk,
  state: 'leased',
  attempt: chunk.attempt + 1,
  holders: [...chunk.holders, sessionId],
  sessionId,
  claimId,
  missedBeats: 0,
});

/** Whether the chunk belongs to the answer of this claim, be it the first time that it is asked or not. */
export const isClaimedBy = (chunk: Chunk, { sessionId, claimId }: ClaimOf): boolean =>
  chunk.state === 'leased' && chunk.sessionId === sessionId && chunk.claimId === claimId;

/** What has crashed its runner before the last time that it may runs with nothing beside it: no innocent neighbour is blamed. */
export const SOLO_AFTER_CRASHES = MAX_CRASHES - 1;

/** Lost with too many runners: it is claimed no more, and an error says so. */
export const isPoison = ({ state, crashCount }: Pick<Chunk, 'state' | 'crashCount'>): boolean =>
  nextLeaseState(state, 'give_up') === 'closed' && crashCount >= MAX_CRASHES;

/** Of whom a message says that its result is. */
export interface Sender {
  at: number;
  attempt: number;
  sessionId: string;
}

/**
 * `late`: of a session that did hold the attempt, which is done or void by now. `forged`: of one that never held it.
 * `unknown`: of no test run of this chunk.
 */
export type FenceVerdict = 'accepted' | 'late' | 'forged' | 'unknown';

/** The fence: a result counts when its attempt and its session are those on record, its place is open, and nobody has decided that it ends. */
export function passFence(
  chunk: Pick<Chunk, 'members' | 'settled' | 'state' | 'attempt' | 'sessionId' | 'holders'>,
  { at, attempt, sessionId }: Sender,
  goesOn: boolean,
): FenceVerdict {
  if (chunk.members[at] === undefined) return 'unknown';
  if (chunk.holders[attempt - 1] !== sessionId) return 'forged';
  const isOnRecord = chunk.attempt === attempt && chunk.sessionId === sessionId;
  const counts = goesOn && isOnRecord && nextLeaseState(chunk.state, 'record') === 'done';
  return counts && !hasSettled(chunk.settled, at) ? 'accepted' : 'late';
}

/** Open places of a leased chunk that its session will not finish. */
export interface Leaving {
  /** As they were: nobody had begun them. */
  untouched: readonly number[];
  /** They were under way when their runner broke: it counts against each of them. */
  crashed: readonly number[];
  /** The runner fell silent: also what was not begun must not come back for ever. */
  counts: boolean;
}

/** How often a test run may come back unbegun from a runner that fell silent; after that it counts as begun. */
export const MOST_RETURNS = 3;

/** What becomes of a chunk whose session is gone: by what the session last said was waiting, or, after a closed one, as it was. */
export function leaveBehind(
  chunk: Pick<Chunk, 'members' | 'settled' | 'returnCount'>,
  session: { isExpired: boolean; waiting: ReadonlySet<string> },
): Leaving {
  const open = openPlaces(chunk);
  if (!session.isExpired) return { untouched: open, crashed: [], counts: false };
  const isWaiting = (at: number) => chunk.returnCount < MOST_RETURNS && session.waiting.has(chunk.members[at] ?? '');
  return { untouched: open.filter(isWaiting), crashed: open.filter((at) => !isWaiting(at)), counts: true };
}

/** How a chunk goes back to the queue: as the chunk that it is, or its open places in new chunks of their own. */
export type HandBack =
  | { kind: 'whole'; crashes: number; returns: number }
  | { kind: 'parts'; places: readonly number[]; parts: ChunkPart[] };

export interface ChunkPart {
  members: string[];
  crashes: number;
  returns: number;
}

/** What was under way goes back turn by turn, everything else together as it was; null when nothing leaves. */
export function handBack(chunk: Pick<Chunk, 'members' | 'hasPairs'>, leaving: Leaving): HandBack | null {
  const { untouched, crashed, counts } = leaving;
  const places = [...untouched, ...crashed];
  if (places.length === 0) return null;
  const returns = counts ? 1 : 0;
  if (isWhole(chunk, leaving)) {
    return { kind: 'whole', crashes: crashed.length > 0 ? 1 : 0, returns: crashed.length > 0 ? 0 : returns };
  }
  const membersAt = (turn: readonly number[]) => turn.flatMap((at) => chunk.members[at] ?? []);
  return {
    kind: 'parts',
    places,
    parts: [
      ...turnsOf(chunk, crashed).map((turn) => ({ members: membersAt(turn), crashes: 1, returns: 0 })),
      ...together(chunk, untouched).map((turn) => ({ members: membersAt(turn), crashes: 0, returns })),
    ],
  };
}

/** Nothing of it is done, and all of it was under way in one turn, or nothing. */
function isWhole(chunk: Pick<Chunk, 'members' | 'hasPairs'>, { untouched, crashed }: Leaving): boolean {
  if (untouched.length + crashed.length < chunk.members.length) return false;
  return crashed.length === 0 || (untouched.length === 0 && turnsOf(chunk, crashed).length === 1);
}

/** In one chunk, but for a test run whose partner is done: every place of an even number begins a pair. */
function together(chunk: Pick<Chunk, 'hasPairs'>, places: readonly number[]): number[][] {
  const turns = turnsOf(chunk, places);
  const alone = chunk.hasPairs ? turns.filter((turn) => turn.length === 1) : [];
  const rest = turns.filter((turn) => !alone.includes(turn)).flat();
  return rest.length === 0 ? alone : [rest, ...alone];
}

/** Both sides of a pair stay together. */
function turnsOf({ hasPairs }: Pick<Chunk, 'hasPairs'>, places: readonly number[]): number[][] {
  return [...Map.groupBy(places, (at) => (hasPairs ? Math.floor(at / 2) : at)).values()];
}

/** The chunk after it went back, and the new ones. The next attempt at a test run has the next number, also in another chunk. */
export function applyHandBack(chunk: Chunk, back: HandBack): { chunk: Chunk; parts: Chunk[] } {
  if (back.kind === 'parts') {
    return { chunk: settle(chunk, back.places, 'closed'), parts: back.parts.map((part) => newPart(chunk, part)) };
  }
  const queued: Chunk = {
    ...publishAgain(chunk),
    state: 'queued',
    sessionId: null,
    crashCount: chunk.crashCount + back.crashes,
    returnCount: chunk.returnCount + back.returns,
  };
  return { chunk: queued, parts: [] };
}

const newPart = (chunk: Chunk, { members, crashes, returns }: ChunkPart): Chunk => ({
  members,
  hasPairs: chunk.hasPairs,
  settled: 0n,
  state: 'queued',
  attempt: chunk.attempt,
  holders: chunk.holders,
  sessionId: null,
  claimId: null,
  crashCount: chunk.crashCount + crashes,
  returnCount: chunk.returnCount + returns,
  missedBeats: 0,
  publishGen: 0,
  isPublished: false,
});

/** The chunk waits to be published, as something that the broker has not heard of. */
export const publishAgain = (chunk: Chunk): Chunk => ({
  ...chunk,
  publishGen: chunk.publishGen + 1,
  isPublished: false,
});

/** Whether the broker's word that it has this message is about the present turn of the chunk in the queue. */
export const mayMarkPublished = (
  { state, isPublished, publishGen }: Pick<Chunk, 'state' | 'isPublished' | 'publishGen'>,
  published: number,
): boolean => state === 'queued' && !isPublished && published >= publishGen;

/** After so many heartbeats without a chunk that it leases, a session never got the answer to its claim. */
export const MISSED_BEFORE_RELEASE = 3;

/** What a runner that holds the chunk at this attempt has to do: drop it when it is void. */
export const isVoid = (chunk: Pick<Chunk, 'attempt'> | undefined, attempt: number, goesOn: boolean): boolean =>
  chunk === undefined || chunk.attempt !== attempt || !goesOn;

/** What has become of results that a runner sent and still keeps. A place in neither list has not arrived, and would still count. */
export function confirmPlaces(
  chunk: Pick<Chunk, 'state' | 'attempt' | 'settled'> | undefined,
  { attempt, at }: { attempt: number; at: readonly number[] },
): { recorded: number[]; superseded: number[] } {
  if (chunk === undefined || chunk.attempt !== attempt) return { recorded: [], superseded: [...at] };
  const settled = at.filter((place) => hasSettled(chunk.settled, place));
  const open = at.filter((place) => !settled.includes(place));
  const counts = chunk.state === 'leased' || chunk.state === 'done';
  return {
    recorded: counts ? settled : [],
    superseded: [...(counts ? [] : settled), ...(chunk.state === 'leased' ? [] : open)],
  };
}
