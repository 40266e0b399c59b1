import type { QueuePorts } from './permit-queue.ts';

/** Time for tests: it passes only when `pass` says so, and everything that is due then happens in its order. */
export function toldTime(): QueuePorts & { pass: (ms: number) => Promise<void> } {
  let nowMs = 5_000;
  const alarms = new Set<{ atMs: number; bell: () => void }>();
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const next = (untilMs: number) =>
    [...alarms].filter(({ atMs }) => atMs <= untilMs).toSorted((a, b) => a.atMs - b.atMs)[0];
  return {
    monotonicMs: () => nowMs,
    ring: (ms, bell) => {
      const alarm = { atMs: nowMs + ms, bell };
      alarms.add(alarm);
      return { stop: () => void alarms.delete(alarm) };
    },
    pass: async (ms) => {
      const untilMs = nowMs + ms;
      await settle();
      for (let alarm = next(untilMs); alarm !== undefined; alarm = next(untilMs)) {
        alarms.delete(alarm);
        nowMs = Math.max(nowMs, alarm.atMs);
        alarm.bell();
        await settle();
      }
      nowMs = untilMs;
    },
  };
}
