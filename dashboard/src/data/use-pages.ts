import { useEffect, useRef, useState } from 'preact/hooks';
import type { TypedDocument } from '../operations/documents.ts';
import { ask, type Reply } from './ask.ts';

export interface PageOfRows<Row> {
  edges: { node: Row }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

interface Rows<Row> {
  rows: readonly Row[];
  /** Nothing more comes. */
  isComplete: boolean;
  /** There are more than anybody reads: the list is not whole. */
  isCut: boolean;
  problem: string | null;
}

const nothing = { rows: [], isComplete: false, isCut: false, problem: null };

/** A list that changes while it is looked at is read again so long after it was begun, and never before it was read. */
const againMs = 10_000;

/** A long list is drawn now and then, not after each page. */
const isWorthShowing = (count: number): boolean => count <= 500 || count % 500 === 0;

interface ReadOptions {
  /** Another one reads anew, and shows what was there meanwhile. */
  version?: string;
  mostRows?: number;
  /** Reading rests when so many are there, and goes on when more are wanted. */
  wantedRows?: number;
}

/** Reads a list to its end, page by page; what has come is shown meanwhile. `null` reads nothing. */
export function useAllRows<Answer, Variables, Row>(
  operation: TypedDocument<Answer, Variables>,
  variables: Omit<Variables, 'after'> | null,
  pageOf: (answer: Answer) => PageOfRows<Row> | null | undefined,
  { version = '', mostRows = 20_000, wantedRows = mostRows }: ReadOptions = {},
): Rows<Row> & { retry: () => void } {
  const key = JSON.stringify(variables);
  const [tries, setTries] = useState(0);
  const [state, setState] = useState<Rows<Row> & { key: string }>({ ...nothing, key });
  const wish = useRef({ rows: wantedRows, version, changed: () => {} });
  Object.assign(wish.current, { rows: wantedRows, version });
  useEffect(() => wish.current.changed(), [wantedRows, version]);
  useEffect(() => {
    if (variables === null) return;
    const leaving = new AbortController();
    const askPage = async (after: string | null): Promise<Reply<PageOfRows<Row> | null>> => {
      // What was left out is given here.
      const asked = await ask(operation, { ...variables, after } as Variables, leaving.signal);
      return asked.ok ? { ok: true, answer: pageOf(asked.answer) ?? null } : asked;
    };
    const until = async (isSo: () => boolean): Promise<void> => {
      while (!isSo() && !leaving.signal.aborted)
        await new Promise<void>((resolve) => {
          wish.current.changed = resolve;
        });
    };
    const readAll = async (): Promise<void> => {
      let shown = 0;
      const show = (read: Rows<Row>): void => {
        const hasMore = !read.isComplete && !read.isCut;
        // What was there before stays until as much is read anew.
        if (leaving.signal.aborted || (hasMore && read.rows.length < Math.min(shown, wish.current.rows))) return;
        shown = read.rows.length;
        setState({ ...read, key });
      };
      const fail = (problem: string): void => {
        if (!leaving.signal.aborted)
          setState((before) => ({ ...(before.key === key ? before : nothing), key, problem }));
      };
      while (!leaving.signal.aborted) {
        const { version: begun } = wish.current;
        const isOutdated = (): boolean => begun !== wish.current.version;
        const rested = AbortSignal.timeout(againMs);
        rested.addEventListener('abort', () => wish.current.changed());
        const rest = async (rows: number): Promise<boolean> => {
          await until(() => rows < wish.current.rows || isOutdated());
          return rows < wish.current.rows;
        };
        await readPages(askPage, { show, fail, rest, mostRows, signal: leaving.signal });
        await until(() => isOutdated() && rested.aborted);
      }
    };
    void readAll();
    return () => {
      leaving.abort();
      wish.current.changed();
    };
  }, [key, tries]);
  return { ...(state.key === key ? state : nothing), retry: () => setTries(tries + 1) };
}

const nextOf = (pageInfo: PageOfRows<unknown>['pageInfo'] | undefined): string | null =>
  pageInfo?.hasNextPage === true ? pageInfo.endCursor : null;

interface Reading<Row> {
  show: (rows: Rows<Row>) => void;
  fail: (problem: string) => void;
  /** Resolves when more rows than these are wanted, or with false when they are out of date. */
  rest: (rows: number) => Promise<boolean>;
  mostRows: number;
  signal: AbortSignal;
}

async function readPages<Row>(
  askPage: (after: string | null) => Promise<Reply<PageOfRows<Row> | null>>,
  { show, fail, rest, mostRows, signal }: Reading<Row>,
): Promise<void> {
  const rows: Row[] = [];
  let after: string | null = null;
  do {
    const asked: Reply<PageOfRows<Row> | null> = await askPage(after);
    if (!asked.ok) return fail(asked.message);
    const { edges = [], pageInfo } = asked.answer ?? {};
    rows.push(...edges.map(({ node }) => node));
    after = nextOf(pageInfo);
    const isComplete = after === null;
    const isCut = !isComplete && rows.length >= mostRows;
    if (isComplete || isCut || isWorthShowing(rows.length)) show({ rows: [...rows], isComplete, isCut, problem: null });
    if (isComplete || isCut || !(await rest(rows.length))) return;
  } while (!signal.aborted);
}
