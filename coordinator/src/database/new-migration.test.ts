import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { migrations } from './migrations.ts';
import { newMigration } from './new-migration.ts';

const list = `import type { Migration } from '@mikro-orm/migrations';
import { CreateRuns } from '../../migrations/0001-create-runs.ts';

export const migrations: readonly MigrationStep[] = [
  { name: '0001-create-runs', class: CreateRuns },
];
`;

test('what the entities say more becomes the next migration, and stands in the list', () => {
  const sql = 'alter table "runs" add "note" text null;\n\ncomment on table "runs" is \'a `run`\';\n';
  const added = newMigration({ list, words: 'keep-notes', sql });
  expect(added).toEqual({
    name: '0002-keep-notes',
    source: `import { Migration } from '@mikro-orm/migrations';

export class KeepNotes extends Migration {
  override name = '0002-keep-notes';

  override up(): void {
    this.addSql(\`alter table "runs" add "note" text null\`);
    this.addSql(\`comment on table "runs" is 'a \\\`run\\\`'\`);
  }
}
`,
    list: `import type { Migration } from '@mikro-orm/migrations';
import { CreateRuns } from '../../migrations/0001-create-runs.ts';
import { KeepNotes } from '../../migrations/0002-keep-notes.ts';

export const migrations: readonly MigrationStep[] = [
  { name: '0001-create-runs', class: CreateRuns },
  { name: '0002-keep-notes', class: KeepNotes },
];
`,
  });
});

test('the list as it is takes another', () => {
  const own = readFileSync(join(import.meta.dirname, 'migrations.ts'), 'utf8');
  const added = newMigration({ list: own, words: 'keep-notes', sql: 'select 1;' });
  expect(added.name).toBe(`${String(migrations.length + 1).padStart(4, '0')}-keep-notes`);
  expect(added.list.match(/KeepNotes/g)).toHaveLength(2);
  expect(added.list.replaceAll(/.*KeepNotes.*\n/g, '')).toBe(own);
});
