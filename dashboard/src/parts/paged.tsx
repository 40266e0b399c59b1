import { useState } from 'preact/hooks';
import { Pages } from './pieces.tsx';

interface PageInfo {
  hasNextPage: boolean;
  endCursor: string | null;
}

interface Turning {
  after: string | null;
  turnTo: (after: string | null) => void;
}

/** Where a reader is in a list with pages. A cursor belongs to the question that it was given for: another one begins at its first page. */
export function useTurning(question = ''): Turning {
  const [place, setPlace] = useState<{ question: string; after: string | null }>({ question, after: null });
  return {
    after: place.question === question ? place.after : null,
    turnTo: (after) => setPlace({ question, after }),
  };
}

/** The steps from a page to the next, and back to the first. */
export function PagesOf({
  turning: { after, turnTo },
  pageInfo,
  first,
  next,
}: {
  turning: Turning;
  pageInfo: PageInfo | undefined;
  first: string;
  next: string;
}) {
  return (
    <Pages
      first={after === null ? null : [first, () => turnTo(null)]}
      next={pageInfo?.hasNextPage === true ? [next, () => turnTo(pageInfo.endCursor)] : null}
    />
  );
}
