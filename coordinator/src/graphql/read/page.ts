import { z } from 'zod';

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

export interface Page<Row> {
  rows: Row[];
  hasNext: boolean;
  hasPrevious: boolean;
}

export function toPageRequest(
  { first, last, after, before }: PageArguments,
  readPosition: (cursor: string) => string[],
): PageRequest {
  const cursor = last ? before : after;
  return { size: last ?? first ?? defaultSize, isBackwards: Boolean(last), from: cursor ? readPosition(cursor) : null };
}

/** The page in list order, from rows read in reading order with one more than asked for. */
export function toPage<Row>({ size: wanted, isBackwards, from }: PageRequest, read: readonly Row[]): Page<Row> {
  const rows = read.slice(0, wanted);
  const hasMore = read.length > wanted;
  if (isBackwards) return { rows: rows.reverse(), hasNext: from !== null, hasPrevious: hasMore };
  return { rows, hasNext: hasMore, hasPrevious: from !== null };
}
