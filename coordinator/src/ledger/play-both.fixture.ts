import { createHash, randomUUID } from 'node:crypto';
import { SOLO_AFTER_CRASHES } from '@proofmark/domain/chunk';
import type { SuiteRun } from '@proofmark/domain/suite-run';
import { dice } from '../../../tests/simulation/clock.ts';
import { MemoryLedger } from '../../../tests/simulation/memory-ledger.ts';
import { productRules } from '../../../tests/simulation/rules.ts';
import type { StoredChunk } from '../../../tests/simulation/stored.ts';
import type { Ledger } from '../database/open-ledger.fixture.ts';
import { anOutcome, given, newSession, type Tenant } from '../story.fixture.ts';
import { cancelRun } from './cancel-run.ts';
import { claimChunks } from './claim-chunks.ts';
import { closeOverdue } from './close-overdue.ts';
import { chunkWords, readLedgerWords, suiteRunWords } from './ledger-words.fixture.ts';
import { markPublished, republish, takeUnpublished } from './publishing.ts';
import { reapSessions } from './reap-sessions.ts';
import { recordResults } from './record-results.ts';
import { beatSession, releaseSession } from './sessions.ts';

interface Playing {
  tenant: Tenant;
  /** A run of two suites with as many cases, of which each history gets a copy. */
  template: string;
  seed: number;
}

interface Played {
  /** What the SQL and the rules do not agree on, after which command; nothing when they do. */
  difference: { command?: string; sql?: unknown; rules?: unknown };
  seen: { commands: number; recorded: number; requeued: number; ended: number };
}

const commandsOfHistory = 40;

/** Plays a random history of commands on the ledger and on its rules, and holds their answers and states against each other. */
export async function playBoth(ledger: Ledger, { tenant, template, seed }: Playing): Promise<Played> {
  const history = await History.begin(ledger, { tenant, template, seed });
  const seen = { commands: 0, recorded: 0, requeued: 0, ended: 0 };
  try {
    for (; seen.commands < commandsOfHistory; seen.commands++) {
      const { command, sql, rules } = await history.next();
      if (!isSame(sql, rules)) return { difference: { command, sql, rules }, seen };
      const states = await history.states();
      if (!isSame(states.sql, states.rules)) return { difference: { command, ...states }, seen };
    }
    return { difference: {}, seen: { ...seen, ...history.seen() } };
  } finally {
    await history.end();
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

interface Both {
  command: string;
  sql: unknown;
  rules: unknown;
}

const copyOf = (id: string, salt: string): string => {
  const hex = createHash('md5').update(`${id}${salt}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

class History {
  readonly #ledger: Ledger;
  readonly #tenant: Tenant;
  readonly #runId: string;
  readonly #random: () => number;
  readonly #memory: MemoryLedger;
  readonly #sessions: string[] = [];
  readonly #claims: { sessionId: string; claimId: string }[] = [];
  /** Ids of chunks that were cut off others differ on the two sides; their members are the same. */
  #sqlIds = new Map<string, string>();
  #nowMs = 0;

  static async begin(ledger: Ledger, { tenant, template, seed }: Playing): Promise<History> {
    const salt = randomUUID();
    const history = new History(ledger, { tenant, runId: copyOf(template, salt), seed });
    await history.#copy(template, salt);
    await history.states();
    return history;
  }

  private constructor(ledger: Ledger, { tenant, runId, seed }: { tenant: Tenant; runId: string; seed: number }) {
    this.#ledger = ledger;
    this.#tenant = tenant;
    this.#runId = runId;
    this.#random = dice(seed);
    let parts = 0;
    this.#memory = new MemoryLedger(productRules, () => `part ${++parts}`);
  }

  async #copy(template: string, salt: string): Promise<void> {
    const copy = (table: string, where: string, changes: string) =>
      this.#ledger.query(
        `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object(${changes}))).* from ${table} t where ${where} = $1`,
        [template, salt],
      );
    const id = (column: string) => `'${column}', md5(t.${column}::text || $2)::uuid`;
    await copy('runs', 't.id', `${id('id')}, 'idempotency_key', $2`);
    await copy('test_suite_runs', 't.run_id', `${id('id')}, ${id('run_id')}`);
    await copy('planned_test_runs', 't.run_id', `${id('test_run_id')}, ${id('suite_run_id')}, ${id('run_id')}`);
    const planned = await this.#ledger.query<{ id: string; suiteRunId: string }>(
      `select test_run_id as id, suite_run_id as "suiteRunId" from planned_test_runs where run_id = $1
       order by sort_order, suite_run_id`,
      [this.#runId],
    );
    const suiteRuns = [...new Set(planned.map(({ suiteRunId }) => suiteRunId))].toSorted();
    this.#memory.runs.set(this.#runId, { key: salt, isCancelled: false });
    for (const { id: testRunId, suiteRunId } of planned) this.#memory.planned.set(testRunId, suiteRunId);
    for (const suiteRunId of suiteRuns) this.#memory.suiteRuns.set(suiteRunId, this.#newSuiteRun(suiteRunId, planned));
    for (const chunk of this.#cut(planned, suiteRuns)) await this.#insertChunk(chunk, template);
  }

  #newSuiteRun(id: string, planned: readonly { suiteRunId: string }[]) {
    const counts = { passed: 0, failed: 0, errored: 0, skipped: 0, unwritten: 0 };
    const total = planned.filter(({ suiteRunId }) => suiteRunId === id).length;
    const open: SuiteRun = { status: 'pending', ending: null, total, ...counts };
    return { ...open, id, runId: this.#runId, deadlineMs: Number.POSITIVE_INFINITY };
  }

  /** In pairs of both suites, or each suite by itself. */
  #cut(
    planned: readonly { id: string; suiteRunId: string }[],
    [first = '', second = '']: readonly string[],
  ): StoredChunk[] {
    const of = (suiteRunId: string) => planned.filter((one) => one.suiteRunId === suiteRunId).map(({ id }) => id);
    const [bases, heads] = [of(first), of(second)];
    const hasPairs = this.#random() < 0.5;
    const pairs = bases.map((base, at) => [base, given(heads[at])]);
    const turns = hasPairs ? [pairs] : [bases.map((id) => [id]), heads.map((id) => [id])];
    return turns.flatMap((ofSuite, side) => {
      const chunks: StoredChunk[] = [];
      for (let start = 0; start < ofSuite.length; ) {
        const size = 1 + Math.floor(this.#random() * 3);
        const members = ofSuite.slice(start, start + size).flat();
        const sides = hasPairs ? [second, first] : [side === 0 ? first : second, null];
        chunks.push(this.#newChunk(members, { suiteRunId: given(sides[0]) ?? '', baseSuiteRunId: sides[1] ?? null }));
        start += size;
      }
      return chunks;
    });
  }

  #newChunk(members: string[], sides: Pick<StoredChunk, 'suiteRunId' | 'baseSuiteRunId'>): StoredChunk {
    return {
      ...{ id: randomUUID(), runId: this.#runId, members, ...sides, hasPairs: sides.baseSuiteRunId !== null },
      ...{ settled: 0n, state: 'queued', attempt: 0, holders: [], sessionId: null, claimId: null, crashCount: 0 },
      ...{ returnCount: 0, missedBeats: 0, publishGen: 0, isPublished: false, publishedMs: 0 },
    };
  }

  async #insertChunk(chunk: StoredChunk, template: string): Promise<void> {
    const { id, runId, suiteRunId, baseSuiteRunId, members } = chunk;
    this.#memory.chunks.set(id, chunk);
    await this.#ledger.query(
      `insert into chunks select (jsonb_populate_record(t, jsonb_build_object('id', $2::uuid, 'run_id', $3::uuid,
         'suite_run_id', $4::uuid, 'base_suite_run_id', $5::uuid, 'members', to_jsonb($6::uuid[]),
         'open_count', cardinality($6::uuid[])))).* from chunks t where t.run_id = $1 limit 1`,
      [template, id, runId, suiteRunId, baseSuiteRunId, members],
    );
  }

  async next(): Promise<Both> {
    const commands: readonly (() => Promise<Both>)[] = [
      () => this.#open(),
      () => this.#claim(),
      () => this.#claim(),
      () => this.#claim(),
      () => this.#record(),
      () => this.#record(),
      () => this.#record(),
      () => this.#record(),
      () => this.#expire(),
      () => this.#expire(),
      () => this.#reap(),
      () => this.#reap(),
      () => this.#beat(),
      () => this.#beat(),
      () => this.#beat(),
      () => this.#release(),
      () => this.#release(),
      () => this.#publish(),
      () => this.#publish(),
      () => this.#republish(),
      () => this.#end(),
    ];
    this.#nowMs++;
    return await (this.#sessions.length === 0 ? this.#open() : given(this.#pick(commands))());
  }

  #pick<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.#random() * items.length)];
  }

  #some<Item>(items: readonly Item[], share = 0.5): Item[] {
    return items.filter(() => this.#random() < share);
  }

  async #open(): Promise<Both> {
    const id = await newSession(this.#ledger);
    this.#sessions.push(id);
    this.#memory.openSession({ id, runnerId: 'runner-1', leaseUntilMs: Number.POSITIVE_INFINITY });
    return { command: 'open a session', sql: null, rules: null };
  }

  /** A new claim, or one that is asked again. */
  async #claim(): Promise<Both> {
    const sessionId = given(this.#pick(this.#sessions));
    const again = this.#random() < 0.3 ? this.#pick(this.#claims) : undefined;
    const who = again ?? { sessionId, claimId: randomUUID() };
    this.#claims.push(who);
    const chunks = this.#some([...this.#memory.chunks.values()], 0.4).slice(0, 4);
    if (chunks.length === 0) return { command: 'claim nothing', sql: null, rules: null };
    const [claimed = []] = await claimChunks(this.#ledger.database, [
      { ...who, chunks: chunks.map((chunk) => ({ tenantId: this.#tenant.id, chunkId: this.#idOf(chunk) })) },
    ]);
    const [won = []] = this.#memory.claim([{ ...who, chunks: chunks.map(({ id }) => id) }], this.#nowMs);
    return {
      command: `claim ${chunks.length} chunks`,
      sql: claimed.map(({ chunkId, attempt, solo }) => `${chunkId} ${attempt} ${solo}`).toSorted(),
      rules: won
        .map((chunk) => `${this.#idOf(chunk)} ${chunk.attempt} ${chunk.crashCount >= SOLO_AFTER_CRASHES}`)
        .toSorted(),
    };
  }

  /** True ones, late ones, forged ones, and the same twice. */
  async #record(): Promise<Both> {
    const held = [...this.#memory.chunks.values()].filter(({ attempt }) => attempt > 0);
    const results = this.#some([...held, ...held], 0.6).map((chunk) => {
      const attempt = this.#random() < 0.75 ? chunk.attempt : 1 + Math.floor(this.#random() * (chunk.attempt + 1));
      const holder = chunk.holders[attempt - 1];
      const sessionId = this.#random() < 0.85 ? holder : this.#pick(this.#sessions);
      const at = Math.floor(this.#random() * (chunk.members.length + 0.1));
      const status = this.#pick(['passed', 'failed', 'error'] as const) ?? 'passed';
      return { chunk, at, attempt, sessionId: sessionId ?? randomUUID(), status };
    });
    const answer = await recordResults(
      this.#ledger.database,
      results.map(({ chunk, at, attempt, sessionId, status }) => ({
        ...{ v: 1, kind: 'results', tenantId: this.#tenant.id, runId: this.#runId, sessionId },
        results: [
          {
            ...{ chunkId: this.#idOf(chunk), at, attempt },
            outcome: anOutcome({ status, errorKind: status === 'error' ? 'agent' : null }),
          },
        ],
      })),
    );
    const { verdicts } = this.#memory.record(
      results.map(({ chunk, ...result }) => ({ ...result, chunkId: chunk.id, from: 'runner-1', execution: 'one' })),
    );
    const count = (word: string) => verdicts.filter((verdict) => verdict === word).length;
    const refused = (word: string) => answer.refused.filter(({ why }) => why === word).length;
    return {
      command: `record ${results.length} results`,
      sql: [answer.recorded, answer.late, refused('forged'), refused('unknown')],
      rules: [count('accepted'), count('late'), count('forged'), count('unknown')],
    };
  }

  async #expire(): Promise<Both> {
    const id = given(this.#pick(this.#sessions));
    await this.#ledger.query(`update runner_sessions set lease_until = now() - interval '1 second' where id = $1`, [
      id,
    ]);
    const session = given(this.#memory.sessions.get(id));
    this.#memory.sessions.set(id, { ...session, leaseUntilMs: -1 });
    return { command: 'let the lease of a session run out', sql: null, rules: null };
  }

  async #reap(): Promise<Both> {
    const { expired } = await reapSessions(this.#ledger.database);
    const gone = this.#memory.expire(this.#nowMs);
    for (const id of this.#memory.findGone()) this.#memory.takeBack(id);
    this.#memory.closePoison();
    return { command: 'reap', sql: expired, rules: gone };
  }

  async #beat(): Promise<Both> {
    const sessionId = given(this.#pick(this.#sessions));
    const leased = [...this.#memory.chunks.values()].filter((chunk) => chunk.sessionId === sessionId);
    const named = this.#some(
      [...this.#memory.chunks.values()].filter(({ attempt }) => attempt > 0),
      0.3,
    );
    const refs = (chunks: readonly StoredChunk[]) => [...new Set(chunks)].filter(({ attempt }) => attempt > 0);
    const held = refs([...this.#some(leased, 0.7), ...(this.#random() < 0.3 ? named : [])]);
    const waiting = this.#some(held).map((chunk) => ({ chunk, at: this.#some([...chunk.members.keys()]) }));
    const unconfirmed = refs(named).map((chunk) => ({ chunk, at: this.#some([...chunk.members.keys()]) }));
    const inSql = (chunk: StoredChunk) => ({
      tenantId: this.#tenant.id,
      chunkId: this.#idOf(chunk),
      attempt: chunk.attempt,
    });
    const inMemory = ({ id, attempt }: StoredChunk) => ({ chunkId: id, attempt });
    const answer = await beatSession(
      this.#ledger.database,
      {
        sessionId,
        held: held.map(inSql),
        waiting: waiting.map(({ chunk, at }) => ({ ...inSql(chunk), at })),
        unconfirmed: unconfirmed.map(({ chunk, at }) => ({ ...inSql(chunk), at })),
      },
      3_600_000,
    );
    const reply = this.#memory.beat(
      {
        sessionId,
        held: held.map(inMemory),
        waiting: waiting.map(({ chunk, at }) => ({ ...inMemory(chunk), at })),
        unconfirmed: unconfirmed.map(({ chunk, at }) => ({ ...inMemory(chunk), at })),
      },
      Number.POSITIVE_INFINITY,
    );
    const idOf = (id: string) => this.#idOf(given(this.#memory.chunks.get(id)));
    return {
      command: `beat with ${held.length} chunks`,
      sql:
        answer.session === 'open'
          ? [
              answer.abandoned.map(({ chunkId }) => chunkId),
              answer.confirmations.map(({ chunkId, recorded, superseded }) => [chunkId, recorded, superseded]),
            ]
          : answer.session,
      rules:
        reply.session === 'open'
          ? [
              reply.abandoned.map(({ chunkId }) => idOf(chunkId)),
              reply.confirmations.map(({ chunkId, recorded, superseded }) => [idOf(chunkId), recorded, superseded]),
            ]
          : reply.session,
    };
  }

  async #release(): Promise<Both> {
    const sessionId = given(this.#pick(this.#sessions));
    const closing = this.#random() < 0.2;
    const leased = this.#some([...this.#memory.chunks.values()].filter((chunk) => chunk.sessionId === sessionId));
    const some = leased.map((chunk) => ({ chunk, at: this.#some([...chunk.members.keys()]) }));
    const { released } = await releaseSession(this.#ledger.database, {
      ...{ sessionId, closing },
      given: some.map(({ chunk, at }) => {
        return { tenantId: this.#tenant.id, chunkId: this.#idOf(chunk), attempt: chunk.attempt, at };
      }),
    });
    const back = some.map(({ chunk, at }) => ({ chunkId: chunk.id, at }));
    return {
      command: closing ? 'close a session' : 'give back',
      sql: released,
      rules: this.#memory.release(sessionId, back, closing),
    };
  }

  async #publish(): Promise<Both> {
    const tasks = await takeUnpublished(this.#ledger.database, { pool: 'default', limit: 256 });
    const mine = tasks.filter(({ runId }) => runId === this.#runId);
    const next = this.#memory.takeUnpublished(256, this.#nowMs);
    const words = ({ id, publishGen }: { id: string; publishGen: number }) => `${id} ${publishGen}`;
    const idOf = ({ id }: { id: string }) => this.#idOf(given(this.#memory.chunks.get(id)));
    const marked = this.#some(next, 0.7).map((task) => ({
      ...task,
      publishGen: task.publishGen - (this.#random() < 0.1 ? 1 : 0),
    }));
    await markPublished(
      this.#ledger.database,
      marked.map((task) => ({ ...task, id: idOf(task), tenantId: this.#tenant.id, runId: this.#runId })),
    );
    this.#memory.markPublished(marked, this.#nowMs);
    return {
      command: `publish ${next.length} chunks`,
      sql: mine.map(words).toSorted(),
      rules: next.map((task) => words({ ...task, id: idOf(task) })).toSorted(),
    };
  }

  async #republish(): Promise<Both> {
    return {
      command: 'republish',
      sql: await republish(this.#ledger.database, 'default'),
      rules: this.#memory.republish(),
    };
  }

  /** Rarely, so that something has happened before. */
  async #end(): Promise<Both> {
    if (this.#random() < 0.6) return { command: 'end nothing', sql: null, rules: null };
    if (this.#random() < 0.5) {
      await cancelRun(this.#ledger.database, this.#tenant.caller, this.#runId);
      this.#memory.cancel(this.#runId);
      this.#memory.writeStep(32);
      return { command: 'cancel', sql: null, rules: null };
    }
    await this.#ledger.query(`update test_suite_runs set deadline_at = now() - interval '1 second' where run_id = $1`, [
      this.#runId,
    ]);
    for (const suiteRun of this.#memory.suiteRunsOf(this.#runId))
      this.#memory.suiteRuns.set(suiteRun.id, { ...suiteRun, deadlineMs: -1 });
    await closeOverdue(this.#ledger.database);
    this.#memory.closeOverdue(this.#nowMs);
    while (this.#memory.writeStep(32));
    return { command: 'close what is overdue', sql: null, rules: null };
  }

  /** All that both sides have on record, in the same words. */
  async states(): Promise<{ sql: unknown; rules: unknown }> {
    const { ids, words: sql } = await readLedgerWords(this.#ledger, this.#runId, this.#sessions);
    this.#sqlIds = ids;
    const { chunks, suiteRuns, rows, usage, sessions, verdicts } = this.#memory;
    return {
      sql,
      rules: {
        chunks: [...chunks.values()]
          .map((chunk) => chunkWords({ ...chunk, settled: String(chunk.settled) }))
          .toSorted(),
        suiteRuns: [...suiteRuns.values()]
          .map((suiteRun) => suiteRunWords(suiteRun, suiteRun.ending?.status))
          .toSorted(),
        rows: [...rows].map(([id, { attempt, status }]) => `${id} ${attempt} ${status}`).toSorted(),
        usage: [...usage].map(([key, { accepted }]) => `${key.replace(':', ' ')} ${accepted}`).toSorted(),
        sessions: this.#sessions.map((id) => {
          const { state, waiting } = given(sessions.get(id));
          return `${id} ${state} ${[...waiting].toSorted().join()}`;
        }),
        jobs: [...verdicts.keys()].toSorted(),
      },
    };
  }

  #idOf({ members }: StoredChunk): string {
    return given(this.#sqlIds.get(members.join()));
  }

  seen(): Omit<Played['seen'], 'commands'> {
    const { rows, chunks, suiteRuns } = this.#memory;
    return {
      recorded: [...rows.values()].filter(({ execution }) => execution !== null).length,
      requeued: [...chunks.values()].filter(({ attempt, sessionId }) => attempt > 0 && sessionId === null).length,
      ended: [...suiteRuns.values()].filter(({ ending }) => ending !== null).length,
    };
  }

  /** Leaves nothing that another history could meet. */
  async end(): Promise<void> {
    await this.#ledger.query('delete from runs where id = $1', [this.#runId]);
    await this.#ledger.query('delete from runner_sessions where id = any($1)', [this.#sessions]);
  }
}
