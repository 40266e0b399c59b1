import { builder } from '../builder.ts';
import { costOfPage, pageArguments, readPage } from '../connection.ts';
import { callerOf } from '../context.ts';
import { TagConnectionType } from '../objects/tag.ts';
import { listTags } from '../read/list-tags.ts';

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
