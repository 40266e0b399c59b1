import { createEmulator } from 'emulate';
import { z } from 'zod';
import { freePort } from '../free-port.ts';

type EmulatorAnswer = { status: number; headers: Headers; text: string; body: unknown };
export type Emulator = {
  url: string;
  /** The key that the emulator made for the App. */
  privateKey: string;
  send: (request: EmulatorRequest) => Promise<EmulatorAnswer>;
  close: () => Promise<void>;
};
type EmulatorRequest = {
  method: string;
  /** With the query. */
  path: string;
  /** The token of the administrator unless another is given. */
  token?: string;
  body?: unknown;
};

/** The one who owns the organisation and may do everything; helpers act in this name. */
export const maintainer = { login: 'olivia', token: 'ghp_olivia' };
/** A user without rights anywhere. */
export const stranger = { login: 'mallory', token: 'ghp_mallory' };
export const organisation = 'acme';

export const proofmarkApp = { id: 4242, slug: 'proofmark', name: 'Proofmark', installationId: 7077 };
/** Organisations with an installation of their own beside the first. */
export const otherOrganisations = ['globex', 'initech'];
const permissions = {
  ...{ checks: 'write', pull_requests: 'write', issues: 'write' },
  ...{ contents: 'read', metadata: 'read', merge_queues: 'read' },
};
const events = ['check_run', 'check_suite', 'pull_request', 'merge_group'];

type StartOptions = { origin: string; webhookUrl: string };

/** Repositories, git objects, pull requests and the App's tokens; its links lead to `origin`. */
export async function startEmulator({ origin, webhookUrl }: StartOptions): Promise<Emulator> {
  const port = await freePort();
  const organisations = [organisation, ...otherOrganisations];
  const installations = organisations.map((account, place) => ({
    installation_id: proofmarkApp.installationId + place,
    account,
    repository_selection: 'all',
    permissions,
    events,
  }));
  const app = {
    app_id: proofmarkApp.id,
    slug: proofmarkApp.slug,
    name: proofmarkApp.name,
    permissions,
    events,
    webhook_url: webhookUrl,
    installations,
  };
  const emulator = await createEmulator({
    service: 'github',
    port,
    baseUrl: origin,
    seed: {
      tokens: { [maintainer.token]: { login: maintainer.login }, [stranger.token]: { login: stranger.login } },
      github: {
        users: [{ login: maintainer.login }, { login: stranger.login }],
        orgs: organisations.map((login) => ({ login, members: [{ login: maintainer.login, role: 'admin' }] })),
        apps: [app],
      },
    },
  });
  const key = emulator.generatedSecrets.find(({ kind }) => kind === 'github.app_private_key');
  // The emulator's own `url` is the advertised one, which is ours.
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    privateKey: z.string().parse(key?.value),
    send: (request) => send(url, request),
    close: () => emulator.close(),
  };
}

async function send(
  url: string,
  { method, path, token = maintainer.token, body }: EmulatorRequest,
): Promise<EmulatorAnswer> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (token !== '') headers.authorization = `Bearer ${token}`;
  // The emulator answers 400 to a write without a body, GitHub does not.
  const sent = method === 'GET' || method === 'HEAD' ? null : JSON.stringify(body ?? {});
  const answer = await fetch(url + path, { method, headers, body: sent, redirect: 'manual' });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Raw file contents and empty answers are no JSON.
    return undefined;
  }
}
