import { parseArgs } from 'node:util';
import { nkeys } from '@nats-io/transport-node';
import { COORDINATOR, coordinatorAccount, runnerAccount } from '@proofmark/contracts/broker-accounts';
import { DEFAULT_POOL, PoolNames } from '@proofmark/contracts/pool';

const usage = `Usage: runner-key NAME [--pools POOL,POOL…]   a key for runners of that name
       runner-key --coordinator         a key for all coordinators
       runner-key --env                 the keys of deploy/compose.yaml, as lines of its .env
A name has 1 to 64 letters, digits, "-" or "_", and is not ${COORDINATOR}; a pool has 1 to 32.
`;

/** Prints a key pair: its secret half for the process, and the account in the server's configuration that knows the other half. */
function main(args: string[]): number {
  const read = readArguments(args);
  if (read === null) return wrongUsage();
  const { values, positionals } = read;
  const [name, ...others] = positionals;
  if (values.env === true && name === undefined) return print(`${envLines('COORDINATOR')}${envLines('RUNNER')}`);
  if (values.coordinator === true && name === undefined) return printCoordinator();
  const pools = PoolNames.safeParse(values.pools ?? DEFAULT_POOL);
  const isRight = name !== undefined && /^[A-Za-z0-9_-]{1,64}$/.test(name) && others.length === 0;
  if (!isRight || !pools.success || [COORDINATOR, 'coordinators'].includes(name)) {
    return wrongUsage();
  }
  const { seed, nkey } = newKey();
  return print(`# For the environment of the runner. Keep it secret.
PROOFMARK_RUNNER_ID=${name}
PROOFMARK_POOLS=${pools.data.join(',')}
PROOFMARK_NATS_SEED=${seed}

# For the accounts in the configuration of nats-server, which has to be started again then: a reload is not enough
${runnerAccount({ runnerId: name, pools: pools.data, nkey })}`);
}

function readArguments(args: string[]) {
  const options = { pools: { type: 'string' }, coordinator: { type: 'boolean' }, env: { type: 'boolean' } } as const;
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch {
    // An option that nobody knows.
    return null;
  }
}

function wrongUsage(): number {
  process.stderr.write(usage);
  return 2;
}

function printCoordinator(): number {
  const { seed, nkey } = newKey();
  return print(`# For the environment of every coordinator. Keep it secret.
PROOFMARK_NATS_SEED=${seed}

# For the accounts in the configuration of nats-server, which has to be started again then: a reload is not enough
${coordinatorAccount(nkey)}`);
}

function envLines(who: string): string {
  const { seed, nkey } = newKey();
  return `${who}_NATS_SEED=${seed}\n${who}_NKEY=${nkey}\n`;
}

function newKey(): { seed: string; nkey: string } {
  const pair = nkeys.createUser();
  return { seed: Buffer.from(pair.getSeed()).toString(), nkey: pair.getPublicKey() };
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

process.exitCode = main(process.argv.slice(2));
