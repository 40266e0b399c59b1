import { type Answer, forbidden, notFound, paged } from './answer.ts';
import type { Request, Route, World } from './world.ts';

/** The App's list of webhooks, and asking for one again, which the emulator leaves out. */
export const hookDeliveryRoutes: Route[] = [
  { method: 'GET', path: '/app/hook/deliveries', handle: listDeliveries },
  { method: 'POST', path: '/app/hook/deliveries/:id/attempts', handle: deliverAgain },
];

function listDeliveries({ webhooks }: World, { caller, url }: Request): Answer {
  if (caller.kind !== 'app') return forbidden();
  const newestFirst = webhooks.attempts
    .toReversed()
    .map(({ id, guid, event, action, deliveredAt, status, isAgain }) => ({
      ...{ id, guid, event, action: action ?? null, delivered_at: deliveredAt, redelivery: isAgain, duration: 0.1 },
      ...{ status: status === 202 ? 'OK' : 'Failed', status_code: status ?? 0, throttled_at: null },
    }));
  // GitHub pages this list by a cursor; ours is the number of the page.
  const asked = new URL(url);
  asked.searchParams.set('page', url.searchParams.get('cursor') ?? '1');
  const { slice, headers } = paged(newestFirst, asked);
  const next = /[?&]page=(\d+)[^>]*>; rel="next"/.exec(headers.link ?? '')?.[1];
  if (next === undefined) return { status: 200, body: slice };
  const following = new URL(url);
  following.searchParams.set('cursor', next);
  return { status: 200, body: slice, headers: { link: `<${following.href}>; rel="next"` } };
}

async function deliverAgain({ webhooks }: World, { caller }: Request, { id }: Record<string, string>): Promise<Answer> {
  if (caller.kind !== 'app') return forbidden();
  const attempt = webhooks.attempts.find((each) => each.id === Number(id));
  if (attempt === undefined) return notFound;
  await webhooks.redeliver(attempt.guid);
  return { status: 202, body: {} };
}
