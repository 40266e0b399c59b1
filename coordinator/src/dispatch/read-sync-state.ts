import { z } from 'zod';

const Varz = z.object({
  jetstream: z.object({ config: z.looseObject({ sync_always: z.boolean().optional() }).optional() }).optional(),
});
const timeoutMs = 2000;

/** Whether the server syncs its file before it acknowledges, as its monitoring address tells; `unknown` without an answer. */
export async function readSyncState(monitorUrl: string | undefined): Promise<'always' | 'later' | 'unknown'> {
  if (monitorUrl === undefined) return 'unknown';
  try {
    const answer = await fetch(new URL('/varz', monitorUrl), { signal: AbortSignal.timeout(timeoutMs) });
    const { jetstream } = Varz.parse(await answer.json());
    return jetstream?.config?.sync_always === true ? 'always' : 'later';
  } catch {
    // Monitoring may be down while the server works.
    return 'unknown';
  }
}
