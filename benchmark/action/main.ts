// How long the Action takes from the start of its process to its first request, beside an empty bundle in the same run.
// Ends with 1 above the promise. Run: npx pnpm benchmark:action

import { measureStarts, type Start, type Usage } from '../../tests/flows/action-start.ts';

const promiseMs = 150;
const starts = await measureStarts(9);

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const row = (name: string, pick: (start: Start) => Usage): string => {
  const of = (figure: keyof Usage) => middle(starts.map((start) => pick(start)[figure])).toFixed(0);
  return `${name}: ${of('wallMs')} ms, ${of('cpuMs')} ms of CPU on all threads, ${of('rssMb')} MB`;
};
const beyondEmpty = middle(starts.map(({ empty, first }) => first.wallMs - empty.wallMs));
process.stdout.write(
  [
    `20 suites of 12 cases, the middle of ${starts.length} starts`,
    row('empty bundle, first request', ({ empty }) => empty),
    row('Action, first request', ({ first }) => first),
    row('Action, first request for the coordinator', ({ coordinator }) => coordinator),
    `first request beyond the empty bundle: ${beyondEmpty.toFixed(0)} ms (promise ${promiseMs})`,
    '',
  ].join('\n'),
);
process.exitCode = beyondEmpty <= promiseMs ? 0 : 1;
