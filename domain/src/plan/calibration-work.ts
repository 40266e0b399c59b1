import { AgentDefinition } from '@proofmark/contracts/agent-file';
import type { LabelledAnswer } from '@proofmark/contracts/calibration';
import { canonicalJson } from '@proofmark/contracts/canonical-json';
import type { CaseLimits, CaseWork, Instrument } from '@proofmark/contracts/case-work';
import type { RecordedConversation } from '@proofmark/contracts/recorded-conversation';
import { TestCase } from '@proofmark/contracts/test-case';
import { caseHash, instrumentHash } from './content-hashes.ts';
import type { PlannedCalibration } from './plan-calibrations.ts';
import type { PlannedTestRun } from './plan-test-runs.ts';

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
