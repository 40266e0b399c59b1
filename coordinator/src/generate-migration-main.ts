// `npm run db:generate` prints what the entities say and the migrations do not; with words, `npm run db:generate name-pools`,
// it writes a migration of it.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openOwner } from './database/migrate.ts';
import { newMigration } from './database/new-migration.ts';
import { readDatabaseEnvironment } from './environment.ts';

const wrongSettings = 78;
const wrongUsage = 2;
const words = process.argv[2];
const reading = readDatabaseEnvironment();
if (!reading.ok) {
  process.stderr.write(`${reading.problems.join('\n')}\n`);
  process.exitCode = wrongSettings;
} else if (words !== undefined && !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(words)) {
  process.stderr.write(`'${words}' names no migration: say what it does in words with hyphens, such as name-pools.\n`);
  process.exitCode = wrongUsage;
} else {
  const orm = await openOwner(reading.environment.DATABASE_URL);
  try {
    const sql = await orm.schema.getUpdateSchemaSQL({ wrap: false });
    process.stdout.write(await answer(sql));
  } finally {
    await orm.close(true);
  }
}

async function answer(sql: string): Promise<string> {
  if (sql === '') return 'The migrations say all that the entities say.\n';
  if (words === undefined) return sql;
  const listPath = join(import.meta.dirname, 'database/migrations.ts');
  const { name, source, list } = newMigration({ list: await readFile(listPath, 'utf8'), words, sql });
  await writeFile(join(import.meta.dirname, `../migrations/${name}.ts`), source);
  await writeFile(listPath, list);
  return `Wrote coordinator/migrations/${name}.ts. Read it: grants and policies of a new table are written by hand, and what takes something away comes a release after what replaces it.\n`;
}
