import { seededTags } from '@proofmark/contracts/test-case';
import { sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { type Database, readInTenant } from '../../database/transactions.ts';
import { ownRows } from '../../definitions/reach.ts';
import { builder } from '../builder.ts';
import {
  costOfPage,
  type PageOf,
  type PageRequest,
  type PageRow,
  pageArguments,
  readPage,
  toPage,
} from '../connection.ts';
import { callerOf } from '../context.ts';

interface TagView extends PageRow {
  name: string;
  isPreseeded: boolean;
  testCases: number;
}

/** A page of the tags that are in use or always offered, by name. */
async function listTags(database: Database, caller: Caller, page: PageRequest): Promise<PageOf<TagView>> {
  const comparison = page.isBackwards ? sql`<` : sql`>`;
  const direction = page.isBackwards ? sql`desc` : sql`asc`;
  const after = page.from === null ? sql`true` : sql`q.name ${comparison} ${page.from[0]}`;
  const rows = await readInTenant(
    database,
    caller.tenantId,
    sql<TagView>`
      select q.name, q.name = any(${seededTags}::text[]) as "isPreseeded", q.uses as "testCases", array[q.name] as position
      from (
        select t.name, count(t.id)::int as uses from (
          select tag as name, c.id from test_cases c
          join agent_test_suites s on s.tenant_id = c.tenant_id and s.id = c.suite_id and s.deleted_at is null
          join agents a on a.tenant_id = s.tenant_id and a.id = s.agent_id and a.deleted_at is null
          cross join unnest(c.tags) tag
          where c.deleted_at is null and ${ownRows(caller, sql`a.repository_id`)}
          union all select name, null from unnest(${seededTags}::text[]) name) t
        group by t.name) q
      where ${after} order by q.name ${direction} limit ${page.size + 1}`,
  );
  return toPage(page, rows);
}

const TagType = builder.objectRef<TagView>('Tag').implement({
  description: 'A word that cases are selected and grouped by.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The word that cases have.' }),
    isPreseeded: t.exposeBoolean('isPreseeded', { description: 'Whether it is offered before any case has it.' }),
    testCases: t.exposeInt('testCases', { description: 'How many cases have it.' }),
  }),
});

const TagConnectionType = builder.connectionObject(
  { type: TagType, name: 'TagConnection', description: 'A page of tags.' },
  { name: 'TagEdge', description: 'A row of a page of tags.' },
);

builder.queryField('tags', (t) =>
  t.field({
    type: TagConnectionType,
    authScopes: { readAll: true },
    args: pageArguments(),
    complexity: costOfPage,
    description: 'The tags that cases have, and those that are always offered, by name.',
    resolve: async (_root, page, context) =>
      await readPage(
        context,
        'tags',
        page,
        async (request) => await listTags(context.ports.database, callerOf(context), request),
      ),
  }),
);
