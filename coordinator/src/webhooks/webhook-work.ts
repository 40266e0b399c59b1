import { buttonIdentifiers } from '@proofmark/domain/check-output';
import { z } from 'zod';

const repository = z.object({ id: z.int() });
const sender = z.object({ login: z.string() });
const checkRun = z.object({ external_id: z.string().nullable() });

const KnownWork = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('pull_request'),
    action: z.enum(['opened', 'reopened', 'ready_for_review', 'edited', 'synchronize', 'closed']),
    number: z.int(),
    repository,
    pull_request: z.object({ head: z.object({ sha: z.string() }), merged: z.boolean().optional() }),
  }),
  z.object({
    event: z.literal('check_run'),
    action: z.literal('rerequested'),
    repository,
    sender,
    check_run: checkRun,
  }),
  z.object({
    event: z.literal('check_button'),
    action: z.literal('requested_action'),
    requested_action: z.object({ identifier: z.enum(buttonIdentifiers) }),
    repository,
    sender,
    check_run: checkRun,
  }),
  z.object({
    event: z.literal('check_suite'),
    action: z.literal('rerequested'),
    repository,
    sender,
    check_suite: z.object({ head_sha: z.string() }),
  }),
  z.object({
    event: z.literal('merge_group'),
    action: z.enum(['checks_requested', 'destroyed']),
    repository,
    merge_group: z.object({ head_sha: z.string(), head_ref: z.string(), base_sha: z.string() }),
  }),
  z.object({
    event: z.literal('installation'),
    action: z.enum(['created', 'deleted', 'suspend', 'unsuspend', 'new_permissions_accepted', 'added', 'removed']),
    account: z.object({ id: z.int() }),
  }),
]);
/**
 * What a delivery of a forge asks for, without all that nobody here reads. Unknown events and actions are not among them.
 * Absent host: it was kept when there was one forge.
 */
export const WebhookWork = z.intersection(KnownWork, z.object({ host: z.string().optional() }));
export type WebhookWork = z.infer<typeof WebhookWork>;

const Payload = z.looseObject({
  action: z.unknown().optional(),
  installation: z.looseObject({ account: z.unknown().optional() }).optional(),
});

/** The work of a delivery; null when it is about nothing that we do. */
export function workOfDelivery(event: string, payload: unknown, host: string): WebhookWork | null {
  const given = Payload.safeParse(payload);
  if (!given.success) return null;
  const { action, installation } = given.data;
  const work = { ...given.data, event: workName(event, action), account: installation?.account, host };
  const parsed = WebhookWork.safeParse(work);
  return parsed.success ? parsed.data : null;
}

/** What the forge tells under other names, or under one name for two things. */
function workName(event: string, action: unknown): string {
  if (event === 'check_run' && action === 'requested_action') return 'check_button';
  return event === 'installation_repositories' ? 'installation' : event;
}
