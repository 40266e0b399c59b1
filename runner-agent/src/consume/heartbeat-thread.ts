import { extname } from 'node:path';
import type { HeartbeatReply, HeartbeatRequest } from '@proofmark/contracts/control-messages';
import { startBoundedThread } from '@proofmark/process/bounded-thread';
import type { BrokerLogin } from '@proofmark/process/broker-login';

export type HeartbeatSnapshot = HeartbeatRequest;

/** What the thread is started with. `answeredAt` holds the monotonic time of the last answer that ended a silence, in ns, readable without its help. */
export interface HeartbeatSetup {
  login: BrokerLogin;
  runnerId: string;
  heartbeatMs: number;
  leaseMs: number;
  answeredAt: SharedArrayBuffer;
}

export interface HeartbeatThread extends AsyncDisposable {
  /** What the next heartbeats say. Also the sign of life of the main loop. */
  report(snapshot: HeartbeatSnapshot): void;
  /** Time since an answer last counted, right even when this loop was blocked meanwhile. */
  silentMs(): number;
  /** A new session starts with full patience. */
  resetSilence(): void;
}

export interface HeartbeatThreadOptions extends Omit<HeartbeatSetup, 'answeredAt'> {
  onReply: (answer: { sessionId: string; reply: HeartbeatReply }) => void;
  /** The thread died. Without it the leases run out, so the process must not go on. */
  onFailure: (error: Error) => void;
}

/** With as much room for what dies young as the process has, the thread would hold 10 MB more. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 3 };

/** How long ago the answer was, in ms. */
export const silenceOf = (answeredAt: BigInt64Array): number =>
  Number(process.hrtime.bigint() - Atomics.load(answeredAt, 0)) / 1e6;

/** Heartbeats from a thread of their own: a main loop that is busy for a while must not lose its leases. */
export function startHeartbeatThread({ onReply, onFailure, ...setup }: HeartbeatThreadOptions): HeartbeatThread {
  const answeredAt = new BigInt64Array(new SharedArrayBuffer(8));
  const reset = (): void => {
    Atomics.store(answeredAt, 0, process.hrtime.bigint());
  };
  reset();
  // The file beside this one, whether that runs as TypeScript or built.
  const file = new URL(`./heartbeat-worker${extname(import.meta.url)}`, import.meta.url);
  const workerData: HeartbeatSetup = { ...setup, answeredAt: answeredAt.buffer };
  const worker = startBoundedThread(file, { workerData, env: {}, name: 'heartbeat', resourceLimits });
  let isClosing = false;
  worker.on('message', onReply);
  worker.on('error', onFailure);
  worker.on('exit', (code) => {
    if (!isClosing) onFailure(new Error(`The heartbeat thread ended with code ${code}`));
  });
  return {
    report: (snapshot) => worker.postMessage(snapshot),
    silentMs: () => silenceOf(answeredAt),
    resetSilence: reset,
    async [Symbol.asyncDispose]() {
      isClosing = true;
      await worker.terminate();
    },
  };
}
