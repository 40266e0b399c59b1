import { openOwner } from './database/migrate.ts';
import { readDatabaseEnvironment } from './environment.ts';

const wrongSettings = 78;
const reading = readDatabaseEnvironment();
if (reading.ok) {
  const orm = await openOwner(reading.environment.DATABASE_URL);
  try {
    // A person makes the migration of it: expand first, contract in a later release, and grants and policies by hand.
    const sql = await orm.schema.getUpdateSchemaSQL({ wrap: false });
    process.stdout.write(sql === '' ? 'The migrations say all that the entities say.\n' : sql);
  } finally {
    await orm.close(true);
  }
} else {
  process.stderr.write(`${reading.problems.join('\n')}\n`);
  process.exitCode = wrongSettings;
}
