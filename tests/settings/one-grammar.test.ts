import { expect, test } from 'vitest';
import { actionVariables as action } from '../../action/src/job/environment.ts';
import { cliVariables as cli } from '../../cli/src/arguments/environment.ts';
import { coordinatorVariables as coordinator } from '../../coordinator/src/environment.ts';
import { runnerVariables as runner } from '../../runner-agent/src/environment.ts';
import { inheritedEnvironment } from '../stack/environment.ts';
import { spawnOwned } from '../stack/owned-process.ts';
import { repositoryRoot } from '../stack/processes.ts';
import { runCli } from '../stack/run-cli.ts';

const tables = { action, cli, coordinator, runner };

/** What people write for yes, no, a number, an amount, a name, and by mistake. */
const samples = [
  ...['1', '0', 'true', 'false', 'TRUE', 'yes', 'on', 'default', 'runner-1', 'a.b', 'a b', ' ', 'info', 'loud'],
  ...['5', '007', '1.5', '1e3', '0x10', ' 5', '5 ', '-1', '+1', '1,000', 'NaN', 'Infinity', '60000', '86400001'],
  ...['9'.repeat(17), 'https://example.com/', 'x'.repeat(33), 'x'.repeat(65), '0.0.0.0', 'nats://a:1'],
];

const takenBy = (table: (typeof tables)[keyof typeof tables], name: string): string[] => {
  const kind = Object.entries(table.shape).find(([known]) => known === name)?.[1];
  return samples.filter((sample) => kind?.safeParse(sample).success === true);
};

/** A variable of two processes is often set for both at once, in one file. */
const shared = [...new Set(Object.values(tables).flatMap(({ shape }) => Object.keys(shape)))]
  // Each process has kill points of its own; the keys of models are read with where they may go.
  .filter((name) => /^PROOFMARK_(?!CHAOS_AT)|^(PORT|NATS_URL)$/.test(name))
  .map((name) => ({ name, of: Object.entries(tables).filter(([, { shape }]) => name in shape) }))
  .filter(({ of }) => of.length > 1);

test('there are variables that several processes read', () => {
  expect(shared.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['PROOFMARK_ALLOW_COMMAND_AGENTS', 'PROOFMARK_POLL_MS']),
  );
});

test.each(shared)('every process that reads $name takes and refuses the same values of it', ({ name, of }) => {
  const [first, ...others] = of.map(([process, table]) => ({ process, takes: takenBy(table, name) }));
  for (const { process, takes } of others) expect({ process, takes }).toEqual({ process, takes: first?.takes });
});

const numbers = Object.entries(tables).flatMap(([process, { shape }]) =>
  Object.entries(shape)
    .filter(([, kind]) => ['number', 'boolean'].includes(typeof kind.safeParse('1').data))
    .map(([name, kind]) => ({ process, name, kind })),
);

test.each(numbers)('$name of the $process is a number or a yes or no without blanks, powers or signs', ({ kind }) => {
  const taken = samples.filter((sample) => kind.safeParse(sample).success);
  expect(taken.filter((sample) => !/^(\d+(\.\d+)?|true|false)$/.test(sample))).toEqual([]);
});

const wrong = { PROOFMARK_POLL_MS: 'often', PROOFMARK_RETRY_MS: '-1', PROOFMARK_COORDINATOR: 'coordinator' };

test('the command line starts with no wrong value, and names all of them', async () => {
  const { code, stdout, stderr } = await runCli(['list'], { folder: import.meta.dirname, env: wrong });
  expect({ code, stdout, lines: stderr.trimEnd().split('\n') }).toEqual({
    code: 2,
    stdout: '',
    lines: [
      'proofmark: PROOFMARK_COORDINATOR: "coordinator" must be a URL like https://proofmark.example.com',
      'proofmark: PROOFMARK_POLL_MS: "often" must be a whole number from 1 to 86400000, such as 2000',
      'proofmark: PROOFMARK_RETRY_MS: "-1" must be a whole number from 1 to 86400000, such as 60000',
    ],
  });
});

test('the Action starts with no wrong value, and names all of them', async () => {
  const environment = { ...inheritedEnvironment(), ...wrong, GITHUB_API_URL: 'api.github.com' };
  const job = await spawnOwned(process.execPath, ['action/src/main.ts'], { cwd: repositoryRoot, env: environment });
  expect(await job.exited).toMatchObject({ code: 1 });
  expect(
    job
      .log()
      .split('\n')
      .filter((line) => line.includes('Environment variable')),
  ).toEqual([
    '::error::Environment variable GITHUB_API_URL: "api.github.com" must be a URL like https://api.github.com',
    '::error::Environment variable PROOFMARK_POLL_MS: "often" must be a whole number from 1 to 86400000, such as 2000',
    '::error::Environment variable PROOFMARK_RETRY_MS: "-1" must be a whole number from 1 to 86400000, such as 60000',
  ]);
});
