import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { builder } from './builder.ts';
import { callerOf, type GraphqlContext } from './context.ts';
import { graphqlError } from './graphql-error.ts';

/** The sort key of the row a page starts after: as texts, exactly as Postgres wrote them. */
const Key = z.array(z.string()).min(1).max(4);
const macBytes = 16;

type CursorScope = {
  key: Buffer;
  tenantId: string;
  /** What is listed, so that a cursor of one list opens no other. */
  list: string;
};

/** An opaque position in a list. It holds only for this tenant and this list. */
export function writeCursor(scope: CursorScope, position: readonly string[]): string {
  const body = Buffer.from(JSON.stringify(position));
  return Buffer.concat([sign(scope, body), body]).toString('base64url');
}

/** The position inside a cursor that we wrote for this list and tenant; null for anything else. */
export function readCursor(scope: CursorScope, cursor: string): string[] | null {
  const bytes = Buffer.from(cursor, 'base64url');
  const body = bytes.subarray(macBytes);
  if (body.length === 0 || !timingSafeEqual(sign(scope, body), bytes.subarray(0, macBytes))) return null;
  return Key.parse(JSON.parse(body.toString('utf8')));
}

function sign({ key, tenantId, list }: CursorScope, body: Buffer): Buffer {
  return createHmac('sha256', key).update(`${tenantId}\n${list}\n`).update(body).digest().subarray(0, macBytes);
}

const size = z.int().min(1).max(100);
const defaultSize = 20;

/** Arguments of a paged list: forwards with `first` and `after`, or backwards with `last` and `before`. */
export const PageArguments = z
  .object({
    first: size.nullish(),
    after: z.string().max(500).nullish(),
    last: size.nullish(),
    before: z.string().max(500).nullish(),
  })
  .refine(({ first, last }) => !(first && last), { message: 'give first or last, not both', path: ['last'] })
  .refine(({ last, after }) => !(last && after), { message: 'goes with first, not with last', path: ['after'] })
  .refine(({ last, before }) => Boolean(last) || !before, { message: 'goes with last', path: ['before'] });
export type PageArguments = z.infer<typeof PageArguments>;

export interface PageRequest {
  size: number;
  isBackwards: boolean;
  /** The sort key of the row next to the page, null at the end of the list where reading begins. */
  from: string[] | null;
}

export interface PageRow {
  position: string[];
}

export interface PageOf<Row> {
  rows: Row[];
  hasNext: boolean;
  hasPrevious: boolean;
}

export function toPageRequest(
  { first, last, after, before }: PageArguments,
  readPosition: (cursor: string) => string[],
): PageRequest {
  const cursor = last ? before : after;
  return {
    size: last ?? first ?? defaultSize,
    isBackwards: Boolean(last),
    from: cursor == null ? null : readPosition(cursor),
  };
}

/** The page in list order, from rows read in reading order with one more than asked for. */
export function toPage<Row>({ size: wanted, isBackwards, from }: PageRequest, read: readonly Row[]): PageOf<Row> {
  const rows = read.slice(0, wanted);
  const hasMore = read.length > wanted;
  if (isBackwards) return { rows: rows.reverse(), hasNext: from !== null, hasPrevious: hasMore };
  return { rows, hasNext: hasMore, hasPrevious: from !== null };
}

/** A page of what is in memory in the order of the list: its position is its place. */
export function pageOfArray<Row>(all: readonly Row[], request: PageRequest): PageOf<{ row: Row; position: string[] }> {
  const { isBackwards, from, size: wanted } = request;
  const at = from === null ? null : Number(from[0]);
  const placed = all.map((row, place) => ({ row, position: [String(place)] }));
  const read = isBackwards ? placed.slice(0, at ?? all.length).toReversed() : placed.slice(at === null ? 0 : at + 1);
  return toPage(request, read.slice(0, wanted + 1));
}

interface Edge<Row> {
  node: Row;
  /** Signed where it is asked for: most callers want that of the last row at most. */
  readonly cursor: string;
}

export interface Connection<Row> {
  edges: Edge<Row>[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
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
  read: (page: PageRequest) => Promise<PageOf<Row>>,
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
  const edges = page.rows.map((node) => ({
    node,
    get cursor() {
      return writeCursor(scope, node.position);
    },
  }));
  const pageInfo = {
    hasNextPage: page.hasNext,
    hasPreviousPage: page.hasPrevious,
    get startCursor() {
      return edges.at(0)?.cursor ?? null;
    },
    get endCursor() {
      return edges.at(-1)?.cursor ?? null;
    },
  };
  return { edges, pageInfo };
}
