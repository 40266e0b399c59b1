interface OfResults {
  /** So many results were planned. */
  planned: number;
}

/** Suite runs whose results are read with one statement, for they have no more together; a larger one stands alone. */
export function portionsOf<SuiteRun extends OfResults>(suiteRuns: readonly SuiteRun[], most: number): SuiteRun[][] {
  const portions: SuiteRun[][] = [];
  let portion: SuiteRun[] = [];
  let room = 0;
  for (const suiteRun of suiteRuns) {
    if (portions.length === 0 || suiteRun.planned > room) {
      portion = [];
      portions.push(portion);
      room = most;
    }
    portion.push(suiteRun);
    room -= suiteRun.planned;
  }
  return portions;
}
