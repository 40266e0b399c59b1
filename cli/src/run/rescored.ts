import { plural } from '@proofmark/domain/format-numbers';
import type { Rescoring } from '@proofmark/embedded/open-rescoring';
import type { TestRunFinished } from '@proofmark/embedded/test-run-finished';
import { plain, table } from '../output/terminal.ts';

/** A test run whose verdict is another one now. */
interface ChangedVerdict {
  suite: string;
  cell: string;
  case: string;
  repetition: number;
  before: string;
  after: string;
}

/** What judging anew came to, beside what the run of then had said. */
export interface RescoredRun {
  runId: string;
  answers: number;
  /** Those that could not be judged: skipped now, though they were answered then. */
  left: number;
  changed: ChangedVerdict[];
}

/** Holds each verdict against that of then as it comes in. */
export function watchVerdicts({ runId, before }: Rescoring): {
  see: (event: TestRunFinished) => void;
  told: RescoredRun;
} {
  const told: RescoredRun = { runId, answers: 0, left: 0, changed: [] };
  return {
    told,
    see: ({ suiteName, cellKey, caseName, repetition, status: after }) => {
      const then = before({ suiteName, cellKey, caseName, repetition });
      if (then === undefined) return;
      if (after === 'skipped') {
        told.left += 1;
        return;
      }
      told.answers += 1;
      if (then === after) return;
      told.changed.push({ suite: suiteName, cell: cellKey, case: caseName, repetition, before: then, after });
    },
  };
}

/** More nobody reads in a terminal; `compare` and `--json` have all of them. */
const mostShown = 20;

/** What a person reads of it, above the verdicts of today. */
export function rescoredText({ runId, answers, left, changed }: RescoredRun): string {
  const none = answers === 0 ? 'No stored answer' : plural(answers, 'stored answer');
  const isOne = answers === 1;
  const unfit = left === 0 ? '' : `; ${left} could not be, their questions are others now or their texts were cut`;
  const head = `\n${none} of ${plain(runId)} ${isOne || answers === 0 ? 'was' : 'were'} judged anew; no agent was asked${unfit}.\n`;
  if (changed.length === 0) return `${head}Every verdict is as it was.\n`;
  const rows = changed.slice(0, mostShown).map((one) => {
    const cell = one.cell === '' ? '' : ` [${plain(one.cell)}]`;
    const repetition = one.repetition === 1 ? '' : ` #${one.repetition}`;
    return [`${plain(one.suite)}${cell} › ${plain(one.case)}${repetition}`, `${one.before} → ${one.after}`];
  });
  const more = changed.length - rows.length;
  const rest = more > 0 ? `  and ${more} more\n` : '';
  return `${head}${plural(changed.length, 'verdict')} changed:\n${table(rows, '  ')}${rest}`;
}
