import type { Claiming } from './claim-tasks.ts';
import { claimTasks } from './claim-tasks.ts';
import type { Running } from './run-attempt.ts';
import { runTask } from './run-attempt.ts';
import type { SlottedMessage } from './work-loop.ts';

/** Claims what the messages offer and runs what was won; slots without work are given back. Never rejects. */
export async function takeTasks(batch: readonly SlottedMessage[], taking: Claiming & Running): Promise<void> {
  const messages = batch.map(({ message }) => message);
  const claimed = await claimTasks(messages, taking).catch((error: unknown) => {
    taking.log.error({ error }, 'Work could not be claimed');
    return [];
  });
  const tasks = claimed.filter((testRuns) => testRuns.length > 0);
  for (const [index, { slot }] of batch.entries()) {
    const task = tasks[index];
    if (task) void runTask(task, slot, taking);
    else slot.release();
  }
}
