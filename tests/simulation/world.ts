import { Clock, dice } from './clock.ts';
import { type Invariants, watchInvariants } from './invariants.ts';
import { MemoryBroker } from './memory-broker.ts';
import { MemoryLedger } from './memory-ledger.ts';
import type { Rules } from './rules.ts';

export const times = { leaseMs: 25_000, heartbeatMs: 2000, reapMs: 2000, replyMs: 5000 } as const;

/** A process: what it has to do later is not done once it died, and later than planned while it is frozen. */
export class Node {
  readonly name: string;
  isUp = false;
  /** Counts its lives: an appointment of an earlier one is not kept. */
  life = 0;
  frozenUntilMs = 0;
  /** Between it and the broker nothing passes. */
  isCutOff = false;

  constructor(name: string) {
    this.name = name;
  }
}

export interface World {
  readonly rules: Rules;
  readonly clock: Clock;
  readonly random: () => number;
  readonly ledger: MemoryLedger;
  readonly broker: MemoryBroker;
  readonly invariants: Invariants;
  readonly coordinators: Node[];
  /** Processes to which faults happen. */
  hasDeaths: ReadonlySet<Node>;
  /** While faults last, the network also loses, doubles and delays. */
  isFaulty: boolean;
  isLedgerUp: boolean;
  /** How long the ledger was away altogether. */
  ledgerDownMs: () => number;
  /** Whether the session is the present one of a runner, in a world in which nothing happens to runners. */
  isWell: (sessionId: string) => boolean;
  /** The process ends at once. */
  die: (node: Node) => void;
  /** Tells all runners that a run was cancelled, as far as the broker carries it. */
  tellCancelled: (from: Node, runId: string) => void;
  /** How a runner reaches a coordinator: the broker hands each call to one of those that are connected. */
  calls: Map<Node, (call: Call) => void>;
  newId: (kind: string) => string;
  /** Told what happens, for somebody who reads a story. */
  tell: (line: string) => void;
}

/** A call of a runner; each is answered at most once, or never. */
export interface Call {
  kind: 'hello' | 'claim' | 'heartbeat' | 'release';
  runnerId: string;
  request: unknown;
  reply: (answer: unknown) => void;
}

export function makeWorld(seed: number, rules: Rules, tell?: (line: string) => void): World {
  let ids = 0;
  const newId = (kind: string) => `${kind}-${++ids}`;
  const ledger = new MemoryLedger(rules, () => newId('chunk'));
  const clock = new Clock();
  const world: World = {
    ...{ rules, clock, ledger, newId },
    random: dice(seed),
    tell: tell === undefined ? () => undefined : (line) => tell(`${(clock.nowMs / 1000).toFixed(3)} s: ${line}`),
    broker: new MemoryBroker(),
    invariants: watchInvariants(ledger, clock, () => clock.nowMs - world.ledgerDownMs()),
    coordinators: [],
    hasDeaths: new Set(),
    isFaulty: true,
    isLedgerUp: true,
    ledgerDownMs: () => 0,
    isWell: () => false,
    die,
    tellCancelled: () => undefined,
    calls: new Map(),
  };
  return world;
}

export const chance = (world: World, share: number): boolean => world.random() < share;
export const between = (world: World, least: number, most: number): number => least + world.random() * (most - least);

export function pick<Item>(world: World, items: readonly Item[]): Item | undefined {
  return items[Math.floor(world.random() * items.length)];
}

/** What the node does after a while, unless it is dead by then. A frozen one does it when it wakes up. */
export function later(world: World, node: Node, afterMs: number, act: () => void): void {
  const { life } = node;
  const run = () => {
    if (node.life !== life || !node.isUp) return;
    if (node.frozenUntilMs > world.clock.nowMs) world.clock.at(node.frozenUntilMs + between(world, 0, 5), run);
    else act();
  };
  world.clock.at(world.clock.nowMs + afterMs, run);
}

/** Again and again, with up to a fifth more or less between two passes. */
export function every(world: World, node: Node, periodMs: number, act: () => void): void {
  const pass = () => {
    act();
    later(world, node, periodMs * between(world, 0.8, 1.2), pass);
  };
  later(world, node, periodMs * world.random(), pass);
}

const reaches = ({ broker }: World, node: Node): boolean => broker.isUp && !node.isCutOff;

const lossShare = 0.05;
const doubleShare = 0.05;

/** Over the network from one node to another through the broker. It may be lost, come twice, or late. */
export function send(world: World, from: Node, to: Node, arrive: () => void): void {
  const isLost = !reaches(world, from) || (world.isFaulty && chance(world, lossShare));
  if (isLost) return;
  const copies = world.isFaulty && chance(world, doubleShare) ? 2 : 1;
  for (let copy = 0; copy < copies; copy++) {
    const delayMs = world.isFaulty && chance(world, 0.1) ? between(world, 50, 3000) : between(world, 0.2, 5);
    world.clock.at(world.clock.nowMs + delayMs, () => {
      if (to.isUp && reaches(world, to)) later(world, to, 0, arrive);
    });
  }
}

/** Publishes to a stream; `taken` comes when the broker has said so, which may get lost as well. */
export function publish(world: World, from: Node, store: () => void, taken: () => void, failed: () => void): void {
  const isSent = reaches(world, from) && world.broker.hasStreams && !(world.isFaulty && chance(world, lossShare));
  if (isSent) store();
  if (isSent && !(world.isFaulty && chance(world, lossShare))) later(world, from, between(world, 0.2, 10), taken);
  else later(world, from, 1000, failed);
}

export const isConnected = reaches;

/** Where a process may die in the middle of its work, while faults last. */
export function mayDie(world: World, node: Node): boolean {
  if (!world.isFaulty || !world.hasDeaths.has(node) || !chance(world, 0.004)) return false;
  world.die(node);
  return true;
}

function die(node: Node): void {
  node.isUp = false;
  node.life++;
}

export class LedgerDown extends Error {}
/** One for all: where it comes from says nothing, and to find that out is a tenth of a history. */
const ledgerDown = new LedgerDown();

/**
 * A transaction. The ledger may be away, and now and then the connection breaks before or after the commit, so that its
 * caller does not know what has become of it.
 */
export function transact<Answer>(world: World, act: (ledger: MemoryLedger) => Answer): Answer {
  if (!world.isLedgerUp || (world.isFaulty && chance(world, 0.01))) throw ledgerDown;
  const answer = act(world.ledger);
  world.invariants.check();
  if (world.isFaulty && chance(world, 0.01)) throw ledgerDown;
  return answer;
}
