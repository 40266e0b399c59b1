import {
  AckPolicy,
  type ConsumerConfig,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  ReplayPolicy,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import {
  RESULTS_CONSUMER,
  RESULTS_STREAM,
  RESULTS_SUBJECTS,
  WORK_CONSUMER,
  workStream,
  workSubjects,
} from '@proofmark/contracts/subjects';

const hourMs = 3_600_000;
export const LARGEST_TASK_BYTES = 512 * 1024;

type WantedStream = Pick<
  StreamConfig,
  'name' | 'subjects' | 'retention' | 'storage' | 'discard' | 'max_bytes' | 'max_age' | 'duplicate_window'
> &
  Partial<StreamConfig>;

export function workStreamConfig(pool: string, { replicas }: StreamSettings): WantedStream {
  return {
    ...kept(1024 ** 3, 6 * hourMs),
    num_replicas: replicas,
    name: workStream(pool),
    subjects: [workSubjects(pool)],
    max_msg_size: LARGEST_TASK_BYTES,
  };
}

export function resultsStreamConfig({ replicas }: StreamSettings): WantedStream {
  return {
    ...kept(4 * 1024 ** 3, 24 * hourMs),
    num_replicas: replicas,
    name: RESULTS_STREAM,
    subjects: [RESULTS_SUBJECTS],
  };
}

// A full stream refuses new messages; the old ones are what nobody has read yet.
const kept = (max_bytes: number, maxAgeMs: number) => ({
  retention: RetentionPolicy.Workqueue,
  storage: StorageType.File,
  discard: DiscardPolicy.New,
  max_bytes,
  max_age: nanos(maxAgeMs),
  duplicate_window: nanos(120_000),
});

const everyMessage = {
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  replay_policy: ReplayPolicy.Instant,
};

export interface StreamSettings {
  /** After how long an unacknowledged message is delivered again. */
  ackWaitMs: number;
  /** Servers of a cluster that hold each message. */
  replicas: number;
}

export function workConsumerConfig({ ackWaitMs }: StreamSettings): ConsumerConfig {
  return {
    durable_name: WORK_CONSUMER,
    ...everyMessage,
    ack_wait: nanos(ackWaitMs),
    max_deliver: -1,
    max_ack_pending: 5000,
  };
}

export function resultsConsumerConfig({ ackWaitMs }: StreamSettings): ConsumerConfig {
  return {
    durable_name: RESULTS_CONSUMER,
    ...everyMessage,
    ack_wait: nanos(ackWaitMs),
    max_deliver: -1,
    max_ack_pending: 5000,
  };
}

/** Makes the stream, or gives an older one today's settings. A disk that is too small for the limit gets a smaller one. */
export async function ensureStream(jsm: JetStreamManager, wanted: WantedStream): Promise<void> {
  const existing = await orMissing(jsm.streams.info(wanted.name));
  if (existing !== null) {
    // Limits that fit this server's disk were found when it was made.
    const { max_bytes: _limit, ...settings } = wanted;
    const isSame = Object.entries(settings).every(
      ([key, value]) => JSON.stringify(Reflect.get(existing.config, key)) === JSON.stringify(value),
    );
    if (!isSame) await jsm.streams.update(wanted.name, { ...existing.config, ...settings });
    return;
  }
  for (let maxBytes = wanted.max_bytes; ; maxBytes /= 2) {
    try {
      await jsm.streams.add({ ...wanted, max_bytes: maxBytes });
      return;
    } catch (error) {
      if (!(error instanceof JetStreamApiError && error.code === outOfStorage) || maxBytes < smallestStreamBytes)
        throw error;
    }
  }
}

const outOfStorage = 10_047;
const smallestStreamBytes = 8 * 1024 * 1024;
const notFound: ReadonlySet<number> = new Set([10_014, 10_059]);

/** The answer of the broker, or null when the stream or consumer that was asked for does not exist. */
export async function orMissing<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof JetStreamApiError && notFound.has(error.code)) return null;
    throw error;
  }
}
