/** The runners that wait for work of a pool. */
export interface Fleet {
  runners: number;
  /** Of the smallest of them. */
  slots: number;
}

/** What is planned for while no runner is connected. */
export const UNKNOWN_FLEET: Fleet = { runners: 4, slots: 16 };

const largest = 64;
/**
 * Of a runner's slots: two chunks side by side keep its slots full while one of them ends. A run beside a large one hardly waits
 * for it, because the broker holds few of its chunks at a time.
 */
const shareOfSlots = 2;
/** How often a runner comes back: at the end none is left with much while the others have nothing. */
const turnsOfRunner = 8;
/** The same where each test run has a slot: nothing is left for the end, and fewer messages begin sooner. */
const turnsAtOnce = 2;

/** How many test runs travel together: few for a small runner, and a divisor of its slots, so that none stands idle. */
export function chunkSize(testRuns: number, fleet: Fleet): number {
  const { runners, slots } = fleet;
  const isAtOnce = fleet !== UNKNOWN_FLEET && testRuns <= runners * slots;
  const turns = isAtOnce ? turnsAtOnce : turnsOfRunner;
  const most = Math.floor(Math.min(largest, slots / shareOfSlots, testRuns / (turns * runners)));
  for (let size = most; size > 1; size--) if (slots % size === 0) return size;
  return 1;
}

/** What takes one slot: a test run, or both sides of a repetition. */
export interface Turn {
  /** Only turns of one group travel together. */
  group: string;
  testRuns: number;
  /** How much it adds to a message, and how much all turns of its group need once. */
  bytes: number;
  shared: number;
}

/** Cuts turns into chunks of at most `size` test runs and about `bytes`, in their order. A turn is never cut in two. */
export function cutChunks<Cut extends Turn>(
  turns: readonly Cut[],
  { size, bytes }: { size: number; bytes: number },
): Cut[][] {
  const open = new Map<string, { turns: Cut[]; testRuns: number; bytes: number }>();
  const chunks: Cut[][] = [];
  for (const turn of turns) {
    const last = open.get(turn.group);
    if (last !== undefined && last.testRuns + turn.testRuns <= size && last.bytes + turn.bytes <= bytes - turn.shared) {
      last.turns.push(turn);
      last.testRuns += turn.testRuns;
      last.bytes += turn.bytes;
      continue;
    }
    const next = { turns: [turn], testRuns: turn.testRuns, bytes: turn.bytes };
    open.set(turn.group, next);
    chunks.push(next.turns);
  }
  return chunks;
}

/** So many test runs for the runners of a pool, each of which may take so long. */
export interface Load {
  pool: string;
  testRuns: number;
  caseTimeoutMs: number;
}

/**
 * How long a run may take before what is open of it becomes an error: as long as the slowest of its fleets needs when every
 * test run takes all the time that it may, and never less than `leastMs`.
 */
export function runDeadlineMs(load: readonly Load[], fleetOf: (pool: string) => Fleet, leastMs: number): number {
  const totals = new Map<string, number>();
  for (const { pool, testRuns, caseTimeoutMs } of load)
    totals.set(pool, (totals.get(pool) ?? 0) + testRuns * caseTimeoutMs);
  const needed = [...totals].map(([pool, total]) => {
    const { runners, slots } = fleetOf(pool);
    return Math.ceil(total / (runners * slots));
  });
  return Math.max(leastMs, ...needed);
}
