import type { MeasuredJudge } from '@proofmark/contracts/judge-measurement';
import type { LoadedDefinitions } from '@proofmark/contracts/load-definitions';
import type { EarlyStop, Verdict, VerdictSettings } from '@proofmark/contracts/verdict';
import { clustersOf } from '@proofmark/domain/cluster-of';
import { wantsConfirmation } from '@proofmark/domain/confirm';
import { decideCells } from '@proofmark/domain/decide-cells';
import type { Trial, VerdictInput } from '@proofmark/domain/decide-verdict';
import { removedCases } from '@proofmark/domain/find-baseline';
import { describeJudgedAgain, withJudgedAgain } from '@proofmark/domain/judge-again';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import { findEarlyStop } from '@proofmark/domain/stop-early';
import { loadedSuite } from '../definitions/loaded-suite.ts';
import { type TestRunRow, trialsOfRows } from '../results/test-run-row.ts';
import type { FreshTrials, Suspicion } from './confirm-suspicions.ts';
import type { EarlierResults, TrialsAgain } from './judge-again.ts';
import type { RoundDecisions, RunningRound } from './watch-rounds.ts';

interface Judging {
  definitions: LoadedDefinitions;
  /** What it is compared with; absent: results of an earlier run, or nothing. */
  baselineDefinitions?: LoadedDefinitions | undefined;
  suiteRuns: readonly PlannedSuiteRun[];
  onError: VerdictSettings['onError'];
  /** Absent: a run without a base is neutral. */
  withoutBase?: VerdictSettings['withoutBase'];
  /** Absent: only what ran beside. */
  earlier?: EarlierResults | undefined;
  /** How sentences call the base. */
  baseName?: string | undefined;
  /** What labelled answers say about the judges of suites, by the path of the suite. */
  judges?: ReadonlyMap<string, MeasuredJudge> | undefined;
  /** What was decided after rounds, also by an earlier process of this run. */
  decisions: RoundDecisions;
}

export interface RunJudge {
  /** Whether the cell may end after this round. */
  isStopped: (round: RunningRound) => boolean;
  /** The verdict of each suite run of the plan; null for baselines, which are judged with their candidates. */
  judge: (rows: Rows, further?: Further) => (Verdict | null)[];
  /** Cells that ask for fresh trials of all of their cases, and can have them: both of their sides ran here. */
  suspicions: (verdicts: readonly (Verdict | null)[]) => Suspicion[];
}

type Rows = readonly (readonly TestRunRow[])[];

/** What was done beside the plan. */
interface Further {
  /** What became of the rerun that settles suspicions: its trials, or null when there can be none. */
  rerun?: FreshTrials | null;
  again?: TrialsAgain;
}

/** Judges a run in this process: while it runs, whether it is decided, and in the end all cells of each suite together. */
export function openJudge(judging: Judging): RunJudge {
  const { suiteRuns } = judging;
  const stops = new Map<number, EarlyStop>();
  return {
    isStopped: (round) => {
      const position = round.sides.find((side) => suiteRuns[side]?.variant !== 'baseline');
      if (position === undefined) return false;
      const known = judging.decisions.find(position, round.completeRounds);
      const stop = known === undefined ? whyStop(judging, position, round) : known;
      if (known === undefined) judging.decisions.keep(position, round.completeRounds, stop);
      if (stop !== null) stops.set(position, stop);
      return stop !== null;
    },
    suspicions: (verdicts) =>
      verdicts.flatMap((verdict, head) => {
        const base = verdict === null ? null : baselinePosition(suiteRuns, head);
        return base !== null && verdict !== null && wantsConfirmation(verdict) ? [{ head, base }] : [];
      }),
    judge: (rows, { rerun = new Map(), again = new Map() } = {}) => {
      const verdicts: (Verdict | null)[] = suiteRuns.map(() => null);
      const judged = suiteRuns.flatMap(({ variant, suitePath }, position) =>
        variant === 'baseline' ? [] : [{ suitePath, position }],
      );
      for (const ofSuite of Map.groupBy(judged, ({ suitePath }) => suitePath).values()) {
        const inputs = ofSuite.map(({ position }) => ({
          ...inputOf(judging, position, rows, again.get(position)),
          early: stops.get(position) ?? null,
          ...(rerun === null ? { canConfirm: false } : { fresh: rerun.get(position) ?? null }),
        }));
        for (const [index, verdict] of decideCells(inputs).entries()) {
          const position = ofSuite[index]?.position;
          if (position !== undefined) verdicts[position] = verdict;
        }
      }
      return verdicts;
    },
  };
}

function inputOf(
  { definitions, baselineDefinitions, suiteRuns, onError, withoutBase, earlier, baseName, judges }: Judging,
  position: number,
  rows: Rows,
  again: readonly Trial[] = [],
): VerdictInput {
  const planned = plannedAt(suiteRuns, position);
  const loaded = loadedSuite(definitions, planned);
  const { gate, alert_on_regression, alert_threshold_percent } = loaded.suite;
  const beside = baselinePosition(suiteRuns, position);
  const head = trialsOfRows(planned, rows[position] ?? [], clustersOf(loaded, gate.cluster_by));
  const base =
    beside === null
      ? storedBase(earlier?.(planned.suiteName, planned.cellKey)?.trials ?? null, head, again)
      : { base: trialsOfRows(plannedAt(suiteRuns, beside), rows[beside] ?? []) };
  return {
    head,
    ...base,
    isConcurrent: beside !== null,
    // Nobody can press a button here: a suspicion is followed up at once or not at all.
    canConfirm: beside !== null && gate.confirm === 'auto',
    removed: new Map(removedCases(loaded, baselineDefinitions).map((name) => [name, []])),
    settings: {
      gate,
      alertOnRegression: alert_on_regression,
      alertThresholdPercent: alert_threshold_percent,
      onError,
      ...(withoutBase === undefined ? {} : { withoutBase }),
    },
    ...(baseName === undefined ? {} : { baseName }),
    judge: judges?.get(planned.suitePath) ?? null,
  };
}

function storedBase(
  stored: readonly Trial[] | null,
  head: readonly Trial[],
  again: readonly Trial[],
): Pick<VerdictInput, 'base' | 'judgedAgain'> {
  if (stored === null) return { base: null };
  const judgedAgain = describeJudgedAgain({ stored, again, head, commit: null });
  return { base: withJudgedAgain({ stored, again }), judgedAgain };
}

function whyStop(judging: Judging, position: number, round: RunningRound): EarlyStop | null {
  const { suiteRuns } = judging;
  const input = inputOf(judging, position, round.rows);
  const beside = baselinePosition(suiteRuns, position);
  const { suitePath } = plannedAt(suiteRuns, position);
  const others = suiteRuns.filter(
    (other, at) => at !== position && other.variant !== 'baseline' && other.suitePath === suitePath,
  );
  const cases = others.map(({ testRuns }) => new Set(testRuns.map(({ caseName }) => caseName)).size);
  const stop = findEarlyStop({
    input,
    outstanding: outstandingOf(round, position, beside),
    completeRounds: round.completeRounds,
    others: { cells: others.length, cases: cases.reduce((sum, count) => sum + count, 0) },
  });
  if (stop === null) return null;
  return { ...stop, round: round.completeRounds, rounds: round.rounds, ...costsOf(suiteRuns, round) };
}

function outstandingOf(
  { open }: RunningRound,
  head: number,
  base: number | null,
): Map<string, { base: number; head: number }> {
  const [ofHead, ofBase] = [open.get(head), base === null ? undefined : open.get(base)];
  const names = new Set([...(ofHead?.keys() ?? []), ...(ofBase?.keys() ?? [])]);
  return new Map([...names].map((name) => [name, { base: ofBase?.get(name) ?? 0, head: ofHead?.get(name) ?? 0 }]));
}

/** What the sides have cost, and what all of their test runs would; null when nothing had a known price. */
function costsOf(
  suiteRuns: readonly PlannedSuiteRun[],
  { sides, rows }: RunningRound,
): Pick<EarlyStop, 'spentUsd' | 'plannedUsd'> {
  const costs = sides.flatMap((side) => (rows[side] ?? []).flatMap(({ spentUsd }) => spentUsd ?? []));
  if (costs.length === 0) return { spentUsd: null, plannedUsd: null };
  const spentUsd = costs.reduce((sum, cost) => sum + cost, 0);
  const planned = sides.reduce((sum, side) => sum + plannedAt(suiteRuns, side).testRuns.length, 0);
  return { spentUsd, plannedUsd: (spentUsd / costs.length) * planned };
}

/** Where the same suite and cell of the base stands in the plan; null when it has none. */
export function baselinePosition(suiteRuns: readonly PlannedSuiteRun[], position: number): number | null {
  const { suitePath, cellKey } = plannedAt(suiteRuns, position);
  const found = suiteRuns.findIndex(
    (other) => other.variant === 'baseline' && other.suitePath === suitePath && other.cellKey === cellKey,
  );
  return found === -1 || found === position ? null : found;
}

function plannedAt(suiteRuns: readonly PlannedSuiteRun[], position: number): PlannedSuiteRun {
  const planned = suiteRuns[position];
  if (planned === undefined) throw new Error(`The plan has no suite run ${position}`);
  return planned;
}
