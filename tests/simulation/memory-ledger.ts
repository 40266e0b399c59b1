import { openPlaces, publishAgain, settle } from '@proofmark/domain/chunk';
import {
  countIn,
  type Ending,
  finish,
  isOver,
  openCount,
  type ResultStatus,
  writeOff,
} from '@proofmark/domain/suite-run';
import type { Rules } from './rules.ts';
import type {
  Beat,
  BeatAnswer,
  ClaimAsked,
  IncomingResult,
  Recorded,
  StoredChunk,
  StoredRow,
  StoredSession,
  StoredSuiteRun,
  TaskRef,
} from './stored.ts';

const lostWords = { status: 'error', errorKind: 'lost', errorMessage: '' } as const;
export const endings = {
  cancelled: { closing: { status: 'skipped', skipReason: 'cancelled' }, status: 'cancelled', reason: null },
  budget: { closing: { status: 'skipped', skipReason: 'budget' }, status: 'completed', reason: null },
  deadline: { closing: lostWords, status: 'failed', reason: 'deadline' },
} as const satisfies Record<string, Ending>;

/**
 * The ledger without Postgres: each method is one transaction of the coordinator, made of the rules of `domain/lifecycle`.
 * `coordinator/src/ledger/ledger-conformance.db.test.ts` plays the same histories against the SQL and expects the same states.
 */
export class MemoryLedger {
  readonly runs = new Map<string, { key: string; isCancelled: boolean }>();
  readonly suiteRuns = new Map<string, StoredSuiteRun>();
  /** The suite run of each test run that was planned. */
  readonly planned = new Map<string, string>();
  readonly chunks = new Map<string, StoredChunk>();
  readonly sessions = new Map<string, StoredSession>();
  readonly rows = new Map<string, StoredRow>();
  /** By test run and attempt: whether the result counted. */
  readonly usage = new Map<string, { accepted: boolean; times: number }>();
  /** Suite runs that wait for a verdict, and how often they got one. */
  readonly verdicts = new Map<string, number>();
  #beatMs: number | null = null;
  #patientUntilMs = 0;
  readonly #rules: Rules;
  readonly #newId: () => string;

  constructor(rules: Rules, newId: () => string) {
    this.#rules = rules;
    this.#newId = newId;
  }

  findRun(key: string): string | undefined {
    if (!this.#rules.knowsKeys) return undefined;
    for (const [id, run] of this.runs) if (run.key === key) return id;
    return undefined;
  }

  openSession(session: Omit<StoredSession, 'state' | 'waiting'>): void {
    this.sessions.set(session.id, { ...session, state: 'open', waiting: new Set() });
  }

  /** Leases what may be leased, and answers each claim with what is its own. */
  claim(asked: readonly ClaimAsked[], nowMs: number): StoredChunk[][] {
    for (const { chunks, ...who } of asked) for (const id of chunks) this.#lease(id, who, nowMs);
    const answers = asked.map(({ chunks, ...who }) =>
      chunks.flatMap((id) => {
        const chunk = this.chunks.get(id);
        return chunk !== undefined && this.#rules.isClaimedBy(chunk, who) ? [chunk] : [];
      }),
    );
    for (const chunk of answers.flat())
      for (const suiteRun of this.sidesOf(chunk)) this.#putSuiteRun({ ...suiteRun, ...countIn(suiteRun, []) });
    return answers;
  }

  /** Holds results against their chunks; what counts becomes a row, and the last row ends its suite run. */
  record(results: readonly IncomingResult[]): Recorded {
    const verdicts = results.map((result) => this.#judge(result));
    const counted = new Map<string, ResultStatus[]>();
    for (const [index, result] of results.entries()) {
      const chunk = this.chunks.get(result.chunkId);
      const testRunId = chunk?.members[result.at];
      if (chunk === undefined || testRunId === undefined) continue;
      const { attempt, status, execution } = result;
      const verdict = verdicts[index];
      if (verdict === 'accepted') {
        const suiteRunId = this.#insertRow(testRunId, { attempt, status, execution });
        if (suiteRunId === null) verdicts[index] = 'late';
        else append(counted, suiteRunId, status);
        this.#put({ ...chunk, ...settle(chunk, [result.at], 'done') });
      }
      if (verdict === 'accepted' || verdict === 'late') this.#noteUsage(testRunId, attempt, verdict === 'accepted');
    }
    this.#count(counted);
    return { verdicts };
  }

  /** A replica that runners reach lives. Says whether reapers have to wait. */
  noteBeat(nowMs: number, leaseMs: number): boolean {
    const silenceMs = this.#beatMs === null ? null : nowMs - this.#beatMs;
    this.#beatMs = nowMs;
    if (this.#rules.hadOutage({ silenceMs, leaseMs })) this.#patientUntilMs = nowMs + leaseMs;
    return this.#patientUntilMs > nowMs;
  }

  expire(nowMs: number): number {
    const gone = [...this.sessions.values()].filter(
      ({ state, leaseUntilMs }) => state === 'open' && leaseUntilMs < nowMs,
    );
    for (const session of gone) this.sessions.set(session.id, { ...session, state: 'expired' });
    return gone.length;
  }

  /** Sessions that are gone and still hold something. */
  findGone(): string[] {
    const holders = new Set<string | null>();
    for (const chunk of this.chunks.values()) if (chunk.state === 'leased') holders.add(chunk.sessionId);
    return [...this.sessions.values()].flatMap(({ id, state }) => (state !== 'open' && holders.has(id) ? [id] : []));
  }

  takeBack(sessionId: string): number {
    const session = this.sessions.get(sessionId);
    if (session === undefined) return 0;
    const { state, waiting } = session;
    const held = this.#leasedBy(sessionId);
    for (const chunk of held)
      this.#handBack(chunk, this.#rules.leaveBehind(chunk, { isExpired: state === 'expired', waiting }));
    return held.length;
  }

  /** Ends what was lost with too many runners. */
  closePoison(): void {
    const counted = new Map<string, ResultStatus[]>();
    for (const chunk of [...this.chunks.values()]) {
      if (this.#rules.isPoison(chunk) && this.goesOn(chunk))
        this.#writeRows(chunk, openPlaces(chunk), 'error', counted);
    }
    this.#count(counted);
  }

  beat({ sessionId, held, waiting, unconfirmed }: Beat, leaseUntilMs: number): BeatAnswer {
    const session = this.sessions.get(sessionId);
    if (session?.state !== 'open') return { session: 'expired' };
    const leased = new Map(this.#leasedBy(sessionId).map((chunk) => [chunk.id, chunk]));
    const named = (ref: { chunkId: string; attempt: number }): StoredChunk | undefined => {
      const chunk = leased.get(ref.chunkId);
      return chunk?.attempt === ref.attempt ? chunk : undefined;
    };
    const unbegun = waiting.flatMap((ref) => ref.at.flatMap((at) => named(ref)?.members[at] ?? []));
    this.sessions.set(sessionId, { ...session, leaseUntilMs, waiting: new Set(unbegun) });
    this.#release(sessionId, [...leased.values()], new Set(held.flatMap((ref) => named(ref)?.id ?? [])));
    return {
      session: 'open',
      abandoned: held.filter((ref) => {
        const chunk = named(ref);
        return this.#rules.isVoid(chunk, ref.attempt, chunk !== undefined && this.goesOn(chunk));
      }),
      confirmations: unconfirmed.map(({ chunkId, attempt, at }) => ({
        ...{ chunkId, attempt },
        ...this.#rules.confirmPlaces(this.chunks.get(chunkId), { attempt, at }),
      })),
    };
  }

  release(sessionId: string, given: readonly { chunkId: string; at: readonly number[] }[], isClosing: boolean): number {
    const session = this.sessions.get(sessionId);
    if (isClosing && session?.state === 'open') this.sessions.set(sessionId, { ...session, state: 'closed' });
    let released = 0;
    for (const chunk of this.#leasedBy(sessionId)) {
      const isGiven = (at: number) => isClosing || given.some((ref) => ref.chunkId === chunk.id && ref.at.includes(at));
      const untouched = openPlaces(chunk).filter(isGiven);
      released += untouched.length;
      this.#handBack(chunk, { untouched, crashed: [], counts: false });
    }
    return released;
  }

  /** Decides the end of suite runs. Returns those that it changed. */
  end(ids: readonly string[], ending: Ending): void {
    for (const id of ids) {
      const suiteRun = this.#suiteRun(id);
      this.#putSuiteRun({ ...suiteRun, ...this.#rules.decideEnd(suiteRun, ending) });
    }
  }

  cancel(runId: string): void {
    const run = this.runs.get(runId);
    if (run === undefined) return;
    const isOpen = this.suiteRunsOf(runId).some((suiteRun) => !isOver(suiteRun));
    this.end(
      this.suiteRunsOf(runId).map(({ id }) => id),
      endings.cancelled,
    );
    this.runs.set(runId, { ...run, isCancelled: run.isCancelled || isOpen });
  }

  closeOverdue(nowMs: number): void {
    const overdue = [...this.suiteRuns.values()].filter(
      (suiteRun) => !isOver(suiteRun) && suiteRun.ending === null && suiteRun.deadlineMs < nowMs,
    );
    this.end(
      overdue.map(({ id }) => id),
      endings.deadline,
    );
  }

  /** One bounded step of what follows from a decided end. Returns whether there was anything to write. */
  writeStep(mostChunks: number): boolean {
    const first = [...this.suiteRuns.values()].find(({ unwritten }) => unwritten > 0);
    if (first === undefined) return false;
    const ended = this.suiteRunsOf(first.runId).filter(({ unwritten }) => unwritten > 0);
    const isOfEnded = (id: string | null) => ended.some((suiteRun) => suiteRun.id === id);
    const chosen = [...this.chunks.values()]
      .filter(({ runId, state }) => runId === first.runId && (state === 'queued' || state === 'leased'))
      .filter(({ suiteRunId, baseSuiteRunId }) => isOfEnded(suiteRunId) || isOfEnded(baseSuiteRunId))
      .slice(0, mostChunks);
    for (const suiteRun of ended) {
      const written = new Map<string, ResultStatus[]>();
      for (const { id } of chosen) {
        const chunk = this.#chunk(id);
        const places = openPlaces(chunk).filter((at) => this.planned.get(chunk.members[at] ?? '') === suiteRun.id);
        this.#writeRows(chunk, places, suiteRun.ending?.closing.status ?? 'error', written);
      }
      const count = chosen.length === 0 ? suiteRun.unwritten : (written.get(suiteRun.id)?.length ?? 0);
      if (count > 0) this.#putSuiteRun({ ...suiteRun, ...writeOff(suiteRun, count) });
    }
    return true;
  }

  /** What may be published next, in its order. */
  takeUnpublished(limit: number, nowMs: number): TaskRef[] {
    const waiting = [...this.chunks.values()].filter(
      (chunk) =>
        chunk.state === 'queued' &&
        !chunk.isPublished &&
        this.#rules.mayClaim(chunk, { isAlive: true, goesOn: this.goesOn(chunk) && this.#deadlineOf(chunk) > nowMs }),
    );
    return waiting.slice(0, limit).map(({ id, publishGen }) => ({ id, publishGen }));
  }

  markPublished(tasks: readonly TaskRef[], nowMs: number): void {
    for (const { id, publishGen } of tasks) {
      const chunk = this.chunks.get(id);
      if (chunk !== undefined && this.#rules.mayMarkPublished(chunk, publishGen))
        this.#put({ ...chunk, isPublished: true, publishedMs: nowMs });
    }
  }

  backlog(beforeMs: number): number {
    let published = 0;
    for (const { state, isPublished, publishedMs } of this.chunks.values())
      if (state === 'queued' && isPublished && publishedMs < beforeMs) published++;
    return published;
  }

  republish(): number {
    const lost = [...this.chunks.values()].filter(({ state, isPublished }) => state === 'queued' && isPublished);
    for (const chunk of lost) this.#put({ ...chunk, ...publishAgain(chunk) });
    return lost.length;
  }

  /** Judges one suite run that waits for it. */
  judgeNext(): void {
    for (const [id, times] of this.verdicts) if (times === 0) return void this.verdicts.set(id, 1);
  }

  /** Completes what has nothing open and yet did not end. */
  finaliseForgotten(): void {
    for (const suiteRun of [...this.suiteRuns.values()])
      if (openCount(suiteRun) === 0 && suiteRun.unwritten === 0)
        this.#putSuiteRun({ ...suiteRun, ...finish(suiteRun, 'completed') });
  }

  suiteRunsOf(runId: string): StoredSuiteRun[] {
    return [...this.suiteRuns.values()].filter((suiteRun) => suiteRun.runId === runId);
  }

  sidesOf({ suiteRunId, baseSuiteRunId }: StoredChunk): StoredSuiteRun[] {
    return [suiteRunId, baseSuiteRunId].flatMap((id) => (id === null ? [] : [this.#suiteRun(id)]));
  }

  /** Nobody has decided that one of its suite runs ends. */
  goesOn(chunk: StoredChunk): boolean {
    if (this.#suiteRun(chunk.suiteRunId).ending !== null) return false;
    return chunk.baseSuiteRunId === null || this.#suiteRun(chunk.baseSuiteRunId).ending === null;
  }

  #deadlineOf({ suiteRunId }: StoredChunk): number {
    return this.#suiteRun(suiteRunId).deadlineMs;
  }

  #lease(id: string, who: Omit<ClaimAsked, 'chunks'>, nowMs: number): void {
    const chunk = this.chunks.get(id);
    const session = this.sessions.get(who.sessionId);
    if (chunk === undefined) return;
    const isAlive = session?.state === 'open' && session.leaseUntilMs > nowMs;
    const goesOn = this.goesOn(chunk) && this.#deadlineOf(chunk) > nowMs;
    if (this.#rules.mayClaim(chunk, { isAlive, goesOn })) this.#put({ ...chunk, ...this.#rules.claim(chunk, who) });
  }

  #judge(result: IncomingResult): Recorded['verdicts'][number] {
    const chunk = this.chunks.get(result.chunkId);
    return chunk === undefined ? 'unknown' : this.#rules.passFence(chunk, result, this.goesOn(chunk));
  }

  /** The suite run of the new row; null when there is a row already. */
  #insertRow(testRunId: string, row: Omit<StoredRow, 'suiteRunId'>): string | null {
    const suiteRunId = this.planned.get(testRunId);
    if (suiteRunId === undefined) throw new Error(`${testRunId} was never planned`);
    if (this.rows.has(testRunId) && this.#rules.hasUniqueRows) return null;
    this.rows.set(testRunId, { ...row, suiteRunId });
    return suiteRunId;
  }

  #writeRows(
    chunk: StoredChunk,
    places: readonly number[],
    status: ResultStatus,
    counted: Map<string, ResultStatus[]>,
  ) {
    for (const at of places) {
      const row = { attempt: chunk.attempt, status, execution: null };
      const suiteRunId = this.#insertRow(chunk.members[at] ?? '', row);
      if (suiteRunId !== null) append(counted, suiteRunId, status);
    }
    if (places.length > 0) this.#put({ ...chunk, ...settle(chunk, places, 'closed') });
  }

  #noteUsage(testRunId: string, attempt: number, accepted: boolean): void {
    const key = `${testRunId}:${attempt}`;
    if (!this.usage.has(key)) this.usage.set(key, { accepted, times: 1 });
  }

  #count(counted: ReadonlyMap<string, ResultStatus[]>): void {
    for (const [id, statuses] of counted) {
      const suiteRun = { ...this.#suiteRun(id), ...countIn(this.#suiteRun(id), statuses) };
      this.#putSuiteRun(openCount(suiteRun) === 0 ? { ...suiteRun, ...finish(suiteRun, 'completed') } : suiteRun);
    }
  }

  /** What a session leases and does not name is counted; after some heartbeats it goes back. */
  #release(sessionId: string, leased: readonly StoredChunk[], named: ReadonlySet<string>): void {
    for (const chunk of leased) {
      const missedBeats = named.has(chunk.id) ? 0 : chunk.missedBeats + 1;
      if (missedBeats !== chunk.missedBeats) this.#put({ ...chunk, missedBeats });
    }
    for (const chunk of this.#leasedBy(sessionId))
      if (chunk.missedBeats >= this.#rules.missedBeforeRelease)
        this.#handBack(chunk, { untouched: openPlaces(chunk), crashed: [], counts: false });
  }

  #handBack(chunk: StoredChunk, leaving: Parameters<Rules['handBack']>[1]): void {
    const back = this.#rules.handBack(chunk, leaving);
    if (back === null) return;
    const after = this.#rules.applyHandBack(chunk, back);
    this.#put({ ...chunk, ...after.chunk });
    for (const part of after.parts) this.#put({ ...chunk, ...part, id: this.#newId() });
  }

  #leasedBy(sessionId: string): StoredChunk[] {
    const leased: StoredChunk[] = [];
    for (const chunk of this.chunks.values())
      if (chunk.state === 'leased' && chunk.sessionId === sessionId) leased.push(chunk);
    return leased;
  }

  #put(chunk: StoredChunk): void {
    this.chunks.set(chunk.id, chunk);
  }

  /** One that has ended waits for its verdict, unless it was cancelled. */
  #putSuiteRun(suiteRun: StoredSuiteRun): void {
    const before = this.suiteRuns.get(suiteRun.id);
    this.suiteRuns.set(suiteRun.id, suiteRun);
    if (before === undefined || isOver(before) || !isOver(suiteRun) || suiteRun.status === 'cancelled') return;
    if (this.verdicts.has(suiteRun.id)) throw new Error(`${suiteRun.id} ended twice`);
    this.verdicts.set(suiteRun.id, 0);
  }

  #suiteRun(id: string): StoredSuiteRun {
    const suiteRun = this.suiteRuns.get(id);
    if (suiteRun === undefined) throw new Error(`no suite run ${id}`);
    return suiteRun;
  }

  #chunk(id: string): StoredChunk {
    const chunk = this.chunks.get(id);
    if (chunk === undefined) throw new Error(`no chunk ${id}`);
    return chunk;
  }
}

function append(counted: Map<string, ResultStatus[]>, suiteRunId: string, status: ResultStatus): void {
  const statuses = counted.get(suiteRunId);
  if (statuses === undefined) counted.set(suiteRunId, [status]);
  else statuses.push(status);
}
