import { JetStreamApiError } from '@nats-io/jetstream';
import { InvalidArgumentError } from '@nats-io/transport-node';

/** "message size exceeds maximum allowed": the stream's own limit. */
const exceedsStreamLimit = 10054;

/** Whether a message was not taken because of its size: the client knows the server's limit, the stream may have a lower one. */
export function isRefusedForSize(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.apiError().err_code === exceedsStreamLimit;
  return error instanceof InvalidArgumentError && error.message.includes('max_payload');
}
