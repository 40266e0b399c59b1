// How long it takes to cancel a run of 100,000 test runs in the middle: the answer, the last question to the model, all that is closed.
// Run: npx pnpm benchmark:cancel [--cases 2000] [--repetitions 50]
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { cancelRun, startLargeRun, stateOf } from './large-run.ts';
import { load, openStack, say, seconds } from './stack.ts';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '2000' }, repetitions: { type: 'string', default: '50' } },
});
const size = { cases: Number(values.cases), repetitions: Number(values.repetitions) };

await using stack = await openStack({ runners: 2, slots: 100, latencyMs: 200 });
const { runId } = await startLargeRun(stack.product, size);
while ((await stateOf(stack.product, runId)).passedCases < 500) await pause(50);
const before = await stateOf(stack.product, runId);
const began = performance.now();
const beganMs = Date.now();
await cancelRun(stack.product, runId);
const answeredMs = performance.now() - began;
// The totals are final with the answer. What follows is written by the loops: only the ledger itself tells when they are through.
const ledger = new pg.Client({ connectionString: stack.databaseUrl });
await ledger.connect();
const isClosed = async () => {
  const { rows } = await ledger.query<{ open: number; written: number }>(
    `select (select count(*)::int from chunks where state in ('queued', 'leased'))
       + (select count(*)::int from queue_plans) + (select sum(unwritten_cases)::int from test_suite_runs) as open,
     (select count(*)::int from test_case_results) as written`,
  );
  return rows[0]?.open === 0 && rows[0].written === size.cases * size.repetitions;
};
while (!(await isClosed())) await pause(200);
await ledger.end();
const closedS = seconds(began);
const { lastMs } = await stack.seen();
const { status, totalCases, passedCases, failedCases, skippedCases } = await stateOf(stack.product, runId);
const isRight = status === 'CANCELLED' && totalCases === passedCases + failedCases + skippedCases;
say(`${totalCases} test runs, of which ${before.passedCases} had passed; ${load()}`);
say(`answered after ${answeredMs.toFixed(0)} ms`);
say(`last question to the model ${((lastMs - beganMs) / 1000).toFixed(2)} s after the request`);
say(`all closed after ${closedS.toFixed(1)} s: ${passedCases} passed, ${failedCases} failed, ${skippedCases} skipped`);
if (!isRight) throw new Error(`The totals are wrong: ${JSON.stringify({ status, totalCases })}`);
