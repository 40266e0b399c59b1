import type { Verdict } from '@proofmark/contracts/verdict';
import { benjaminiHochberg } from '../statistics/exact-tests.ts';
import { gateInput, type MeasuredCell } from './find-verdict.ts';
import { type GateLook, measureGate } from './gate.ts';
import { judgeCell } from './judge-cell.ts';
import { prepareCell } from './prepare-cell.ts';
import type { VerdictInput } from './verdict-input.ts';

export type { Trial } from './count-trials.ts';
export type { VerdictInput } from './verdict-input.ts';

/** The verdict of a suite run that stands alone. The same for embedded and distributed runs. */
export function decideVerdict(input: VerdictInput): Verdict {
  const [verdict] = decideCells([input]);
  if (verdict === undefined) throw new Error('A cell has a verdict');
  return verdict;
}

/**
 * The verdicts on all cells of a suite, in the same order. Whoever looks at many cells finds something in one of them by
 * luck alone, so their chances are corrected together. The worst verdict is the suite's.
 */
export function decideCells(cells: readonly VerdictInput[]): Verdict[] {
  const measured = cells.map(measureCell);
  const looks = lookTogether(measured);
  return measured.map((cell, index) => judgeCell(cell, looks[index] ?? {}));
}

function measureCell(input: VerdictInput): MeasuredCell {
  const cell = prepareCell(input);
  return { cell, measured: cell.counts.length === 0 ? null : measureGate(gateInput(cell)) };
}

/** Case chances of all cells are one family, and so are the chances of the cells themselves. */
function lookTogether(cells: readonly MeasuredCell[]): GateLook[] {
  const caseChances = cells.map(({ measured }) => measured?.casePValues ?? []);
  const adjustedCases = regroup(
    benjaminiHochberg(caseChances.flat()),
    caseChances.map((chances) => chances.length),
  );
  const cellChances = cells.map(({ cell, measured }) => {
    if (measured === null) return [];
    return [cell.input.settings.gate.strict ? measured.p : measured.midp];
  });
  const adjustedCells = regroup(
    benjaminiHochberg(cellChances.flat()),
    cellChances.map((chances) => chances.length),
  );
  const isAlone = cellChances.flat().length < 2;
  return cells.map((_, index) => ({
    adjusted: adjustedCases[index],
    regressionProbability: isAlone ? undefined : adjustedCells[index]?.[0],
  }));
}

/** The list cut into parts of these lengths. */
function regroup(values: readonly number[], lengths: readonly number[]): number[][] {
  let start = 0;
  return lengths.map((length) => {
    start += length;
    return values.slice(start - length, start);
  });
}
