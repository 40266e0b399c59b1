import type { Confirmation, Verdict, VerdictSettings } from '@proofmark/contracts/verdict';
import { baseWords } from './base-words.ts';
import { climbed, type FoundVerdict, gateInput } from './find-verdict.ts';
import { type GateResult, judgeMeasurement, measureGate } from './gate.ts';
import { alphaAtEnd, firstLookShare } from './gate-settings.ts';
import { type PreparedCell, prepareCell } from './prepare-cell.ts';
import { confirmationSentence, regressedSuite } from './verdict-words.ts';

/**
 * Whether fresh trials of both sides are to settle the verdict, in whichever way the suite is run. An old base settles
 * nothing, and who had to stop for the budget asks for no more.
 */
export function wantsConfirmation({ word, reason, confirmation, cutTestRuns, settings }: Verdict): boolean {
  const isOpen = word === 'suspected' && reason !== 'old_base' && confirmation === null;
  return isOpen && settings.gate.confirm === 'auto' && cutTestRuns === 0;
}

export interface Confirmed {
  finding: FoundVerdict;
  confirmation: Confirmation;
  /** What the finding is about: all trials together when the suspicion was not confirmed. */
  cell: PreparedCell;
}

/**
 * Settles a suspicion by the fresh trials alone (docs/repetitions.md#when-it-is-suspicious-run-everything-again). Confirmed it is a regression; otherwise all
 * trials count together and neither regression nor suspicion is left to find. Null when there is nothing to settle.
 */
export function settleSuspicion(cell: PreparedCell, { word, gate }: FoundVerdict): Confirmed | null {
  const { fresh } = cell.input;
  if (word !== 'suspected' || gate === null || fresh === undefined || fresh === null) return null;
  const settled = compareFresh(cell, gate);
  if (settled.midp === null) return stillSuspected(cell, gate, settled);
  if (settled.isConfirmed) {
    const found = regressedSuite(gate, cell.compared, baseWords(cell.input.baseName));
    return {
      finding: told({ word: 'regressed', reason: 'confirmed', words: found, gate }, settled),
      confirmation: settled,
      cell,
    };
  }
  const { head, base } = cell.input;
  const all = prepareCell({
    ...cell.input,
    head: [...head, ...fresh.head],
    base: base && [...base, ...fresh.base],
  });
  const gateOfAll = judgeMeasurement(measureGate(gateInput(all)), gateInput(all), { isCleared: true });
  return { finding: told(climbed(all, gateOfAll), settled), confirmation: settled, cell: all };
}

/** The fresh trials on both sides, and nothing else. */
function compareFresh(cell: PreparedCell, first: GateResult): Confirmation {
  const { settings, fresh } = cell.input;
  const level = confirmationLevel(settings, first.midp, alphaAtEnd(cell.input));
  const told = { firstDiffPoints: first.diff * 100, firstMidp: first.midp, level };
  const again = prepareCell({ head: fresh?.head ?? [], base: fresh?.base ?? [], isConcurrent: true, settings });
  const isCovered = again.counts.length / Math.max(1, cell.planned) >= settings.gate.min_coverage_percent / 100;
  if (again.counts.length === 0 || !isCovered) return { ...told, diffPoints: null, midp: null, isConfirmed: false };
  const { diff, midp, p } = measureGate(gateInput(again));
  const probability = settings.gate.strict ? p : midp;
  return { ...told, diffPoints: diff * 100, midp, isConfirmed: probability <= level };
}

/** How strong the fresh trials have to be, so that both looks together stay within `alpha`. */
export function confirmationLevel({ gate }: VerdictSettings, firstMidp: number, alpha = gate.alpha): number {
  const { screen, confirm } = gate;
  // The raw drop alone is no statistical finding, so nothing of alpha was spent on it.
  if (confirm !== 'auto' || firstMidp > screen) return alpha;
  return ((1 - firstLookShare) * alpha) / (screen - firstLookShare * alpha);
}

function stillSuspected(cell: PreparedCell, gate: GateResult, confirmation: Confirmation): Confirmed {
  return { finding: told(climbed(cell, gate), confirmation), confirmation, cell };
}

function told(finding: FoundVerdict, confirmation: Confirmation): FoundVerdict {
  const { title, paragraph } = finding.words;
  return { ...finding, words: { title, paragraph: [...paragraph, confirmationSentence(confirmation)] } };
}
