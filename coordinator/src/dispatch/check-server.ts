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
}

export function factsOf({ info }: NatsConnection, sync: ServerFacts['sync']): ServerFacts {
  return {
    version: info?.version ?? '0.0.0',
    jetstream: info?.jetstream === true,
    maxPayloadBytes: info?.max_payload ?? 0,
    sync,
  };
}

type Judged = { refusals: string[]; warnings: string[] };

/** What makes a server unusable, and what is merely unwise about it; one sentence each, with what to do. */
export function checkServer({ version, jetstream, maxPayloadBytes, sync }: ServerFacts, requiresSync: boolean): Judged {
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
  return requiresSync ? { refusals: [...refusals, ...doubts], warnings: [] } : { refusals, warnings: doubts };
}

function isOlder(version: string, than: string): boolean {
  const [given, wanted] = [version, than].map((text) => text.split('-')[0]?.split('.').map(Number) ?? []);
  for (const at of [0, 1, 2]) {
    const difference = (given?.[at] ?? 0) - (wanted?.[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
