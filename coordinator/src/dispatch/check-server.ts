import type { NatsConnection } from '@nats-io/transport-node';

const oldest = '2.9.10';
const recommended = '2.10.27';
const leastPayloadBytes = 1_048_576;

export interface ServerFacts {
  version: string;
  jetstream: boolean;
  maxPayloadBytes: number;
  /** When the server syncs its file: before it acknowledges, or some time after. */
  sync: 'always' | 'later' | 'unknown';
  /** Whoever connects has to say who he is. */
  asksForLogin: boolean;
  isEncrypted: boolean;
  /** A server on another machine, as it stands in the address; null when all are on this one. */
  elsewhere: string | null;
}

type Known = Pick<ServerFacts, 'sync'> & { hosts: readonly string[] };

export function factsOf({ info }: NatsConnection, { sync, hosts }: Known): ServerFacts {
  return {
    asksForLogin: info?.auth_required === true,
    isEncrypted: info?.tls_required === true,
    elsewhere: hosts.find((host) => !isThisMachine(host)) ?? null,
    version: info?.version ?? '0.0.0',
    jetstream: info?.jetstream === true,
    maxPayloadBytes: info?.max_payload ?? 0,
    sync,
  };
}

interface Demands {
  requiresSync: boolean;
  allowsAnonymous: boolean;
}

type Judged = { refusals: string[]; warnings: string[] };

/** What makes a server unusable, and what is merely unwise about it; one sentence each, with what to do. */
export function checkServer(facts: ServerFacts, { requiresSync, allowsAnonymous }: Demands): Judged {
  const { version, jetstream, maxPayloadBytes, sync } = facts;
  const refusals: string[] = [];
  const doubts: string[] = [];
  if (isOlder(version, oldest)) refusals.push(`NATS ${version} is too old: install ${oldest} or newer`);
  else if (isOlder(version, recommended)) {
    doubts.push(
      `NATS ${version} may lose acknowledged messages when the power fails: use ${recommended} or newer with sync_interval: always`,
    );
  } else if (sync !== 'always' && (sync === 'later' || requiresSync)) {
    doubts.push(
      'NATS acknowledges before it has synced its file: set sync_interval: always, and PROOFMARK_NATS_MONITOR_URL to show it',
    );
  }
  if (!jetstream) refusals.push('JetStream is off: start nats-server with -js');
  if (maxPayloadBytes < leastPayloadBytes)
    refusals.push(`max_payload of NATS is ${maxPayloadBytes}: set it to 1MB or more`);
  const access = checkAccess(facts, allowsAnonymous);
  return requiresSync
    ? { refusals: [...refusals, ...access.refusals, ...doubts], warnings: access.warnings }
    : { refusals: [...refusals, ...access.refusals], warnings: [...doubts, ...access.warnings] };
}

/** Whoever may connect can say that he is any runner, read every task and delete streams. */
function checkAccess({ asksForLogin, isEncrypted, elsewhere }: ServerFacts, allowsAnonymous: boolean): Judged {
  if (elsewhere === null) return { refusals: [], warnings: [] };
  const open = `NATS at ${elsewhere} takes anybody without a login`;
  if (!asksForLogin && !allowsAnonymous)
    return {
      refusals: [`${open}: give it users (deploy/README.md says how), or set PROOFMARK_NATS_ALLOW_ANONYMOUS=1`],
      warnings: [],
    };
  const warnings = [
    ...(asksForLogin ? [] : [`${open}: whoever reaches it can send results as any runner`]),
    ...(isEncrypted
      ? []
      : [`NATS at ${elsewhere} is reached without TLS: whoever listens in between reads every task`]),
  ];
  return { refusals: [], warnings };
}

const isThisMachine = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);

function isOlder(version: string, than: string): boolean {
  const [given, wanted] = [version, than].map((text) => text.split('-')[0]?.split('.').map(Number) ?? []);
  for (const at of [0, 1, 2]) {
    const difference = (given?.[at] ?? 0) - (wanted?.[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
