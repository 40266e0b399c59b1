import { DiagLogLevel, diag } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';

export interface ReceiverOptions {
  serviceName: string;
  version: string;
  /** Address of the receiver, without `/v1/traces` and `/v1/metrics`. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  onTrouble: (reason: string) => void;
}

export const sendTimeoutMs = 5000;

/** How a receiver is reached, and who sends to it. */
export function receiverOf(
  { serviceName, version, endpoint, headers, onTrouble }: ReceiverOptions,
  what: 'traces' | 'metrics',
) {
  const nothing = () => undefined;
  const logger = { error: onTrouble, warn: onTrouble, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  return {
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    address: {
      url: `${endpoint.replace(/\/+$/, '')}/v1/${what}`,
      headers: { ...headers },
      timeoutMillis: sendTimeoutMs,
    },
  };
}
