import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { withAddresses } from './github-servers.ts';

// Makes the App of a coordinator. GitHub takes the description of an App from a form that a browser sends, and gives a code for its
// key and its secret to the page that the form names. So a page of this machine sends the form and takes the code.

const wrongUsage = 2;
const waitMs = 30 * 60_000;
const answerMs = 15_000;
const usage = `Usage: github-app PUBLIC_URL
  PUBLIC_URL                             where GitHub reaches the coordinator, such as https://proofmark.example.com
  --organization NAME                    who owns the App; whoever is logged in unless set
  --server https://github.example.com    an Enterprise Server
  --folder PATH                          where the private key and the webhook secret are written; here unless set
  --port NUMBER                          of the page on this machine; any that is free unless set
`;

interface Wanted {
  publicUrl: string;
  organization: string | null;
  /** Where people see GitHub, and where programs reach it. */
  serverUrl: string;
  apiUrl: string;
  keyFile: string;
  secretFile: string;
  port: number;
}

const Origin = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));
const Options = z.object({
  publicUrl: Origin,
  organization: z
    .string()
    .regex(/^[\w-]+$/)
    .optional(),
  server: Origin.default('https://github.com'),
  folder: z.string().default('.'),
  port: z.coerce.number().int().min(0).max(65_535).default(0),
});

function readArguments(args: readonly string[]): Wanted | null {
  const text = { type: 'string' } as const;
  try {
    const options = { organization: text, server: text, folder: text, port: text };
    const { positionals, values } = parseArgs({ args: [...args], allowPositionals: true, options });
    if (positionals.length !== 1) return null;
    const given = Options.parse({ publicUrl: positionals[0], ...values });
    const { GITHUB_API_URL: apiUrl } = withAddresses({ GITHUB_SERVER_URL: given.server });
    return {
      publicUrl: given.publicUrl,
      organization: given.organization ?? null,
      serverUrl: given.server,
      apiUrl: apiUrl ?? 'https://api.github.com',
      keyFile: resolve(join(given.folder, 'github-app.private-key.pem')),
      secretFile: resolve(join(given.folder, 'github-app.webhook-secret')),
      port: given.port,
    };
  } catch {
    // What is wrong with them is what the usage says.
    return null;
  }
}

/** All that the App may do and hears of. Whoever presses the button sees it at GitHub once more, and may change the name. */
const manifestOf = ({ publicUrl, organization }: Wanted, redirectUrl: string) => ({
  // GitHub takes no longer name, and one that nobody else has.
  name: `Proofmark of ${organization ?? new URL(publicUrl).hostname}`.slice(0, 34),
  description: 'Gates pull requests on how well an AI agent behaves.',
  url: publicUrl,
  hook_attributes: { url: `${publicUrl}/webhooks/github`, active: true },
  redirect_url: redirectUrl,
  public: false,
  // Issues are opened where a team wants to be told so. Without the right to read the queue GitHub tells of no merge group.
  default_permissions: {
    ...{ checks: 'write', pull_requests: 'write', issues: 'write' },
    ...{ contents: 'read', metadata: 'read', merge_queues: 'read' },
  },
  default_events: ['check_run', 'check_suite', 'merge_group', 'pull_request'],
});

/** A page that sends the form at the press of its one button. */
function formPage(wanted: Wanted, manifest: object, state: string): string {
  const account = wanted.organization === null ? '' : `/organizations/${wanted.organization}`;
  const action = `${wanted.serverUrl}${account}/settings/apps/new?state=${state}`;
  return page(`<h1>Make the GitHub App of this coordinator</h1>
<p>For <b>${escaped(wanted.publicUrl)}</b>. It may write checks, comments and issues, and read the
contents and the merge queue of the repositories on which you install it. GitHub shows all of it once more before it makes the App.</p>
<form method="post" action="${escaped(action)}">
<input type="hidden" name="manifest" value="${escaped(JSON.stringify(manifest))}">
<button>Go on at ${escaped(new URL(wanted.serverUrl).host)}</button>
</form>`);
}

const page = (body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Proofmark: GitHub App</title>
<style>:root { color-scheme: light dark } body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }
button { font: inherit; padding: .5rem 1rem }</style></head>
<body>${body}</body></html>
`;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');

const MadeApp = z.object({
  id: z.int().min(1),
  html_url: z.url(),
  pem: z.string().min(1),
  webhook_secret: z.string().min(1),
});

type Made = { ok: true; id: number; installUrl: string } | { ok: false; message: string };

/** Key and secret go into files that only their owner may read; GitHub shows them this once. */
async function takeApp(code: string, wanted: Wanted): Promise<Made> {
  const files = [wanted.keyFile, wanted.secretFile];
  try {
    // Files that cannot be written are known before the code is used up.
    for (const file of files) await writeFile(file, '', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    return { ok: false, message: reasonOf(error) };
  }
  const made = await exchange(code, wanted);
  if (!made.ok) for (const file of files) await rm(file, { force: true });
  return made;
}

async function exchange(code: string, { apiUrl, keyFile, secretFile }: Wanted): Promise<Made> {
  try {
    const answer = await fetch(`${apiUrl}/app-manifests/${encodeURIComponent(code)}/conversions`, {
      method: 'POST',
      headers: { accept: 'application/vnd.github+json', 'user-agent': 'proofmark' },
      signal: AbortSignal.timeout(answerMs),
    });
    if (answer.status !== 201) return { ok: false, message: `GitHub answered ${answer.status} to the code of the App` };
    const { id, html_url, pem, webhook_secret } = MadeApp.parse(await answer.json());
    await writeFile(keyFile, pem);
    await writeFile(secretFile, webhook_secret);
    return { ok: true, id, installUrl: `${html_url}/installations/new` };
  } catch (error) {
    return { ok: false, message: reasonOf(error) };
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Waits for the press of the button. Only who knows the address that was printed sees the page, and one code is taken. */
async function serveOnce(wanted: Wanted): Promise<Made> {
  const state = randomBytes(32).toString('base64url');
  const made = Promise.withResolvers<Made>();
  let isTaken = false;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', origin);
    const code = url.searchParams.get('code') ?? '';
    // A name that leads here by other means than the address is somebody else's page.
    const isOurs = request.headers.host === new URL(origin).host && request.method === 'GET';
    if (isOurs && url.pathname === `/${state}`) return send(response, 200, form);
    const isAnswer = isOurs && url.pathname === '/made' && url.searchParams.get('state') === state && code !== '';
    if (!isAnswer || isTaken) return send(response, 404, page('<p>There is nothing here.</p>'));
    isTaken = true;
    void takeApp(code, wanted).then((taken) => {
      const text = taken.ok
        ? `<h1>The App is made</h1><p><a href="${escaped(taken.installUrl)}">Install it on your repositories</a>. What the coordinator needs stands in the terminal.</p>`
        : `<h1>The App could not be taken over</h1><p>${escaped(taken.message)}</p>`;
      send(response, taken.ok ? 200 : 502, page(text));
      response.once('finish', () => made.resolve(taken));
    });
  });
  server.listen(wanted.port, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const form = formPage(wanted, manifestOf(wanted, `${origin}/made`), state);
  process.stdout.write(
    `Open this page and press its button:\n\n  ${origin}/${state}\n\n` +
      `With the browser on another machine, first run there: ssh -L ${port}:127.0.0.1:${port} THIS_MACHINE\n\n`,
  );
  const tooLate = setTimeout(() => made.resolve({ ok: false, message: 'nobody pressed the button' }), waitMs);
  const taken = await made.promise;
  clearTimeout(tooLate);
  server.close();
  server.closeAllConnections();
  return taken;
}

function send(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      connection: 'close',
    })
    .end(text);
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map((path) =>
      access(path)
        .then(() => [path])
        .catch(() => []),
    ),
  );
  return found.flat();
}

async function main(args: readonly string[]): Promise<number> {
  const wanted = readArguments(args);
  if (wanted === null) {
    process.stderr.write(usage);
    return wrongUsage;
  }
  const { keyFile, secretFile, serverUrl } = wanted;
  const inTheWay = await existing([keyFile, secretFile]);
  if (inTheWay.length > 0) {
    process.stderr.write(
      `Nothing is written over ${inTheWay.join(' and ')}: move it away, or name another --folder.\n`,
    );
    return 1;
  }
  const made = await serveOnce(wanted);
  if (!made.ok) {
    process.stderr.write(`The App could not be taken over: ${made.message}.\n`);
    return 1;
  }
  const server = serverUrl === 'https://github.com' ? '' : `GITHUB_SERVER_URL=${serverUrl}\n`;
  process.stdout.write(
    `The App is made. Start the coordinator with\n\n${server}GITHUB_APP_ID=${made.id}\nGITHUB_APP_PRIVATE_KEY_FILE=${keyFile}\n` +
      `GITHUB_WEBHOOK_SECRET_FILE=${secretFile}\n\nand install it on your repositories: ${made.installUrl}\n`,
  );
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
