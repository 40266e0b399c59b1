import { randomUUID } from 'node:crypto';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';

export interface ReceiverOptions {
  serviceName: string;
  version: string;
  /** Address of the receiver, without `/v1/traces` and `/v1/metrics`. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  /** What the environment says of this process, before what is said here. */
  resource?: Readonly<Record<string, string>>;
  onTrouble: (reason: string) => void;
  /** How long one sending may take, and with it the end of the process. */
  timeoutMs?: number;
}

/** Replicas count each for themselves: without it what they tell would be one series. */
const instanceId = randomUUID();

const tellAgainMs = 600_000;

/** A receiver that is away is no news every few seconds. */
function nowAndThen(tell: (reason: string) => void): (reason: string) => void {
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return (reason) => {
    if (performance.now() - toldAtMs < tellAgainMs) return;
    toldAtMs = performance.now();
    tell(reason);
  };
}

/** How a receiver is reached, and who sends to it. */
export function receiverOf(
  { serviceName, version, endpoint, headers, resource = {}, onTrouble, timeoutMs = 5000 }: ReceiverOptions,
  what: 'traces' | 'metrics',
) {
  const nothing = () => undefined;
  const tell = nowAndThen(onTrouble);
  const logger = { error: tell, warn: tell, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  return {
    timeoutMs,
    resource: resourceFromAttributes({
      'service.name': serviceName,
      'service.version': version,
      'service.instance.id': instanceId,
      ...resource,
    }),
    address: {
      url: `${endpoint.replace(/\/+$/, '')}/v1/${what}`,
      headers: { ...headers },
      timeoutMillis: timeoutMs,
    },
  };
}
