import { type CallLimits, limitKinds, type TurnsAsked, type TurnsGiven } from '@proofmark/domain/call-limits';

/** Where turns to call one model come from. */
export interface PermitSource {
  take(asked: TurnsAsked): Promise<TurnsGiven>;
  /** The provider has complained; null: it did not say for how long. */
  slowDown(pauseMs: number | null): Promise<void>;
}

export interface QueuePorts {
  monotonicMs: () => number;
  /** Rings once after `ms`, unless it is stopped before. */
  ring: (ms: number, bell: () => void) => { stop: () => void };
}

/** A call that may be made. It is either given back or told to have ended. */
export interface CallTurn {
  /** When it comes. */
  atMs: number;
  /** Tokens that were taken for it, as far as one could tell. */
  cost: number;
}

interface Waiter {
  go: (turn: CallTurn) => void;
}

/** A turn that nobody has used for so long is gone: kept, they would become a burst. */
const keptMs = 1_000;
const mostAtOnce = 1_000;
/** Turns are granted a second ahead, so nothing is lost by asking no more often. */
const askEveryMs = 200;
/** What is told, and not asked, can wait for so long. */
const tellEveryMs = 100;
/** Who has its share of the calls under way learns so often whether the share has changed. */
const lookEveryMs = 1_000;
/** How much the last call counts at least in the guess of what the next one takes; the first ones count as in an average. */
const weightOfLast = 0.2;

const realTime: QueuePorts = {
  monotonicMs: () => performance.now(),
  ring: (ms, bell) => {
    const timer = setTimeout(bell, ms);
    return { stop: () => clearTimeout(timer) };
  },
};

/**
 * Who wants to call one model with limits, first come first served. Turns are fetched for those that wait, and for no others;
 * what is held of a limit on calls under way goes on from one call to the next, so that a full fleet asks nobody.
 */
export class PermitQueue {
  readonly #source: PermitSource;
  readonly #ports: QueuePorts;
  readonly #isRated: boolean;
  readonly #countsTokens: boolean;
  readonly #isHeld: boolean;
  readonly #waiters: Waiter[] = [];
  /** The turns that were granted, earliest first. */
  #turns: CallTurn[] = [];
  /** Calls under way: how many there are, may be, and should be when some have ended. */
  #underWay = 0;
  #held = 0;
  #share = 0;
  /** What a call takes, and how much more calls took than was told. */
  #cost: number;
  #counted = 0;
  #owed = 0;
  #turnsAtMs = 0;
  #callsAtMs = 0;
  #tellAtMs = 0;
  #pausedUntilMs = 0;
  #asking = 0;
  /** Complaints so far: what was granted before the last one is void. */
  #complaints = 0;
  #alarm: { stop: () => void } | undefined;

  constructor(source: PermitSource, { limits, cost }: { limits: CallLimits; cost: number }, ports = realTime) {
    const kinds = limitKinds(limits);
    this.#source = source;
    this.#ports = ports;
    this.#isHeld = kinds.includes('inFlight');
    this.#countsTokens = kinds.includes('tokens');
    this.#isRated = this.#countsTokens || kinds.includes('requests');
    this.#cost = this.#countsTokens ? cost : 0;
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  /** Whether nothing would be lost with it. */
  get isIdle(): boolean {
    return this.#waiters.length === 0 && this.#underWay === 0 && this.#held === 0 && this.#owed === 0;
  }

  /** How long nobody may call, as far as is known here. */
  get pausedMs(): number {
    return Math.max(0, this.#pausedUntilMs - this.#ports.monotonicMs());
  }

  /** Takes a turn that is there already; undefined: `turn` has to be waited for. */
  takeNow(): CallTurn | undefined {
    this.#forget();
    return this.#waiters.length === 0 && this.#isFree(this.#ports.monotonicMs()) ? this.#begin() : undefined;
  }

  /** Resolves when this caller may call; rejects with the signal's reason. */
  turn(signal: AbortSignal): Promise<CallTurn> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        go: (turn) => {
          signal.removeEventListener('abort', leave);
          resolve(turn);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiters.push(waiter);
      this.#advance();
    });
  }

  /** A turn that was taken and not used. */
  giveBack(turn: CallTurn): void {
    this.#underWay -= 1;
    if (this.#isRated) this.#turns.unshift({ ...turn, atMs: this.#ports.monotonicMs() });
    this.#advance();
  }

  /** The call has ended; null: nobody knows how many tokens it took. */
  ended(turn: CallTurn, tokens: number | null): void {
    this.#underWay -= 1;
    if (this.#countsTokens && tokens !== null) {
      this.#owed += tokens - turn.cost;
      if (tokens > 0) this.#learnCost(tokens);
    }
    this.#advance();
  }

  /** The provider has complained: what was granted before is void, and all runners wait. */
  slowDown(pauseMs: number | null): void {
    this.#giveUp(this.#turns.length);
    this.#turnsAtMs = 0;
    this.#callsAtMs = 0;
    this.#complaints += 1;
    this.#asking += 1;
    // Without an answer the next complaint is another chance; meanwhile its own caller waits as the provider asks.
    const told = this.#source.slowDown(pauseMs).catch(() => undefined);
    void told.then(() => {
      this.#asking -= 1;
      this.#advance(true);
    });
  }

  #learnCost(tokens: number): void {
    this.#counted += 1;
    this.#cost += Math.max(weightOfLast, 1 / this.#counted) * (tokens - this.#cost);
  }

  /** So many calls may be under way. */
  get #most(): number {
    return this.#isHeld ? Math.min(this.#held, this.#share) : Number.POSITIVE_INFINITY;
  }

  get #wants(): number {
    return this.#underWay + this.#waiters.length;
  }

  /** What it keeps of the calls that it may have under way. */
  get #keeps(): number {
    return Math.min(this.#held, Math.max(Math.min(this.#wants, this.#share), this.#underWay));
  }

  get #lacksTurns(): number {
    if (!this.#isRated) return 0;
    const room = this.#most - this.#underWay;
    return Math.max(0, Math.min(this.#waiters.length, room, mostAtOnce) - this.#turns.length);
  }

  get #lacksCalls(): boolean {
    return this.#isHeld && this.#wants > this.#held;
  }

  get #hasToTell(): boolean {
    return this.#owed !== 0 || this.#keeps < this.#held;
  }

  #isFree(nowMs: number): boolean {
    if (nowMs < this.#pausedUntilMs || this.#underWay >= this.#most) return false;
    return !this.#isRated || (this.#turns[0]?.atMs ?? Number.POSITIVE_INFINITY) <= nowMs;
  }

  #begin(): CallTurn {
    this.#underWay += 1;
    return this.#turns.shift() ?? { atMs: this.#ports.monotonicMs(), cost: 0 };
  }

  #advance(isAnswered = false): void {
    this.#forget();
    const nowMs = this.#ports.monotonicMs();
    while (this.#waiters.length > 0 && this.#isFree(nowMs)) this.#waiters.shift()?.go(this.#begin());
    const times = this.#asking > 0 ? [] : this.#timesToAsk();
    // After a complaint every runner has to learn of the pause, also one that needs nothing at the moment.
    if (times.some((atMs) => atMs <= nowMs) || (isAnswered && this.#asking === 0 && this.#waiters.length > 0))
      void this.#ask();
    this.#setAlarm(nowMs, times);
  }

  #timesToAsk(): number[] {
    return [
      ...(this.#lacksTurns > 0 ? [this.#turnsAtMs] : []),
      ...(this.#lacksCalls ? [this.#callsAtMs] : []),
      ...(this.#hasToTell ? [this.#tellAtMs] : []),
    ];
  }

  #setAlarm(nowMs: number, timesToAsk: readonly number[]): void {
    this.#alarm?.stop();
    this.#alarm = undefined;
    const canCall = this.#waiters.length > 0 && this.#underWay < this.#most;
    const comes = this.#isRated ? this.#turns[0]?.atMs : this.#pausedUntilMs;
    const times = [
      ...(canCall && comes !== undefined ? [Math.max(comes, this.#pausedUntilMs)] : []),
      ...(this.#asking > 0 ? [] : timesToAsk),
    ];
    if (times.length === 0) return;
    this.#alarm = this.#ports.ring(Math.max(1, Math.ceil(Math.min(...times) - nowMs)), () => this.#advance());
  }

  async #ask(): Promise<void> {
    const complaints = this.#complaints;
    // What is let go is let go before anybody hears of it.
    this.#held = this.#keeps;
    const asked: TurnsAsked = {
      ...{ want: this.#lacksTurns, cost: this.#cost, settle: this.#owed },
      ...{ holds: this.#held, wants: this.#isHeld ? this.#wants : 0 },
    };
    this.#owed = 0;
    this.#tellAtMs = this.#ports.monotonicMs() + tellEveryMs;
    this.#asking += 1;
    try {
      const given = await this.#source.take(asked);
      this.#keep(given, asked, complaints === this.#complaints);
    } finally {
      this.#asking -= 1;
      this.#advance();
    }
  }

  #keep(given: TurnsGiven, { want, cost }: TurnsAsked, isValid: boolean): void {
    const nowMs = this.#ports.monotonicMs();
    const { granted, firstMs, spacingMs, againMs, pausedMs, held, share } = given;
    if (this.#isHeld) [this.#held, this.#share] = [held, share];
    this.#callsAtMs = nowMs + (held < share ? tellEveryMs : lookEveryMs);
    if (pausedMs > 0) this.#pausedUntilMs = nowMs + pausedMs;
    else if (isValid) this.#pausedUntilMs = 0;
    if (!isValid) {
      this.#owed -= granted * cost;
      return;
    }
    for (let at = 0; at < granted; at += 1) this.#turns.push({ atMs: nowMs + firstMs + at * spacingMs, cost });
    this.#turns.sort((a, b) => a.atMs - b.atMs);
    this.#turnsAtMs = granted < want ? nowMs + Math.max(againMs, askEveryMs) : 0;
  }

  #forget(): void {
    const oldestMs = this.#ports.monotonicMs() - keptMs;
    const fresh = this.#turns.findIndex(({ atMs }) => atMs >= oldestMs);
    this.#giveUp(fresh === -1 ? this.#turns.length : fresh);
  }

  /** The first turns are nobody's any more: the tokens that were taken for them are there again. */
  #giveUp(count: number): void {
    for (const { cost } of this.#turns.splice(0, count)) this.#owed -= cost;
  }
}
