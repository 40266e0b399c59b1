import { openPlaces } from '@proofmark/domain/chunk';
import { MAX_CRASHES } from '@proofmark/domain/lifecycle';
import { isOver, openCount } from '@proofmark/domain/suite-run';
import type { Clock } from './clock.ts';
import type { MemoryLedger } from './memory-ledger.ts';
import type { IncomingResult, StoredChunk, StoredRow, StoredSuiteRun } from './stored.ts';

/** A promise that does not hold. */
export class Violation extends Error {}

/** So long a runner that hears nothing may still begin a call: 5 s, and what was under way. */
const mostUnheardMs = 6_000;
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
  /** The broker was told that a result is dealt with. */
  acknowledged: (results: readonly IncomingResult[]) => void;
  /** A session was expired although its runner was well and nothing kept it from the broker. */
  expiredHealthy: (runnerId: string) => void;
}

interface Execution {
  /** The longest time without any answer since its runner last heard what became of its work. */
  unheardMs: number;
  runId: string;
  testRunId: string;
  attempt: number;
  sessionId: string;
}

const forgedExecution = 'forged';

/** `ledgerUpMs`: how long the ledger has been there altogether. */
export function watchInvariants(ledger: MemoryLedger, clock: Clock, ledgerUpMs: () => number): Invariants {
  const rows = new Map<string, unknown>();
  const members = new Map<string, readonly string[]>();
  const holders = new Map<string, string>();
  const latest = new Map<string, number>();
  const begun = new Set<string>();
  const cancelledMs = new Map<string, number>();
  const startedKeys = new Map<string, string>();
  const fail = (what: string): never => {
    throw new Violation(`at ${(clock.nowMs / 1000).toFixed(3)} s: ${what}`);
  };

  const checkChunk = (chunk: StoredChunk, openTestRuns: Set<string>) => {
    const known = members.get(chunk.id) ?? chunk.members;
    if (known !== chunk.members) fail(`P11: the members of ${chunk.id} changed`);
    members.set(chunk.id, known);
    if (chunk.state === 'done' || chunk.state === 'closed') return;
    if (chunk.holders.length !== chunk.attempt) fail(`P6: the attempts of ${chunk.id} and its holders differ`);
    const lost = lostLeases(chunk);
    if (lost > mostLostLeases) fail(`P6: ${chunk.id} was lost with ${lost} runners and still runs`);
    checkOpen(chunk, openTestRuns);
  };

  const checkOpen = (chunk: StoredChunk, openTestRuns: Set<string>) => {
    const open = openPlaces(chunk);
    if (open.length === 0) fail(`P3: ${chunk.id} is ${chunk.state} and has nothing open`);
    for (const at of open) {
      const testRunId = chunk.members[at] ?? '';
      if (openTestRuns.has(testRunId)) fail(`P3: ${testRunId} is open in two chunks`);
      openTestRuns.add(testRunId);
      if (chunk.state === 'leased') checkHolder(chunk, testRunId);
    }
  };

  const lostLeases = ({ holders: all }: StoredChunk): number =>
    all.filter((id) => ledger.sessions.get(id)?.state === 'expired').length;

  /** Without an end that somebody has decided, only what three runners were lost with gets a row that nobody sent. */
  const checkGivenUp = (testRunId: string, { suiteRunId, attempt }: StoredRow) => {
    if (ledger.suiteRuns.get(suiteRunId)?.ending !== null) return;
    const lost = new Set<string>();
    for (let one = 1; one <= attempt; one++) {
      const holder = holders.get(`${testRunId}:${one}`);
      if (holder !== undefined && ledger.sessions.get(holder)?.state === 'expired') lost.add(holder);
    }
    if (lost.size < MAX_CRASHES) fail(`P6: ${testRunId} was given up after ${lost.size} lost runners`);
  };

  /** An attempt number belongs to one session for ever. */
  const checkHolder = (chunk: StoredChunk, testRunId: string) => {
    const { attempt, sessionId } = chunk;
    const key = `${testRunId}:${attempt}`;
    if (!holders.has(key) && !ledger.goesOn(chunk)) fail(`P7: ${testRunId} was leased after its end was decided`);
    const holder = holders.get(key) ?? sessionId ?? '';
    if (holder !== sessionId) fail(`P5: attempt ${attempt} of ${testRunId} was given to two sessions`);
    holders.set(key, holder);
    latest.set(testRunId, Math.max(attempt, latest.get(testRunId) ?? 0));
  };

  const checkKeys = () => {
    const keys = [...ledger.runs.values()].map(({ key }) => key);
    if (new Set(keys).size < keys.length) fail('P8: a key has two runs');
  };

  const checkRows = () => {
    for (const [testRunId, row] of ledger.rows) if (rows.get(testRunId) !== row) checkNewRow(testRunId, row);
    for (const [testRunId] of rows) if (!ledger.rows.has(testRunId)) fail(`P4: the row of ${testRunId} is gone`);
  };

  const checkNewRow = (testRunId: string, row: StoredRow) => {
    if (rows.has(testRunId)) fail(`P5: the row of ${testRunId} changed`);
    rows.set(testRunId, row);
    if (row.execution === null) checkGivenUp(testRunId, row);
    else checkSent(testRunId, row);
  };

  /** A row that came from a runner. */
  const checkSent = (testRunId: string, { attempt, execution, suiteRunId }: StoredRow) => {
    const key = `${testRunId}:${attempt}`;
    if (execution === forgedExecution) fail(`P5: a forged result became the row of ${testRunId}`);
    if (execution !== `${key}:${holders.get(key)}`)
      fail(`P5: the row of ${testRunId} is not of the attempt that it names`);
    if (attempt < (latest.get(testRunId) ?? 0))
      fail(`P5: the row of ${testRunId} is of attempt ${attempt}, and a later one was under way`);
    if (ledger.suiteRuns.get(suiteRunId)?.ending !== null)
      fail(`P7: a result of ${testRunId} was counted after its end was decided`);
    if (ledger.usage.get(key)?.accepted !== true) fail(`P5: what the row of ${testRunId} has spent is not noted`);
  };

  const checkTotals = (openTestRuns: ReadonlySet<string>) => {
    for (const suiteRun of ledger.suiteRuns.values()) checkSuiteRun(suiteRun, openTestRuns);
    for (const [id, times] of ledger.verdicts) if (times > 1) fail(`P3: ${id} was judged ${times} times`);
  };

  /** Counted in place: this is asked after every transaction of ten thousand histories. */
  const rowsOf = (id: string) => {
    const count = { passed: 0, failed: 0, error: 0, skipped: 0 };
    for (const { suiteRunId, status } of ledger.rows.values()) if (suiteRunId === id) count[status] += 1;
    return count;
  };

  const openOf = (id: string, openTestRuns: ReadonlySet<string>): number => {
    let open = 0;
    for (const testRunId of openTestRuns) if (ledger.planned.get(testRunId) === id) open += 1;
    return open;
  };

  const checkSuiteRun = (suiteRun: StoredSuiteRun, openTestRuns: ReadonlySet<string>) => {
    const written = rowsOf(suiteRun.id);
    const isError = suiteRun.ending?.closing.status === 'error';
    const unwritten = { errors: isError ? suiteRun.unwritten : 0, skips: isError ? 0 : suiteRun.unwritten };
    const open = openOf(suiteRun.id, openTestRuns);
    const isRight =
      suiteRun.passed === written.passed &&
      suiteRun.failed === written.failed + written.error + unwritten.errors &&
      suiteRun.errored === written.error + unwritten.errors &&
      suiteRun.skipped === written.skipped + unwritten.skips &&
      openCount(suiteRun) === open - suiteRun.unwritten;
    if (!isRight) fail(`P3: the totals of ${suiteRun.id} are not its rows: ${JSON.stringify({ ...suiteRun, open })}`);
    if (isOver(suiteRun) && open > 0 && suiteRun.unwritten === 0)
      fail(`P3: ${suiteRun.id} has ended with ${open} open`);
  };

  return {
    check: () => {
      const open = new Set<string>();
      checkKeys();
      for (const chunk of ledger.chunks.values()) checkChunk(chunk, open);
      checkRows();
      checkTotals(open);
    },
    begins: ({ runId, testRunId, attempt, sessionId, unheardMs }) => {
      const key = `${testRunId}:${attempt}:${sessionId}`;
      if (begun.has(key)) fail(`P12: attempt ${attempt} of ${testRunId} is executed twice by ${sessionId}`);
      begun.add(key);
      if (ledger.sessions.get(sessionId)?.state === 'expired')
        fail(`P6: ${testRunId} begins in ${sessionId}, which has expired`);
      if (unheardMs > mostUnheardMs) fail(`P7: ${testRunId} begins after its runner heard nothing for ${unheardMs} ms`);
      // While the ledger is away nobody can look up what was cancelled right before.
      const since = ledgerUpMs() - (cancelledMs.get(runId) ?? Number.POSITIVE_INFINITY);
      if (since > mostUnheardMs) fail(`P7: ${testRunId} begins ${since} ms after its run was cancelled`);
    },
    cancelled: (runId) => {
      if (!cancelledMs.has(runId)) cancelledMs.set(runId, ledgerUpMs());
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
    acknowledged: (results) => {
      for (const { chunkId, at, attempt, sessionId, execution } of results) {
        const chunk = ledger.chunks.get(chunkId);
        const isGenuine = execution !== forgedExecution && chunk?.holders[attempt - 1] === sessionId;
        if (isGenuine && !ledger.usage.has(`${chunk.members[at]}:${attempt}`))
          fail(`L3: a result of ${chunk.members[at]} is acknowledged and not committed`);
      }
    },
    expiredHealthy: (runnerId) => fail(`P6: the session of ${runnerId} was taken although it was well`),
  };
}
