import type { Calibration } from '@proofmark/contracts/calibration';
import type { Instrument } from '@proofmark/contracts/case-work';
import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/load-definitions';
import { buildInstrument } from './build-instrument.ts';
import { judgeHash, judgesOf } from './judge-hash.ts';
import type { PlannedSuiteRun } from './plan-suite-runs.ts';

/** A judge of a run that is to be held against labelled answers. */
export interface PlannedCalibration {
  loaded: LoadedSuite;
  calibration: Calibration;
  instrument: Instrument;
  judgeHash: string;
}

/** The judges of all suites that name labelled answers, as far as they judge anything in this run. */
export function planCalibrations(
  { suites, project }: LoadedDefinitions,
  suiteRuns: readonly PlannedSuiteRun[],
): PlannedCalibration[] {
  const judged = new Set(suiteRuns.filter(isJudged).map(({ suitePath }) => suitePath));
  return suites.flatMap((loaded) => {
    const { calibration, path } = loaded;
    if (calibration === undefined || !judged.has(path)) return [];
    const built = buildInstrument(loaded, project);
    if (!built.ok) return [];
    const { instrument } = built;
    return [{ loaded, calibration, instrument, judgeHash: judgeHash(judgesOf(instrument)) }];
  });
}

const isJudged = ({ variant, testRuns }: PlannedSuiteRun): boolean =>
  variant !== 'baseline' && testRuns.some(({ work }) => work !== null && judgesOf(work.instrument).length > 0);
