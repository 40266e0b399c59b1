import type { CaseWork } from '@proofmark/contracts/case-work';
import type { FileContent } from '@proofmark/contracts/file-content';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import type { AboutTestRun } from './new-test-run.ts';
import type { WorkPart, WorkSplitter } from './work-parts.ts';

/** One case in one suite run, for as many repetitions as it has. */
interface PlannedSide extends Omit<AboutTestRun, 'id' | 'testRun'> {
  testRun: Omit<AboutTestRun['testRun'], 'repetition'>;
  /** Hash of what it shares with the other cases of its suite run. */
  setting: string;
  case: WorkPart;
  contents: readonly FileContent[];
  /** Its repetitions, both included. */
  first: number;
  last: number;
}

/** What takes one slot in each round: a case, or both sides of a pair. */
export type PlannedLine = readonly PlannedSide[];

/** What a run still has to queue, in the order in which each of its rounds is queued. */
export interface QueuePlan {
  /** As JSON, by hash. */
  settings: ReadonlyMap<string, string>;
  lines: readonly PlannedLine[];
  /** Test runs of all rounds. */
  total: number;
}

export interface SuiteRunToQueue extends Pick<AboutTestRun, 'suiteRunId' | 'variant'> {
  planned: PlannedSuiteRun;
  /** Cases of one key in two suite runs are pairs; null where there are none. */
  pairKeyOf: ((sortOrder: number) => string) | null;
  caseOf: (name: string) => Pick<AboutTestRun, 'testCaseId' | 'line'>;
}

/** What was said in one repetition was not said in the others, so that each is a line of its own. */
const placeOf = ({ recorded, repetition }: CaseWork, sortOrder: number): string =>
  recorded === undefined ? String(sortOrder) : `${sortOrder} ${repetition}`;

/** The test runs that need a runner, each case once however often it runs. Repetitions of a case follow each other without a gap. */
export function queuePlan(suiteRuns: readonly SuiteRunToQueue[], partsOf: WorkSplitter): QueuePlan {
  const settings = new Map<string, string>();
  const lines = new Map<string, PlannedSide[]>();
  let total = 0;
  for (const { planned, suiteRunId, variant, pairKeyOf, caseOf } of suiteRuns) {
    const known = new Map<string, PlannedSide>();
    for (const one of planned.testRuns) {
      if (one.work === null) continue;
      total += 1;
      const place = placeOf(one.work, one.sortOrder);
      const side = known.get(place);
      if (side !== undefined) {
        side.last = Math.max(side.last, one.repetition);
        continue;
      }
      const { work, decided: _decided, repetition, ...testRun } = one;
      const parts = partsOf(work);
      settings.set(parts.setting.hash, parts.setting.json);
      const next: PlannedSide = {
        ...{ suiteRunId, variant, ...caseOf(testRun.caseName), testRun },
        ...{ setting: parts.setting.hash, case: parts.case, contents: work.contents ?? [] },
        ...{ first: repetition, last: repetition },
      };
      known.set(place, next);
      const key = pairKeyOf?.(testRun.sortOrder) ?? `${suiteRunId} ${place}`;
      lines.set(key, [...(lines.get(key) ?? []), next]);
    }
  }
  return { settings, lines: [...lines.values()], total };
}
