import { startCoordinator } from './coordinator.ts';
import { Runner } from './runner.ts';
import { between, type Node, pick, type World } from './world.ts';

/** Where a runner lives: whoever operates it starts it again when it has ended. */
export interface RunnerPlace {
  node: Node;
  process: Runner | undefined;
  /** Test runs that take their runner with them. */
  deadly: ReadonlySet<string>;
}

interface Fault {
  what: string;
  begin: () => void;
  /** After a while; a fault without an end is over at once. */
  end?: () => void;
}

const most = 8;
const longestMs = 40_000;
const restartMs = 3000;

/** Some of what the matrix of faults names, at random moments; after `lastMs` everything is well again. A gentle world spares its runners. */
export function scheduleFaults(
  world: World,
  runners: readonly RunnerPlace[],
  { lastMs, isGentle }: { lastMs: number; isGentle: boolean },
): void {
  const { clock } = world;
  const kinds = isGentle ? faultsOfOurs : [...faultsOfOurs, ...faultsOfRunners];
  const count = 1 + Math.floor(world.random() * most);
  for (let fault = 0; fault < count; fault++) {
    clock.at(between(world, 0, lastMs), () => {
      const endMs = Math.min(clock.nowMs + between(world, 100, longestMs), lastMs);
      const chosen = pick(world, kinds)?.(world, runners, endMs);
      if (chosen === undefined) return;
      world.tell(`${chosen.what} until ${endMs / 1000} s`);
      chosen.begin();
      if (chosen.end !== undefined) clock.at(endMs, chosen.end);
    });
  }
  clock.at(lastMs, () => {
    world.isFaulty = false;
    for (const node of world.coordinators) restart(world, node, runners);
  });
  const watch = () => {
    for (const { node } of runners) restart(world, node, runners);
    clock.at(clock.nowMs + restartMs, watch);
  };
  clock.at(restartMs, watch);
}

function restart(world: World, node: Node, runners: readonly RunnerPlace[]): void {
  if (node.isUp) return;
  const place = runners.find((one) => one.node === node);
  if (place === undefined) startCoordinator(world, node);
  else place.process = new Runner(world, node, place.deadly);
}

type Kind = (world: World, runners: readonly RunnerPlace[], endMs: number) => Fault | undefined;

const one =
  (inflict: (node: Node, world: World, runners: readonly RunnerPlace[], endMs: number) => Fault) =>
  (isRunner: boolean): Kind =>
  (world, runners, endMs) => {
    const node = pick(world, isRunner ? runners.map((place) => place.node) : world.coordinators);
    return node === undefined ? undefined : inflict(node, world, runners, endMs);
  };

const death = one((node, world, runners) => ({
  what: `${node.name} is dead`,
  begin: () => world.die(node),
  end: () => restart(world, node, runners),
}));

const freeze = one((node, _world, _runners, endMs) => ({
  what: `${node.name} is frozen`,
  begin: () => {
    node.frozenUntilMs = endMs;
  },
}));

const cutOff = one((node) => ({
  what: `${node.name} is cut off from the broker`,
  begin: () => {
    node.isCutOff = true;
  },
  end: () => {
    node.isCutOff = false;
  },
}));

const faultsOfOurs: readonly Kind[] = [
  death(false),
  cutOff(false),
  ({ coordinators }, _runners, endMs) => ({
    what: 'both coordinators are frozen',
    begin: () => {
      for (const [index, node] of coordinators.entries()) node.frozenUntilMs = endMs + 200 * index;
    },
  }),
  (world) => {
    const { clock } = world;
    if (!world.isLedgerUp) return undefined;
    const [beforeMs, sinceMs] = [world.ledgerDownMs(), clock.nowMs];
    return {
      what: 'the ledger is away',
      begin: () => {
        world.isLedgerUp = false;
        world.ledgerDownMs = () => beforeMs + clock.nowMs - sinceMs;
      },
      end: () => {
        const downMs = world.ledgerDownMs();
        world.isLedgerUp = true;
        world.ledgerDownMs = () => downMs;
      },
    };
  },
  ({ broker }) => ({
    what: 'the broker is away',
    begin: () => {
      broker.isUp = false;
    },
    end: () => {
      broker.isUp = true;
    },
  }),
  ({ broker }) => ({ what: 'the broker has lost its store', begin: () => broker.loseStore() }),
  (world, runners) => {
    const place = pick(world, runners);
    if (place?.node.isUp !== true) return undefined;
    return { what: `${place.node.name} forges a result`, begin: () => place.process?.forge() };
  },
];

/** A replica that is frozen alone still takes its share of the calls: by bad luck all of a runner. */
const faultsOfRunners: readonly Kind[] = [
  freeze(false),
  death(true),
  freeze(true),
  cutOff(true),
  (world, runners) => {
    const place = pick(world, runners);
    if (place?.node.isUp !== true) return undefined;
    return { what: `${place.node.name} is asked to end`, begin: () => place.process?.drain() };
  },
];
