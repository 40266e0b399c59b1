import type { Logger } from 'pino';
import { ensureBootstrapToken } from './access/bootstrap.ts';
import { checkLedger } from './database/check-ledger.ts';
import { connectLanes, type Lanes } from './database/connect.ts';
import { migrate } from './database/migrate.ts';
import type { CoordinatorEnvironment } from './environment.ts';
import { retryStart, StartRefused } from './retry-start.ts';

/** The ledger, migrated when that is asked for, checked, and with its first token. Waits a minute for Postgres. */
export async function prepareLedger(
  environment: CoordinatorEnvironment,
  log: Logger,
  signal: AbortSignal,
): Promise<Lanes> {
  const { DATABASE_URL: databaseUrl, PROOFMARK_MIGRATE_ON_START: migrates } = environment;
  if (migrates && databaseUrl !== undefined) {
    const urls = {
      databaseUrl,
      appUrl: environment.PROOFMARK_APP_DATABASE_URL,
      workerUrl: environment.PROOFMARK_WORKER_DATABASE_URL,
    };
    const onWaiting = (message: string) => log.warn(message);
    const done = await retryStart('Postgres', () => migrate(urls, { onWaiting }), { log, signal });
    if (done.length > 0) log.info({ migrations: done }, 'Migrated');
  }
  if (!migrates && databaseUrl !== undefined)
    log.warn('DATABASE_URL is given and not needed: take the login of the administrator away from what serves');
  const lanes = await connectLanes(environment);
  try {
    const findings = await retryStart('Postgres', () => checkLedger(lanes.loops), { log, signal });
    const isWaived = (kind: string) => kind === 'durability' && environment.PROOFMARK_ALLOW_LOSSY_DATABASE;
    const problems = findings.filter(({ kind }) => !isWaived(kind)).map(({ message }) => message);
    if (problems.length > 0) throw new StartRefused(problems);
    const token = environment.PROOFMARK_BOOTSTRAP_TOKEN;
    if (token !== undefined) await ensureBootstrapToken(lanes.requests, token);
    return lanes;
  } catch (error) {
    await lanes.close();
    throw error;
  }
}
