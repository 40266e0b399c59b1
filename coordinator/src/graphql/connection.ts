import { builder } from './builder.ts';
import { callerOf, type GraphqlContext } from './context.ts';
import { graphqlError } from './graphql-error.ts';
import { readCursor, writeCursor } from './read/cursor.ts';
import { type Page, PageArguments, type PageRequest, type PageRow, toPageRequest } from './read/page.ts';

export interface Connection<Row> {
  edges: { cursor: string; node: Row }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

/** The arguments that every paged field takes. */
export const pageArguments = () =>
  builder.args((t) => ({
    first: t.int({ description: 'How many rows after the cursor, 1 to 100; 20 when nothing is given.' }),
    after: t.string({ description: 'A cursor; absent: from the start.' }),
    last: t.int({ description: 'How many rows before the cursor, 1 to 100.' }),
    before: t.string({ description: 'A cursor; absent: from the end.' }),
  }));

/** What a page costs: 1, and as much as its rows come to when it is full. */
export const costOfPage = ({
  first,
  last,
}: {
  first?: number | null | undefined;
  last?: number | null | undefined;
}) => ({
  field: 1,
  multiplier: Math.max(1, Math.min(last ?? first ?? 20, 100)),
});

/** Reads one page of a list for the caller; wrong arguments and foreign cursors are told to the caller. */
export async function readPage<Row extends PageRow>(
  context: GraphqlContext,
  list: string,
  given: unknown,
  read: (page: PageRequest) => Promise<Page<Row>>,
): Promise<Connection<Row>> {
  const parsed = PageArguments.safeParse(given);
  if (!parsed.success) {
    throw graphqlError(
      'BAD_USER_INPUT',
      parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
    );
  }
  const scope = { key: context.ports.cursorKey, tenantId: callerOf(context).tenantId, list };
  const request = toPageRequest(parsed.data, (cursor) => {
    const position = readCursor(scope, cursor);
    if (position === null) throw graphqlError('BAD_USER_INPUT', 'This cursor is none of this list.');
    return position;
  });
  const page = await read(request);
  const edges = page.rows.map((node) => ({ node, cursor: writeCursor(scope, node.position) }));
  const pageInfo = {
    hasNextPage: page.hasNext,
    hasPreviousPage: page.hasPrevious,
    startCursor: edges.at(0)?.cursor ?? null,
    endCursor: edges.at(-1)?.cursor ?? null,
  };
  return { edges, pageInfo };
}
