import type { CaseWork } from '@proofmark/contracts/case-work';
import type { FileContent } from '@proofmark/contracts/file-content';
import type { PlannedSuiteRun, PlannedTestRun } from '@proofmark/domain/plan-run';
import type { AboutTestRun } from './new-test-run.ts';
import type { WorkPart, WorkSplitter } from './work-parts.ts';

/** What nearly all cases of a suite run share. */
interface SharedByCases extends Pick<PlannedTestRun, 'instrumentHash' | 'resolvedVariables'> {
  variant: AboutTestRun['variant'];
  /** Hash of the setting that they run in. */
  setting: string;
}

/** One case in one suite run, for as many repetitions as it has. */
interface PlannedSide extends Pick<AboutTestRun, 'suiteRunId' | 'testCaseId' | 'line'> {
  testRun: Pick<PlannedTestRun, 'caseName' | 'sortOrder' | 'caseKey' | 'caseHash'>;
  shared: SharedByCases;
  case: WorkPart;
  /** Absent: there are none. */
  contents?: readonly FileContent[];
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
const placeOf = ({ recorded, repetition }: CaseWork, sortOrder: number): number | string =>
  recorded === undefined ? sortOrder : `${sortOrder} ${repetition}`;

/** The test runs that need a runner, each case once however often it runs. Repetitions of a case follow each other without a gap. */
export function queuePlan(suiteRuns: readonly SuiteRunToQueue[], partsOf: WorkSplitter): QueuePlan {
  const settings = new Map<string, string>();
  const pairs = new Map<string, PlannedSide[]>();
  const lines: PlannedSide[][] = [];
  let total = 0;
  for (const suiteRun of suiteRuns) {
    const { sides, testRuns } = sidesOf(suiteRun, partsOf, settings);
    total += testRuns;
    for (const side of sides) lines.push(...newLine(side, suiteRun, pairs));
  }
  return { settings, lines, total };
}

/** The line that begins with this side; none where it is the second of a pair. */
function newLine(
  side: PlannedSide,
  { pairKeyOf }: SuiteRunToQueue,
  pairs: Map<string, PlannedSide[]>,
): PlannedSide[][] {
  if (pairKeyOf === null) return [[side]];
  const key = pairKeyOf(side.testRun.sortOrder);
  const first = pairs.get(key);
  if (first !== undefined) {
    first.push(side);
    return [];
  }
  const line = [side];
  pairs.set(key, line);
  return [line];
}

/** The sides of a suite run, and for how many test runs they stand. What they share is one object. */
function sidesOf(
  { planned, suiteRunId, variant, caseOf }: SuiteRunToQueue,
  partsOf: WorkSplitter,
  settings: Map<string, string>,
): { sides: Iterable<PlannedSide>; testRuns: number } {
  const sides = new Map<number | string, PlannedSide>();
  const sharedOf = sharing(variant);
  let testRuns = 0;
  for (const testRun of planned.testRuns) {
    const { work, caseName, sortOrder, caseKey, caseHash, repetition } = testRun;
    if (work === null) continue;
    testRuns += 1;
    const place = placeOf(work, sortOrder);
    const known = sides.get(place);
    if (known !== undefined) {
      known.last = Math.max(known.last, repetition);
      continue;
    }
    const { setting, case: part } = partsOf(work);
    settings.set(setting.hash, setting.json);
    const { testCaseId, line } = caseOf(caseName);
    const side: PlannedSide = {
      suiteRunId,
      testCaseId,
      line,
      testRun: { caseName, sortOrder, caseKey, caseHash },
      shared: sharedOf(testRun, setting),
      case: part,
      first: repetition,
      last: repetition,
    };
    sides.set(place, work.contents === undefined ? side : { ...side, contents: work.contents });
  }
  return { sides: sides.values(), testRuns };
}

/** What a test run shares, as one object for all that share the same. */
function sharing(variant: SharedByCases['variant']) {
  const known = new Map<SharedByCases['resolvedVariables'], SharedByCases[]>();
  return ({ instrumentHash, resolvedVariables }: PlannedTestRun, { hash: setting }: WorkPart): SharedByCases => {
    const alike = known.get(resolvedVariables) ?? [];
    const found = alike.find((one) => one.setting === setting && one.instrumentHash === instrumentHash);
    if (found !== undefined) return found;
    const shared = { variant, setting, instrumentHash, resolvedVariables };
    known.set(resolvedVariables, [...alike, shared]);
    return shared;
  };
}

/** What sides share stands with the first of them, and the others name it by its number: it is a third of what a side is. */
type StoredSide = Omit<PlannedSide, 'shared'> & { shared: SharedByCases | number };

/** A side with all that it shares, as coordinators stored it before. */
type WholeSide = Omit<PlannedSide, 'shared' | 'testRun'> &
  Pick<SharedByCases, 'variant' | 'setting'> & {
    testRun: PlannedSide['testRun'] & Pick<SharedByCases, 'instrumentHash' | 'resolvedVariables'>;
  };

/** Lines as JSON. */
export function writePlanLines(lines: readonly PlannedLine[]): string {
  const numbers = new Map<SharedByCases, number>();
  const numbered = (shared: SharedByCases): SharedByCases | number => {
    const known = numbers.get(shared);
    if (known === undefined) numbers.set(shared, numbers.size);
    return known ?? shared;
  };
  const stored = lines.map((line) => line.map((side): StoredSide => ({ ...side, shared: numbered(side.shared) })));
  return JSON.stringify(stored);
}

function readWhole({ variant, setting, testRun, ...own }: WholeSide): PlannedSide {
  const { instrumentHash, resolvedVariables, ...rest } = testRun;
  return { ...own, testRun: rest, shared: { variant, setting, instrumentHash, resolvedVariables } };
}

/** The lines that `writePlanLines` wrote, of this version or an older one. */
export function readPlanLines(text: string): PlannedLine[] {
  const known: SharedByCases[] = [];
  const whole = (shared: SharedByCases | number): SharedByCases => {
    if (typeof shared !== 'number') known.push(shared);
    const found = typeof shared === 'number' ? known[shared] : shared;
    if (found === undefined) throw new Error('a side of the plan shares what no side before it has');
    return found;
  };
  return (JSON.parse(text) as (StoredSide | WholeSide)[][]).map((line) =>
    line.map((side) => ('shared' in side ? { ...side, shared: whole(side.shared) } : readWhole(side))),
  );
}
