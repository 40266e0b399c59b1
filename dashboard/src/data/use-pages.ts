import { useEffect, useRef, useState } from 'preact/hooks';
import type { TypedDocument } from '../operations/documents.ts';
import { ask, type Reply } from './ask.ts';

export interface PageOfRows<Row> {
  edges: { node: Row }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

interface Rows<Row> {
  rows: readonly Row[];
  isComplete: boolean;
  problem: string | null;
}

const nothing = { rows: [], isComplete: false, problem: null };

/** A long list is drawn now and then, not after each page. */
const isWorthShowing = (count: number): boolean => count <= 500 || count % 500 === 0;

interface ReadOptions {
  /** Another one reads anew. */
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
): Rows<Row> {
  const key = `${JSON.stringify(variables)} ${version}`;
  const [state, setState] = useState<Rows<Row> & { key: string }>({ ...nothing, key });
  const wish = useRef({ rows: wantedRows, raised: () => {} });
  wish.current.rows = wantedRows;
  useEffect(() => wish.current.raised(), [wantedRows]);
  useEffect(() => {
    if (variables === null) return;
    const leaving = new AbortController();
    const show = (rows: Rows<Row>): void => {
      if (!leaving.signal.aborted) setState({ ...rows, key });
    };
    const askPage = async (after: string | null): Promise<Reply<PageOfRows<Row> | null>> => {
      // What was left out is given here.
      const asked = await ask(operation, { ...variables, after } as Variables, leaving.signal);
      return asked.ok ? { ok: true, answer: pageOf(asked.answer) ?? null } : asked;
    };
    const rest = async (rows: number): Promise<void> => {
      while (rows >= wish.current.rows && !leaving.signal.aborted)
        await new Promise<void>((resolve) => {
          wish.current.raised = resolve;
        });
    };
    void readPages(askPage, { show, rest, mostRows, signal: leaving.signal });
    return () => {
      leaving.abort();
      wish.current.raised();
    };
  }, [key]);
  return state.key === key ? state : nothing;
}

const nextOf = (pageInfo: PageOfRows<unknown>['pageInfo'] | undefined): string | null =>
  pageInfo?.hasNextPage === true ? pageInfo.endCursor : null;

interface Reading<Row> {
  show: (rows: Rows<Row>) => void;
  /** Resolves when more rows than these are wanted. */
  rest: (rows: number) => Promise<void>;
  mostRows: number;
  signal: AbortSignal;
}

async function readPages<Row>(
  askPage: (after: string | null) => Promise<Reply<PageOfRows<Row> | null>>,
  { show, rest, mostRows, signal }: Reading<Row>,
): Promise<void> {
  const rows: Row[] = [];
  let after: string | null = null;
  do {
    const asked: Reply<PageOfRows<Row> | null> = await askPage(after);
    if (!asked.ok) return show({ rows, isComplete: false, problem: asked.message });
    const { edges = [], pageInfo } = asked.answer ?? {};
    rows.push(...edges.map(({ node }) => node));
    after = rows.length < mostRows ? nextOf(pageInfo) : null;
    if (after === null || isWorthShowing(rows.length))
      show({ rows: [...rows], isComplete: after === null, problem: null });
    if (after !== null) await rest(rows.length);
  } while (after !== null && !signal.aborted);
}
