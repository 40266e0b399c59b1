import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** `isTrusted`: the operator named this origin, so it may be plain http and lie in a private net. */
type CheckedUrl = { ok: true; url: URL; isTrusted: boolean } | { ok: false; message: string };

/** Names that clouds give to the service which hands out credentials. */
const metadataNames: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'instance-data',
  'instance-data.ec2.internal',
]);

/**
 * Whether an address that a stranger wrote may be called. `listedIn` is the variable in which an operator names origins that
 * may. Asked again for every redirect; the addresses behind a name are checked when it is connected to.
 */
export function checkUrl(
  text: string,
  allowedOrigins: ReadonlySet<string>,
  listedIn = 'PROOFMARK_URL_ALLOW',
): CheckedUrl {
  const url = URL.parse(text);
  if (url === null) return refused('is not a URL');
  if (url.username !== '' || url.password !== '') return refused('must not contain a user name or password');
  if (allowedOrigins.has(url.origin) && /^https?:$/.test(url.protocol)) return { ok: true, url, isTrusted: true };
  if (url.protocol !== 'https:') return refused(`must be https, or its origin listed in ${listedIn}`);
  if (url.port !== '') return refused(`must use the standard port, or its origin be listed in ${listedIn}`);
  return isPublicHost(url.hostname) ? { ok: true, url, isTrusted: false } : refused('is not a public address');
}

function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
  if (isIP(host) !== 0) return isPublicAddress(host);
  return host.includes('.') && !host.endsWith('.localhost') && !metadataNames.has(host);
}

function refused(reason: string): CheckedUrl {
  return { ok: false, message: reason };
}
