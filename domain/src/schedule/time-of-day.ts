const dayMs = 24 * 3_600_000;

/** Minutes after midnight, or undefined for a text that is no time of day. */
export function minuteOfDay(time: string): number | undefined {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time);
  return match ? Number(match[1]) * 60 + Number(match[2]) : undefined;
}

/** When this time of the day, UTC, last came: today or yesterday. Undefined for a text that is no time of day. */
export function lastTimeOfDayMs(time: string, nowMs: number): number | undefined {
  const minute = minuteOfDay(time);
  if (minute === undefined) return undefined;
  const todayMs = Math.floor(nowMs / dayMs) * dayMs + minute * 60_000;
  return todayMs <= nowMs ? todayMs : todayMs - dayMs;
}
