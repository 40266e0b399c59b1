import type { Verdict } from '../../contracts/src/results/verdict.ts';
import { comparabilityKey, withParts } from '../../domain/src/plan/comparability-key.ts';
import { plainPhrase } from '../../domain/src/text/phrase.ts';
import type { Trial } from '../../domain/src/verdict/count-trials.ts';
import { decideVerdict, type VerdictInput } from '../../domain/src/verdict/decide-verdict.ts';
import { cases, mixed, settings, trials } from '../../domain/src/verdict/sample-trials.fixture.ts';

type Sides = Pick<VerdictInput, 'base' | 'head'>;

function decide(input: Sides & Partial<VerdictInput>): Verdict {
  return decideVerdict({ settings: settings({}, { alertOnRegression: false }), baseName: 'main', ...input });
}

/** The verdicts of the page, each decided by the code from trials. */
export function exampleVerdicts(): Record<string, Verdict> {
  return { ...regressions(), ...doubts(), ...quiet() };
}

/** Ten cases, five times on each side: on the base most of them pass. */
const mildDrop: Sides = {
  base: [5, 4, 5, 5, 3, 5, 4, 5, 2, 5].flatMap((passed, index) => mixed(`case-${index + 1}`, passed, 5)),
  head: [5, 3, 5, 4, 3, 5, 4, 4, 1, 5].flatMap((passed, index) => mixed(`case-${index + 1}`, passed, 5)),
};

function regressions(): Record<string, Verdict> {
  const shaky = (passed: number, scored: number) =>
    Array.from({ length: 4 }, (_, index) => mixed(`case-${index + 27}`, passed, scored)).flat();
  const early = { rule: 'e_value', round: 3, rounds: 5, eValue: 31.875, spentUsd: 1.84, plannedUsd: 3.1 } as const;
  const suspicion = { base: cases(10, 'pass', 1), head: lostAt(10, 2) };
  // One of three trials lost in seven cases, none won: E = 31.9.
  const sevenLost = Array.from({ length: 20 }, (_, index) => mixed(`case-${index + 1}`, index < 7 ? 2 : 3, 3)).flat();
  const auto = settings({ confirm: 'auto' }, { alertOnRegression: false });
  return {
    'regressed-suite': decide({
      base: [...cases(26, 'pass', 21), ...shaky(20, 21)],
      head: [...cases(26, 'pass', 3), ...shaky(2, 3)],
    }),
    'regressed-cases': decide({
      base: [
        ...cases(28, 'pass', 21),
        ...trials('refund-happy-path', 'pass', 21),
        ...trials('cancel-order', 'pass', 21),
      ],
      head: [...cases(28, 'pass', 3), ...trials('refund-happy-path', 'fail', 3), ...trials('cancel-order', 'fail', 3)],
    }),
    'regressed-errors': decide({
      base: [...cases(49, 'pass', 1), ...trials('case-50', 'agent-error', 1)],
      head: [...cases(40, 'pass', 3), ...withMessage(cases(50, 'agent-error', 3).slice(120))],
    }),
    'regressed-confirmed': decide({
      ...suspicion,
      ...{ settings: auto, isConcurrent: true, canConfirm: true },
      fresh: { base: cases(10, 'pass', 3), head: lostAt(10, 2, 3) },
    }),
    'regressed-early': decide({ base: cases(20, 'pass', 3), head: sevenLost, isConcurrent: true, early }),
  };
}

/** All pass but the last `lost`, which always fail. */
function lostAt(count: number, lost: number, repetitions = 1): Trial[] {
  const passing = (count - lost) * repetitions;
  return [...cases(count - lost, 'pass', repetitions), ...cases(count, 'fail', repetitions).slice(passing)];
}

const withMessage = (errored: readonly Trial[]): Trial[] =>
  errored.map((trial) => ({ ...trial, errorMessage: 'Timeout after 30000ms' }));

function doubts(): Record<string, Verdict> {
  const measured = (judge: string) =>
    cases(12, 'pass', 3).map((trial) => ({
      ...trial,
      comparabilityKey: comparabilityKey(trial.caseName, withParts(judge, { judge }), '{}'),
    }));
  const drafts = cases(12, 'skip', 1).map((trial) => ({ ...trial, skipReason: 'draft' }));
  const answered = [...cases(18, 'pass', 1), ...trials('x', 'fail', 1), ...trials('y', 'fail', 1)];
  const missing = [
    ...cases(10, 'pass', 1),
    ...cases(18, 'agent-error', 1).slice(10),
    ...cases(20, 'judge-error', 1).slice(18),
  ];
  return {
    suspected: decide(mildDrop),
    inconclusive: decide({ base: cases(10, 'pass', 1), head: cases(10, 'pass', 1) }),
    insufficient: decide({ base: [...cases(20, 'pass', 1), ...cases(20, 'agent-error', 2)], head: missing }),
    'no-base': decide({ base: null, head: answered }),
    'not-comparable': decide({ base: measured('old'), head: measured('new') }),
    error: decide({ base: null, head: drafts }),
  };
}

function quiet(): Record<string, Verdict> {
  const better = [...mixed('case-29', 10, 21), ...mixed('case-30', 10, 21)];
  const eight = Array.from({ length: 8 }, (_, index) => mixed(`weak-${index}`, 10, 21)).flat();
  const fixed = Array.from({ length: 8 }, (_, index) => trials(`weak-${index}`, 'pass', 3)).flat();
  return {
    improved: decide({ base: [...cases(22, 'pass', 21), ...eight], head: [...cases(22, 'pass', 3), ...fixed] }),
    unchanged: decide({
      base: [...cases(28, 'pass', 21), ...better],
      head: [...cases(28, 'pass', 3), ...mixed('case-29', 1, 3), ...mixed('case-30', 2, 3)],
    }),
  };
}

const colours: Partial<Record<Verdict['conclusion'], string>> = { failure: 'red', neutral: 'grey', success: 'green' };

/** A verdict as a reader of the pull request meets it. */
export function quoted({ title, paragraph, conclusion }: Verdict): string {
  return `> **${title}** (${colours[conclusion] ?? conclusion})\n>\n> ${plainPhrase(paragraph).trim()}`;
}
