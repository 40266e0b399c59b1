import { workSubject } from '@proofmark/contracts/subjects';
import type { TaskMessage } from '@proofmark/contracts/task-message';
import { chaosPoint } from '../chaos.ts';
import type { Database } from '../database/connect.ts';
import { closeOversized } from '../runs/close-oversized.ts';
import { markPublished, takeUnpublished } from '../runs/publishing.ts';
import type { RowKey } from '../runs/row-key.ts';
import type { Broker } from './connect-nats.ts';
import { ensureRunConsumer } from './run-consumers.ts';
import { LARGEST_TASK_BYTES, type WorkRoute } from './streams.ts';

/** Published without an answer yet, at most; also the size of a pass. */
const inFlight = 256;
const mostKnown = 10_000;
/** The broker counts the subject and the headers too. */
const largestPayloadBytes = LARGEST_TASK_BYTES - 1024;

export interface Publisher {
  /** Makes the consumer of a run, so that runners can wait for its tasks. */
  prepare: (run: RowKey) => Promise<void>;
  /** A run has ended, or begins once more: its consumer may be gone, so that it has to be made before the next task. */
  forget: (runId: string) => void;
  /** Sends what waits in the ledger, of all runs or of one; returns how many tasks the broker has taken. */
  publish: (run?: RowKey) => Promise<number>;
}

type PublisherOptions = {
  broker: Broker;
  database: Database;
  route: WorkRoute;
  /** Suite runs have ended here. */
  onFinished: () => void;
};

export function makePublisher({ broker, database, route, onFinished }: PublisherOptions): Publisher {
  // Consumers that were made by this process; the topology loop repairs what somebody else removed.
  const known = new Set<string>();
  let queue: Promise<unknown> = Promise.resolve();

  const prepare = async (run: RowKey) => {
    if (known.has(run.id)) return;
    await ensureRunConsumer(broker.jsm, route, run);
    if (known.size > mostKnown) known.clear();
    known.add(run.id);
  };

  const publishPass = async (run: RowKey | undefined): Promise<number> => {
    const all = (await takeUnpublished(database, inFlight, run)).map(toMessage);
    const tasks = all.filter(({ payload }) => payload.length <= largestPayloadBytes);
    if (tasks.length < all.length) {
      const finished = await closeOversized(
        database,
        all.flatMap(({ payload, task }) => (payload.length > largestPayloadBytes ? testRunsOf(task) : [])),
        `The case and its agent are larger than ${LARGEST_TASK_BYTES / 1024} KB together`,
      );
      if (finished.length > 0) onFinished();
    }
    for (const { task } of tasks) await prepare({ tenantId: task.tenantId, id: task.runId });
    const answers = await Promise.allSettled(
      tasks.map(({ subject, payload, msgID }) => broker.js.publish(subject, payload, { msgID })),
    );
    const taken = tasks.filter((_, at) => answers[at]?.status === 'fulfilled');
    if (taken.length > 0) await chaosPoint('after_publish_before_mark');
    await markPublished(
      database,
      taken.map(({ task }) => task),
    );
    // What the broker refused stays queued in the ledger; the loop says why and tries again.
    const refused = answers.find((answer) => answer.status === 'rejected');
    if (refused !== undefined) throw new Error('the broker refused tasks', { cause: refused.reason });
    return all.length;
  };

  // One pass at a time: two would read the same tasks. A small run waits for one pass of a large one, not for all.
  const inTurn = (run: RowKey | undefined): Promise<number> => {
    const pass = queue.then(() => publishPass(run));
    queue = pass.catch(() => undefined); // told to whoever asked for the pass
    return pass;
  };

  const toMessage = (task: TaskMessage) => {
    const [first] = task.testRuns;
    if (first === undefined) throw new Error('a task without a test run');
    return {
      task,
      subject: workSubject(route.pool, task.tenantId, task.runId, first.testRunId),
      payload: Buffer.from(JSON.stringify(task)),
      msgID: `${first.testRunId}:${task.publishGen}`,
    };
  };

  return {
    prepare,
    forget: (runId) => void known.delete(runId),
    publish: async (run) => {
      let total = 0;
      for (let count = await inTurn(run); count > 0; count = await inTurn(run)) total += count;
      return total;
    },
  };
}

function testRunsOf({ tenantId, testRuns }: TaskMessage): RowKey[] {
  return testRuns.map(({ testRunId: id }) => ({ tenantId, id }));
}
