interface Judged {
  word: string;
  ciLoPoints: number | null;
  ciHiPoints: number | null;
}

/**
 * What is called regressed is so by its cases or by a test of its own, and an interval that holds zero would seem to say the
 * opposite: there it is not told, nor where there is none.
 */
export function toldInterval({ word, ciLoPoints: lo, ciHiPoints: hi }: Judged): { lo: number; hi: number } | null {
  return lo === null || hi === null || (word === 'regressed' && hi >= 0) ? null : { lo, hi };
}
