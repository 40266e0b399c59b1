export interface CutText {
  text: string;
  isCut: boolean;
}

/** Head and tail of a long text with a mark between them that counts what is missing. */
export function cutMiddle(text: string, { head, tail }: { head: number; tail: number }): CutText {
  if (text.length <= head + tail) return { text, isCut: false };
  const first = text.slice(0, head).toWellFormed();
  const last = tail === 0 ? '' : text.slice(-tail).toWellFormed();
  const missing = text.length - head - tail;
  return { text: `${first}\n[… ${missing} characters left out …]\n${last}`, isCut: true };
}

/** What a judge reads of a long text: the first 20,000 and the last 40,000 characters. */
export const judgedText = { head: 20_000, tail: 40_000 };
