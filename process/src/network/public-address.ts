import { BlockList, isIP } from 'node:net';

const denied = new BlockList();
const ipv4Nets = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;
const ipv6Nets = [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const;
for (const [net, bits] of ipv4Nets) denied.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of ipv6Nets) denied.addSubnet(net, bits, 'ipv6');

/** False for loopback, private, link-local, metadata and every other net that a stranger's URL must not reach. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && !denied.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

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
