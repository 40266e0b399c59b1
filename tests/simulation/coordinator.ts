import type { Delivered } from './memory-broker.ts';
import type { MemoryLedger } from './memory-ledger.ts';
import type { Beat, ClaimAsked, IncomingResult, TaskRef } from './stored.ts';
import {
  between,
  type Call,
  every,
  isConnected,
  LedgerDown,
  later,
  mayDie,
  type Node,
  publish,
  times,
  transact,
  type World,
} from './world.ts';

const publishMs = 1000;
const republishMs = 10_000;
const topologyMs = 15_000;
const deadlineMs = 5000;
const collectMs = 400;
const finaliseMs = 30_000;
const mostOfPass = 6;
const chunksOfStep = 2;

/** A replica of the coordinator in this world: the same chores in the same transactions, with the same rules. */
export function startCoordinator(world: World, node: Node): void {
  node.isUp = true;
  node.life++;
  const chore = (periodMs: number, act: () => void) => every(world, node, periodMs, () => orLater(act));
  chore(publishMs, () => publishWaiting(world, node));
  chore(times.reapMs, reaper(world, node));
  chore(republishMs, republisher(world, node));
  chore(topologyMs, () => {
    if (isConnected(world, node)) world.broker.hasStreams = true;
  });
  chore(deadlineMs, () => {
    if (world.rules.closesOverdue) transact(world, (ledger) => ledger.closeOverdue(world.clock.nowMs));
    if (world.rules.goesOnWriting) writeEnded(world, node);
  });
  chore(finaliseMs, () => transact(world, (ledger) => ledger.finaliseForgotten()));
  chore(1000, () => transact(world, (ledger) => ledger.judgeNext()));
  chore(collectMs, () => collect(world, node));
  world.calls.set(node, (call) => orLater(() => answer(world, node, call)));
}

/** What fails because the ledger is away is tried again at its time, as the loops of the product do. */
function orLater(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof LedgerDown)) throw error;
  }
}

function publishWaiting(world: World, node: Node): void {
  if (!isConnected(world, node)) return;
  const tasks = transact(world, (ledger) => ledger.takeUnpublished(mostOfPass, world.clock.nowMs));
  for (const task of tasks) {
    const store = () => world.broker.work.add(`${task.id}:${task.publishGen}`, task, world.clock.nowMs);
    const taken = () => orLater(() => markPublished(world, node, task));
    publish(world, node, store, taken, () => undefined);
  }
}

function markPublished(world: World, node: Node, task: TaskRef): void {
  if (mayDie(world, node)) return;
  transact(world, (ledger) => ledger.markPublished([task], world.clock.nowMs));
}

function reaper(world: World, node: Node): () => void {
  let waitUntilMs = 0;
  const { leaseMs } = times;
  return () => {
    if (!isConnected(world, node)) {
      waitUntilMs = world.clock.nowMs + leaseMs;
      return;
    }
    let mustWait: boolean;
    try {
      mustWait = transact(world, (ledger) => ledger.noteBeat(world.clock.nowMs, leaseMs));
    } catch (error) {
      waitUntilMs = world.clock.nowMs + leaseMs;
      throw error;
    }
    if (world.rules.reaps && !mustWait && world.clock.nowMs >= waitUntilMs) reap(world, node);
  };
}

/** In as many transactions as in the product; other processes come in between, and this one may die there. */
function reap(world: World, node: Node): void {
  transact(world, (ledger) => expire(world, ledger));
  const pause = () => between(world, 0, 20);
  for (const sessionId of transact(world, (ledger) => ledger.findGone())) {
    later(world, node, pause(), () => orLater(() => void transact(world, (ledger) => ledger.takeBack(sessionId))));
  }
  if (mayDie(world, node)) return;
  later(world, node, 30, () => orLater(() => transact(world, (ledger) => ledger.closePoison())));
}

function expire(world: World, ledger: MemoryLedger): void {
  const { nowMs } = world.clock;
  for (const { id, state, leaseUntilMs, runnerId } of ledger.sessions.values()) {
    if (state !== 'open' || leaseUntilMs >= nowMs) continue;
    world.tell(`${id} of ${runnerId} expires`);
    if (world.isWell(id)) world.invariants.expiredHealthy(runnerId);
  }
  ledger.expire(nowMs);
}

function republisher(world: World, node: Node): () => void {
  let isSuspect = false;
  return () => {
    if (!world.rules.republishes || !isConnected(world, node)) return;
    const published = transact(world, (ledger) => ledger.backlog(world.clock.nowMs - 5000));
    const found = world.rules.lookForLost(isSuspect, { published, waiting: world.broker.work.size });
    isSuspect = found.isSuspect;
    if (found.republish) transact(world, (ledger) => ledger.republish());
  };
}

/** Goes on in steps of their own, until nothing is left or this process dies. */
function writeEnded(world: World, node: Node): void {
  if (!transact(world, (ledger) => ledger.writeStep(chunksOfStep))) return;
  if (!mayDie(world, node)) later(world, node, 10, () => orLater(() => writeEnded(world, node)));
}

export function cancelRun(world: World, node: Node, runId: string): void {
  transact(world, (ledger) => ledger.cancel(runId));
  world.tell(`${runId} is cancelled`);
  world.invariants.cancelled(runId);
  world.tellCancelled(node, runId);
  orLater(() => void transact(world, (ledger) => ledger.writeStep(chunksOfStep)));
}

type ResultMessage = Delivered<readonly IncomingResult[]>;

function collect(world: World, node: Node): void {
  if (!isConnected(world, node)) return;
  const messages = world.broker.results.take(8, world.clock.nowMs);
  if (messages.length === 0) return;
  const acknowledge = () => {
    if (!isConnected(world, node)) return;
    for (const message of messages) message.ack();
    world.invariants.acknowledged(messages.flatMap(({ body }) => body));
  };
  if (!world.rules.commitsFirst) acknowledge();
  later(world, node, between(world, 1, 50), () => record(world, node, messages, acknowledge));
}

function record(world: World, node: Node, messages: readonly ResultMessage[], acknowledge: () => void): void {
  if (mayDie(world, node)) return;
  const results = messages.flatMap(({ body }) => body).filter((result) => isOwn(world, result));
  try {
    transact(world, (ledger) => ledger.record(results));
  } catch (error) {
    if (!(error instanceof LedgerDown)) throw error;
    later(world, node, 1000, () => record(world, node, messages, acknowledge));
    return;
  }
  if (mayDie(world, node)) return;
  acknowledge();
}

/** The broker vouches for the runner that sends; a session that another one opened is not its to use. */
function isOwn(world: World, { sessionId, from }: IncomingResult): boolean {
  return !world.rules.knowsOwners || world.ledger.sessions.get(sessionId)?.runnerId === from;
}

function answer(world: World, node: Node, call: Call): void {
  const isLedgerDown = call.kind === 'heartbeat' && !world.isLedgerUp;
  const reply = isLedgerDown ? 'ledger down' : answerTo(world, call);
  if (!mayDie(world, node)) call.reply(reply);
}

function answerTo(world: World, { kind, runnerId, request }: Call): unknown {
  const { nowMs } = world.clock;
  const leaseUntilMs = nowMs + times.leaseMs;
  if (kind === 'hello') {
    const id = world.newId('session');
    transact(world, (ledger) => ledger.openSession({ id, runnerId, leaseUntilMs }));
    return id;
  }
  const { sessionId } = request as { sessionId: string }; // Every call but the first is made in a session.
  const isOwn = world.ledger.sessions.get(sessionId)?.runnerId === runnerId;
  if (!isOwn) return kind === 'heartbeat' ? { session: 'expired' } : [];
  if (kind === 'claim') return transact(world, (ledger) => ledger.claim([request as ClaimAsked], nowMs))[0];
  if (kind === 'heartbeat') return answerBeat(world, request as Beat, leaseUntilMs);
  const { given, closing } = request as { given: { chunkId: string; at: number[] }[]; closing: boolean };
  return transact(world, (ledger) => ledger.release(sessionId, given, closing));
}

function answerBeat(world: World, request: Beat, leaseUntilMs: number): unknown {
  const reply = transact(world, (ledger) => ledger.beat(request, leaseUntilMs));
  if (reply.session === 'open')
    for (const { recorded, ...ref } of reply.confirmations)
      for (const at of recorded) world.invariants.confirmed({ ...ref, at });
  return reply;
}
