/** Says when the progress of a run is worth a write. */
export interface ProgressClock {
  /** True at most four times: once after each of the pauses. */
  isDue: () => boolean;
}

const momentsMs = [15_000, 60_000, 240_000, 960_000];

/** 15 seconds after the start, then after 1, 4 and 16 minutes. */
export function progressClock(now: () => number): ProgressClock {
  const startedMs = now();
  let next = 0;
  return {
    isDue: () => {
      const passedMs = now() - startedMs;
      const isDue = passedMs >= (momentsMs[next] ?? Number.POSITIVE_INFINITY);
      if (isDue) next = momentsMs.findIndex((moment) => moment > passedMs);
      if (next === -1) next = momentsMs.length;
      return isDue;
    },
  };
}
