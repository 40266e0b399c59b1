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
