import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { respond } from './respond.ts';
import type { Route } from './serve.ts';

/** The page runs its own script and talks to this origin; nothing else is loaded, framed or sent anywhere. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const pageHeaders = {
  'content-security-policy': pagePolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
} as const;

const files = {
  page: { path: 'static/index.html', type: 'text/html; charset=utf-8' },
  style: { path: 'dist/style.css', type: 'text/css; charset=utf-8' },
  icon: { path: 'static/icon.svg', type: 'image/svg+xml' },
  script: { path: 'dist/app.js', type: 'text/javascript; charset=utf-8' },
} as const;

/** Beside a built coordinator, else the room of the repository. */
const places = [join(import.meta.dirname, 'dashboard'), join(import.meta.dirname, '../../../dashboard')];

/** Where the page has views. Its script reads the address and shows the one that it names. */
const addresses = [
  ...['/', '/runs', '/runs/*', '/suite-runs/*', '/test-runs/*', '/suites', '/suites/*', '/compare'],
  ...['/set-up', '/set-up/*'],
];

const varies = { vary: 'accept-encoding' } as const;
const takesGzip = ({ headers }: IncomingMessage): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(headers['accept-encoding'] ?? ''));

/** The dashboard: one page for all views, with its script and style. It holds no data of its own. */
export function dashboardRoutes(): Readonly<Record<string, Route>> {
  const folder = places.find((place) => existsSync(join(place, files.page.path)));
  if (folder === undefined)
    throw new Error(`The files of the dashboard are missing; looked in ${places.join(' and ')}`);
  const serve = ({ path, type }: (typeof files)[keyof typeof files]): Route => {
    const plain = readFileSync(join(folder, path));
    const small = { body: gzipSync(plain), headers: { ...pageHeaders, ...varies, 'content-encoding': 'gzip' } };
    const whole = { body: plain, headers: { ...pageHeaders, ...varies } };
    return (request, response) => {
      if (request.method === 'GET' || request.method === 'HEAD')
        return respond(response, { status: 200, type, ...(takesGzip(request) ? small : whole) });
      respond(response, { status: 405, body: 'Send a GET request.\n', headers: { allow: 'GET, HEAD' } });
    };
  };
  const page = serve(files.page);
  return {
    ...Object.fromEntries(addresses.map((address) => [address, page])),
    '/assets/style.css': serve(files.style),
    '/assets/icon.svg': serve(files.icon),
    '/assets/app.js': serve(files.script),
  };
}
