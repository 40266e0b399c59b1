import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Answer, notFound } from './answer.ts';
import { proofmarkApp } from './emulator.ts';
import type { Request, Route, World } from './world.ts';

/** The key and the secret of an App for the code of its form, which the emulator leaves out. */
export const manifestRoutes: Route[] = [{ method: 'POST', path: '/app-manifests/:code/conversions', handle: convert }];

/** What GitHub takes as the description of an App; its API has no schema of it. */
const Manifest = z.strictObject({
  name: z.string().min(1).max(34),
  url: z.url(),
  hook_attributes: z.strictObject({ url: z.url(), active: z.boolean().optional() }),
  redirect_url: z.url(),
  callback_urls: z.array(z.url()).max(10).optional(),
  setup_url: z.url().optional(),
  description: z.string().optional(),
  public: z.boolean().optional(),
  default_events: z.array(z.string()).optional(),
  default_permissions: z.record(z.string(), z.enum(['read', 'write', 'admin'])).optional(),
  request_oauth_on_install: z.boolean().optional(),
  setup_on_update: z.boolean().optional(),
});

/** The right without which GitHub tells an App nothing of an event, and refuses the whole form that asks for it. */
const rightOfEvent: Readonly<Record<string, string>> = {
  check_run: 'checks',
  check_suite: 'checks',
  merge_group: 'merge_queues',
  pull_request: 'pull_requests',
};
const mayHear = (event: string, permissions: Readonly<Record<string, string>>): boolean =>
  Object.hasOwn(permissions, rightOfEvent[event] ?? '');

/** What somebody does who sends this form to GitHub and presses "Create GitHub App": where the browser is sent, and the App. */
export function createApp(
  world: World,
  form: { action: string; manifest: string },
): { redirect: URL; manifest: z.infer<typeof Manifest> } {
  const action = new URL(form.action);
  if (action.origin !== world.origin) throw new Error(`the form goes to ${action.origin}, not to ${world.origin}`);
  if (!/^(\/organizations\/[\w-]+)?\/settings\/apps\/new$/.test(action.pathname))
    throw new Error('GitHub has no such form');
  const manifest = Manifest.parse(JSON.parse(form.manifest));
  const unheard = (manifest.default_events ?? []).filter(
    (event) => !mayHear(event, manifest.default_permissions ?? {}),
  );
  if (unheard.length > 0) throw new Error(`Default events are not supported by permissions: ${unheard.join(', ')}`);
  const code = randomBytes(20).toString('hex');
  world.appCodes.add(code);
  const redirect = new URL(manifest.redirect_url);
  redirect.searchParams.set('code', code);
  const state = action.searchParams.get('state');
  if (state !== null) redirect.searchParams.set('state', state);
  return { redirect, manifest };
}

function convert(world: World, _: Request, { code = '' }: Record<string, string>): Answer {
  if (!world.appCodes.delete(code)) return notFound;
  const { id, slug, name } = proofmarkApp;
  const html_url = `${world.origin}/apps/${slug}`;
  const secrets = { pem: world.emulator.privateKey, webhook_secret: world.webhooks.secret, client_secret: 'unused' };
  return { status: 201, body: { id, slug, name, html_url, client_id: 'Iv1.unused', ...secrets } };
}
