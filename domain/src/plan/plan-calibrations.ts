import { AgentDefinition } from '@proofmark/contracts/agent-file';
import type { Calibration, LabelledAnswer } from '@proofmark/contracts/calibration';
import { canonicalJson } from '@proofmark/contracts/canonical-json';
import type { CaseLimits, CaseWork, Instrument } from '@proofmark/contracts/case-work';
import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/loaded';
import type { RecordedConversation } from '@proofmark/contracts/recorded-conversation';
import { TestCase } from '@proofmark/contracts/test-case';
import { buildInstrument } from './build-instrument.ts';
import { caseHash, instrumentHash, judgeHash, judgesOf } from './content-hashes.ts';
import type { PlannedSuiteRun } from './plan-suite-runs.ts';
import type { PlannedTestRun } from './plan-test-runs.ts';

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

/**
 * A test run for each labelled answer: a conversation that was had already, and one outcome that is expected of it. What a
 * person thought of the answer is not in the work, so that nobody who judges can read it.
 */
export function calibrationTestRuns(
  { loaded, calibration, instrument }: Omit<PlannedCalibration, 'judgeHash'>,
  limits: CaseLimits,
): PlannedTestRun[] {
  const { path, digest } = calibration;
  const measured = judgeAlone(instrument);
  const hash = instrumentHash(measured, limits);
  return calibration.answers.map(({ line, answer }, index) => {
    const testCase = labelledCase(answer);
    const work: CaseWork = {
      suiteName: loaded.suite.name,
      suitePath: loaded.path,
      variant: 'head',
      cellKey: '',
      repetition: index + 1,
      seed: digest,
      case: testCase,
      agent: nobody,
      model: null,
      instrument: measured,
      resolvedVariables: noVariables,
      limits,
      recorded: conversationOf(answer, `${path}:${line}`),
    };
    return {
      caseName: `${path}:${line}`,
      sortOrder: index,
      repetition: index + 1,
      caseKey: canonicalJson([path, digest, line]),
      caseHash: caseHash(testCase, []),
      instrumentHash: hash,
      resolvedVariables: noVariables,
      work,
      decided: null,
    };
  });
}

const noVariables = { values: {}, sources: {} };

/** Whoever answered is not asked. */
const nobody = AgentDefinition.parse({
  ...{ name: 'Recorded', instructions: '', ai_configuration: null },
  driver: { type: 'scripted', replies: [{ reply: 'recorded' }] },
});

function judgeAlone({ judge, panel, mockSettings }: Instrument): Instrument {
  return {
    judge,
    ...(panel === undefined ? {} : { panel }),
    ...{ embedding: null, simulator: null, evaluations: null, mocks: [], mockSettings },
  };
}

/** Nothing that could tell the judge what a person thought of the answer, or which answer it is. */
const labelledCase = ({ criterion }: LabelledAnswer): TestCase =>
  TestCase.parse({ name: 'Conversation', kind: 'single', expected_outcomes: { criterion } });

function conversationOf({ response, transcript }: LabelledAnswer, name: string): RecordedConversation {
  const turns = transcript ?? [{ role: 'agent' as const, text: response ?? '' }];
  const last = turns.findLast(({ role }) => role === 'agent')?.text ?? '';
  return {
    ...{ testRunId: name, testInput: '', files: [], response: last, transcript: turns, toolCalls: [] },
    ...{ model: null, usage: null, latencyMs: null, retryCount: 0, flags: [], error: null },
  };
}
