interface Change {
  /** The source of the list of migrations as it is. */
  list: string;
  /** What the migration does, in words with hyphens: `name-pools`. */
  words: string;
  /** What the entities say and the migrations do not yet. */
  sql: string;
}

interface NewMigration {
  /** With its number, `0036-name-pools`: the name of its file. */
  name: string;
  source: string;
  /** The list with it. */
  list: string;
}

/** The migration after the last one, for a person to read: what takes something away comes a release later than what replaces it. */
export function newMigration({ list, words, sql }: Change): NewMigration {
  const last = [...list.matchAll(/\{ name: '(\d{4})-/g)].at(-1)?.[1] ?? '0000';
  const name = `${String(Number(last) + 1).padStart(4, '0')}-${words}`;
  const className = words.replaceAll(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const statements = sql
    .split(/;\s*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
    .map((statement) => `    this.addSql(\`${statement.replaceAll(/[\\`]|\$\{/g, (found) => `\\${found}`)}\`);\n`);
  const source = `import { Migration } from '@mikro-orm/migrations';

export class ${className} extends Migration {
  override name = '${name}';

  override up(): void {
${statements.join('')}  }
}
`;
  const imported = `import { ${className} } from '../../migrations/${name}.ts';\n`;
  const listed = `  { name: '${name}', class: ${className} },\n`;
  const end = list.lastIndexOf('];');
  const afterImports = list.indexOf('\n', list.lastIndexOf('\nimport ') + 1) + 1;
  return {
    name,
    source,
    list: `${list.slice(0, afterImports)}${imported}${list.slice(afterImports, end)}${listed}${list.slice(end)}`,
  };
}
