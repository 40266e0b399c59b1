import { migrate } from './database/migrate.ts';
import { readDatabaseEnvironment } from './environment.ts';

const wrongSettings = 78;
const reading = readDatabaseEnvironment();
if (reading.ok) {
  const { DATABASE_URL, PROOFMARK_APP_DATABASE_URL, PROOFMARK_WORKER_DATABASE_URL } = reading.environment;
  const urls = {
    databaseUrl: DATABASE_URL,
    appUrl: PROOFMARK_APP_DATABASE_URL,
    workerUrl: PROOFMARK_WORKER_DATABASE_URL,
  };
  const done = await migrate(urls, { onWaiting: (message) => process.stdout.write(`${message}\n`) });
  if (done.ok) {
    process.stdout.write(
      done.applied.length === 0 ? 'The schema is up to date.\n' : `Applied ${done.applied.join(', ')}.\n`,
    );
  } else {
    process.stderr.write(`${done.problem}\n`);
    process.exitCode = wrongSettings;
  }
} else {
  process.stderr.write(`${reading.problems.join('\n')}\n`);
  process.exitCode = wrongSettings;
}
