import { workSubject } from '@proofmark/contracts/subjects';
import type { TaskMessage } from '@proofmark/contracts/task-message';
import { chaosPoint } from '../chaos.ts';
import type { Database } from '../database/connect.ts';
import { markPublished, takeUnpublished } from '../runs/publishing.ts';
import type { RowKey } from '../runs/row-key.ts';
import type { Broker } from './connect-nats.ts';
import { ensureRunConsumer } from './run-consumers.ts';
import type { WorkRoute } from './streams.ts';

/** Published without an answer yet, at most; also the size of a pass. */
const inFlight = 256;
const mostKnown = 10_000;

export interface Publisher {
  /** Makes the consumer of a run, so that runners can wait for its tasks. */
  prepare: (run: RowKey) => Promise<void>;
  /** Sends what waits in the ledger, of all runs or of one; returns how many tasks the broker has taken. */
  publish: (run?: RowKey) => Promise<number>;
}

type PublisherOptions = { broker: Broker; database: Database; route: WorkRoute };

export function makePublisher({ broker, database, route }: PublisherOptions): Publisher {
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
    const tasks = await takeUnpublished(database, inFlight, run);
    if (tasks.length === 0) return 0;
    for (const { tenantId, runId } of tasks) await prepare({ tenantId, id: runId });
    const answers = await Promise.allSettled(tasks.map((task) => publishTask(broker, route.pool, task)));
    const taken = tasks.filter((_, at) => answers[at]?.status === 'fulfilled');
    await chaosPoint('after_publish_before_mark');
    await markPublished(database, taken);
    // What the broker refused stays queued in the ledger; the loop says why and tries again.
    const refused = answers.find((answer) => answer.status === 'rejected');
    if (refused !== undefined) throw new Error('the broker refused tasks', { cause: refused.reason });
    return taken.length;
  };

  // One pass at a time: two would read the same tasks. A small run waits for one pass of a large one, not for all.
  const inTurn = (run: RowKey | undefined): Promise<number> => {
    const pass = queue.then(() => publishPass(run));
    queue = pass.catch(() => undefined);
    return pass;
  };

  return {
    prepare,
    publish: async (run) => {
      let total = 0;
      for (let count = await inTurn(run); count > 0; count = await inTurn(run)) total += count;
      return total;
    },
  };
}

async function publishTask({ js }: Broker, pool: string, task: TaskMessage): Promise<void> {
  const first = task.testRuns[0];
  if (first === undefined) throw new Error('a task without a test run');
  const subject = workSubject(pool, task.tenantId, task.runId, first.testRunId);
  await js.publish(subject, JSON.stringify(task), { msgID: `${first.testRunId}:${task.publishGen}` });
}
