import { openPlaces } from '@proofmark/domain/chunk';
import { isOver, openCount } from '@proofmark/domain/suite-run';
import type { Clock } from './clock.ts';
import type { IncomingResult, MemoryLedger, StoredChunk, StoredSuiteRun } from './memory-ledger.ts';

/** A promise that does not hold. */
export class Violation extends Error {}

/** So long after a cancel was answered a runner that hears nothing may still begin a call: 5 s, and what was under way. */
const cancelNoticeMs = 6_000;
const mostLostLeases = 6;

export interface Invariants {
  /** After each transaction. */
  check: () => void;
  /** A runner begins to execute a test run. */
  begins: (execution: Execution) => void;
  /** A run was cancelled, and its caller was told. */
  cancelled: (runId: string) => void;
  /** A caller was told that its run exists. */
  started: (key: string, runId: string) => void;
  /** A runner was told that its results are recorded. */
  confirmed: (ref: { chunkId: string; attempt: number; at: number }) => void;
  /** A session was expired although its runner was well and nothing kept it from the broker. */
  expiredHealthy: (runnerId: string) => void;
}

export interface Execution {
  runId: string;
  testRunId: string;
  attempt: number;
  sessionId: string;
}

export const forgedExecution = 'forged';

export function watchInvariants(ledger: MemoryLedger, clock: Clock): Invariants {
  const rows = new Map<string, unknown>();
  const members = new Map<string, readonly string[]>();
  const holders = new Map<string, string>();
  const begun = new Set<string>();
  const cancelledMs = new Map<string, number>();
  const startedKeys = new Map<string, string>();
  const fail = (what: string): never => {
    throw new Violation(`at ${(clock.nowMs / 1000).toFixed(3)} s: ${what}`);
  };

  const checkChunk = (chunk: StoredChunk, openTestRuns: Set<string>) => {
    const known = members.get(chunk.id);
    if (known === undefined) members.set(chunk.id, chunk.members);
    else if (known !== chunk.members) fail(`P11: the members of ${chunk.id} changed`);
    if (chunk.state === 'done' || chunk.state === 'closed') return;
    const open = openPlaces(chunk);
    if (open.length === 0) fail(`P3: ${chunk.id} is ${chunk.state} and has nothing open`);
    for (const at of open) {
      const testRunId = chunk.members[at] ?? '';
      if (openTestRuns.has(testRunId)) fail(`P3: ${testRunId} is open in two chunks`);
      openTestRuns.add(testRunId);
      if (chunk.state === 'leased') checkHolder(chunk, testRunId);
    }
    if (chunk.holders.length !== chunk.attempt) fail(`P6: the attempts of ${chunk.id} and its holders differ`);
    if (new Set(chunk.holders).size > 0 && lostLeases(chunk) > mostLostLeases)
      fail(`P6: ${chunk.id} was lost with ${lostLeases(chunk)} runners and still runs`);
  };

  const lostLeases = ({ holders: all }: StoredChunk): number =>
    all.filter((id) => ledger.sessions.get(id)?.state === 'expired').length;

  /** An attempt number belongs to one session for ever. */
  const checkHolder = ({ attempt, sessionId }: StoredChunk, testRunId: string) => {
    const key = `${testRunId}:${attempt}`;
    const holder = holders.get(key) ?? sessionId ?? '';
    if (holder !== sessionId) fail(`P5: attempt ${attempt} of ${testRunId} was given to two sessions`);
    holders.set(key, holder);
  };

  const checkRows = () => {
    for (const [testRunId, row] of ledger.rows) {
      const known = rows.get(testRunId);
      if (known === row) continue;
      if (known !== undefined) fail(`P5: the row of ${testRunId} changed`);
      rows.set(testRunId, row);
      if (row.execution === forgedExecution) fail(`P5: a forged result became the row of ${testRunId}`);
      if (row.execution !== null && row.execution !== `${testRunId}:${row.attempt}:${holders.get(`${testRunId}:${row.attempt}`)}`)
        fail(`P5: the row of ${testRunId} is not of the attempt that it names`);
      const suiteRun = ledger.suiteRuns.get(row.suiteRunId);
      if (row.execution !== null && suiteRun !== undefined && suiteRun.ending !== null)
        fail(`P7: a result of ${testRunId} was counted after its end was decided`);
      const usage = ledger.usage.get(`${testRunId}:${row.attempt}`);
      if (row.execution !== null && usage?.accepted !== true) fail(`P5: what the row of ${testRunId} has spent is not noted`);
    }
    for (const [testRunId] of rows) if (!ledger.rows.has(testRunId)) fail(`P4: the row of ${testRunId} is gone`);
  };

  const checkTotals = (openTestRuns: ReadonlySet<string>) => {
    for (const suiteRun of ledger.suiteRuns.values()) checkSuiteRun(suiteRun, openTestRuns);
    for (const [id, times] of ledger.verdicts) if (times > 1) fail(`P3: ${id} was judged ${times} times`);
  };

  const checkSuiteRun = (suiteRun: StoredSuiteRun, openTestRuns: ReadonlySet<string>) => {
    const written = [...ledger.rows.values()].filter(({ suiteRunId }) => suiteRunId === suiteRun.id);
    const count = (...statuses: string[]) => written.filter(({ status }) => statuses.includes(status)).length;
    const isError = suiteRun.ending?.closing.status === 'error';
    const unwritten = { errors: isError ? suiteRun.unwritten : 0, skips: isError ? 0 : suiteRun.unwritten };
    const open = [...openTestRuns].filter((id) => ledger.planned.get(id) === suiteRun.id).length;
    const isRight =
      suiteRun.passed === count('passed') &&
      suiteRun.failed === count('failed', 'error') + unwritten.errors &&
      suiteRun.errored === count('error') + unwritten.errors &&
      suiteRun.skipped === count('skipped') + unwritten.skips &&
      openCount(suiteRun) === open - suiteRun.unwritten;
    if (!isRight) fail(`P3: the totals of ${suiteRun.id} are not its rows: ${JSON.stringify({ ...suiteRun, open })}`);
    if (isOver(suiteRun) && open > 0 && suiteRun.unwritten === 0) fail(`P3: ${suiteRun.id} has ended with ${open} open`);
  };

  return {
    check: () => {
      const open = new Set<string>();
      for (const chunk of ledger.chunks.values()) checkChunk(chunk, open);
      checkRows();
      checkTotals(open);
      for (const row of ledger.rows.values()) void row;
    },
    begins: ({ runId, testRunId, attempt, sessionId }) => {
      const key = `${testRunId}:${attempt}:${sessionId}`;
      if (begun.has(key)) fail(`P12: attempt ${attempt} of ${testRunId} is executed twice by ${sessionId}`);
      begun.add(key);
      const since = clock.nowMs - (cancelledMs.get(runId) ?? Number.POSITIVE_INFINITY);
      if (since > cancelNoticeMs) fail(`P7: ${testRunId} begins ${since} ms after its run was cancelled`);
    },
    cancelled: (runId) => {
      if (!cancelledMs.has(runId)) cancelledMs.set(runId, clock.nowMs);
    },
    started: (key, runId) => {
      const known = startedKeys.get(key) ?? runId;
      if (known !== runId) fail(`P8: the key ${key} has two runs`);
      startedKeys.set(key, runId);
      if (!ledger.runs.has(runId)) fail(`P1: the run ${runId} does not exist`);
    },
    confirmed: ({ chunkId, attempt, at }) => {
      const testRunId = ledger.chunks.get(chunkId)?.members[at] ?? '';
      const row = ledger.rows.get(testRunId);
      if (row?.attempt !== attempt || row.execution === null)
        fail(`P4: ${testRunId} was told to be recorded at attempt ${attempt} and is not`);
    },
    expiredHealthy: (runnerId) => fail(`P6: the session of ${runnerId} was taken although it was well`),
  };
}
