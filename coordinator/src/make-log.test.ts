import { expect, test } from 'vitest';
import { coordinatorSecrets, readCoordinatorEnvironment } from './environment.ts';
import { makeCoordinatorLog } from './make-log.ts';

const secrets = {
  DATABASE_URL: 'postgres://owner:owner-password@db/proofmark',
  PROOFMARK_APP_DATABASE_URL: 'postgres://app:app%2Fpassword@db/proofmark',
  NATS_URL: 'nats://coordinator:nats-password@broker:4222',
  PROOFMARK_SECRET: 'a secret that signs cursors and file URLs',
  PROOFMARK_BOOTSTRAP_TOKEN: `pmk_${'b'.repeat(43)}`,
  PROOFMARK_WORKER_DATABASE_URL: 'postgres://worker:worker-password@db/proofmark',
  PROOFMARK_NATS_SEED: 'SUAIBDPBAUTWCWBKIO6XHQNINK5FWJW4OHLXC3HQ2KFE4PEJUA44CNHTC4',
  PROOFMARK_SIGN_IN_CLIENT_SECRET: 'a secret of the client',
  PROOFMARK_SMTP_URL: 'smtps://mailer:mail-password@mail.example:465',
  OTEL_EXPORTER_OTLP_HEADERS: 'api-key=tracing%20key,x-team=tracing-team',
  GITHUB_WEBHOOK_SECRET: 'old-webhook-secret,new-webhook-secret',
};

/** The log of a coordinator whose clock the test moves, and the lines that it wrote. */
function logOf() {
  const reading = readCoordinatorEnvironment({ ...secrets, PUBLIC_URL: 'https://proofmark.example' });
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  const lines: Record<string, unknown>[] = [];
  const clock = { nowMs: 0 };
  const made = makeCoordinatorLog(
    reading.environment,
    (line) => void lines.push(JSON.parse(line)),
    () => clock.nowMs,
  );
  return { ...made, clock, lines, said: () => lines.map(({ level, msg }) => [level, msg]) };
}

const refused = () => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });

test('what may be read from a file is masked', () => {
  expect(Object.keys({ ...secrets, GITHUB_APP_PRIVATE_KEY: '' }).toSorted()).toEqual(
    [...coordinatorSecrets].toSorted(),
  );
});

test('no secret of the coordinator stands in its log, whatever an error or a fact repeats', () => {
  const { log, lines } = logOf();
  for (const [name, value] of Object.entries(secrets)) {
    log.error(
      { error: new Error(`failed with ${value}`, { cause: new Error(value) }), fact: value },
      `${name} ${value}`,
    );
    for (const part of value.split(/[,:@]|\/\//)) log.warn({ part }, part);
  }
  const text = JSON.stringify(lines);
  const values =
    'owner-password app/password worker-password nats-password mail-password old-webhook-secret new-webhook-secret tracing-team'.split(
      ' ',
    );
  const { PROOFMARK_SECRET, PROOFMARK_BOOTSTRAP_TOKEN, PROOFMARK_NATS_SEED, PROOFMARK_SIGN_IN_CLIENT_SECRET } = secrets;
  values.push(PROOFMARK_SECRET, PROOFMARK_BOOTSTRAP_TOKEN, PROOFMARK_NATS_SEED, PROOFMARK_SIGN_IN_CLIENT_SECRET);
  for (const value of [...values, 'tracing key']) expect(text).not.toContain(value);
  expect(text).toContain('[masked]');
});

test('an outage of Postgres is a line when it begins, one every ten seconds and one when it ends', () => {
  const { log, outages, clock, said } = logOf();
  for (clock.nowMs = 0; clock.nowMs <= 12_000; clock.nowMs += 500) {
    log.warn({ error: refused(), loop: 'reaper' }, 'A pass failed and will be repeated');
    log.error({ error: new Error(refused().message, { cause: refused() }), path: '/graphql' }, 'A request failed');
  }
  clock.nowMs = 13_000;
  outages.ledgerAnswers();
  outages.ledgerAnswers();
  expect(said()).toEqual([
    [40, 'Waiting for Postgres: connect ECONNREFUSED 127.0.0.1:5432'],
    [40, 'Still waiting for Postgres after 10 s: connect ECONNREFUSED 127.0.0.1:5432'],
    [30, 'Postgres is there after 13 s'],
  ]);
});

test('symptoms of a lost broker are held back only while it is lost, and other errors never', () => {
  const { log, outages, said } = logOf();
  const late = () => Object.assign(new Error('timeout'), { name: 'TimeoutError' });
  log.warn({ error: late() }, 'Results cannot be read at the moment');
  outages.brokerLost('the connection is lost');
  log.warn({ error: late() }, 'Results cannot be read at the moment');
  log.error({ error: new TypeError('a bug') }, 'A request failed');
  outages.brokerBack();
  log.warn({ error: late() }, 'Results cannot be read at the moment');
  expect(said()).toEqual([
    [40, 'Results cannot be read at the moment'],
    [40, 'Waiting for NATS: the connection is lost'],
    [50, 'A request failed'],
    [30, 'NATS is there after 0 s'],
    [40, 'Results cannot be read at the moment'],
  ]);
});
