import type { Octokit } from '@octokit/core';
import { z } from 'zod';

const Delivery = z.object({
  id: z.int(),
  guid: z.string(),
  delivered_at: z.iso.datetime({ offset: true }),
  status_code: z.int(),
});
type Delivery = z.infer<typeof Delivery>;

/** A webhook that did not arrive; `id` is the newest attempt, which is what one asks to repeat. */
export interface FailedDelivery {
  id: number;
  guid: string;
}

const dayMs = 24 * 60 * 60_000;
const perPage = 100;
const mostPages = 20;
/** What was refused so often is refused for a reason that another attempt does not change. */
const mostAttempts = 10;

/** The webhooks of the last day of which no attempt arrived. Empty where the forge keeps no list of them. */
export async function failedDeliveries(request: Octokit['request'], nowMs: number): Promise<FailedDelivery[]> {
  const attempts: Delivery[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const answer = await listOrNull(request, cursor);
    if (answer === null) return [];
    const listed = z.array(Delivery).parse(answer.data);
    attempts.push(...listed.filter(({ delivered_at: at }) => Date.parse(at) > nowMs - dayMs));
    cursor = /[?&]cursor=([^&>]+)[^>]*>;\s*rel="next"/.exec(answer.headers.link ?? '')?.[1];
    // They come newest first, so one that is too old ends the list.
    if (cursor === undefined || listed.length === 0 || Date.parse(listed.at(-1)?.delivered_at ?? '') <= nowMs - dayMs)
      break;
  }
  return [...Map.groupBy(attempts, ({ guid }) => guid).values()].flatMap((ofOne) => {
    const [newest] = ofOne;
    const hasArrived = ofOne.some(({ status_code: status }) => status >= 200 && status < 300);
    return newest === undefined || hasArrived || ofOne.length >= mostAttempts
      ? []
      : [{ id: newest.id, guid: newest.guid }];
  });
}

async function listOrNull(request: Octokit['request'], cursor: string | undefined) {
  try {
    return await request('GET /app/hook/deliveries', {
      per_page: perPage,
      ...(cursor === undefined ? {} : { cursor: decodeURIComponent(cursor) }),
    });
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 404) return null;
    throw error;
  }
}

/** Asks for another attempt, which comes as a delivery with the same GUID. */
export async function redeliver(request: Octokit['request'], { id }: FailedDelivery): Promise<void> {
  await request('POST /app/hook/deliveries/{delivery_id}/attempts', { delivery_id: id });
}
