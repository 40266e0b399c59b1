import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { ResolvedVariables } from '@proofmark/contracts/variables';
import type { PlannedSuiteRun } from '../plan/plan-suite-runs.ts';
import type { PlannedTestRun } from '../plan/plan-test-runs.ts';
import type { RecordingGap } from './plan-rejudging.ts';

/** What an agent once said, without the words: who said it, to which question, and whether all of it is there. */
export interface KeptAnswer {
  repetition: number;
  /** Equal for two test runs that ask the same. */
  question: string;
  /** Null: all of it is there. */
  gap: RecordingGap | null;
  agent: AgentDefinition;
  model: ModelSettings | null;
  resolvedVariables: ResolvedVariables;
  seed: string;
}

/** Why a stored answer is not judged anew, as it stands in results; reports have the words for each. */
export type NotRescored = 'no_answer' | 'other_question' | 'answer_cut';

/** The answers of one suite run of then, by the name of the case. */
export interface AnsweredSuiteRun<Answer extends KeptAnswer> {
  agentHash: string;
  settingKey: string;
  answersOf: (caseName: string) => readonly Answer[];
}

/**
 * Everything that decides what is said, the agent apart: the question with its files, what simulated people and tools are
 * told. What is expected of the answer, and who judges it, is no part of it.
 */
export function questionHash({ case: testCase, contents, instrument, limits }: CaseWork): string {
  const { kind, input, messages, turns, files, persona, initial_message, user_context, max_turns } = testCase;
  // In the order of their names, in which they are hashed.
  return contentHash({
    contents: contents ?? [],
    files: files.map(({ description: _description, cache: _cache, ...file }) => file),
    initial_message,
    input,
    kind,
    max_turns,
    messages,
    persona,
    played: playedHash(instrument),
    turnLimit: limits.maxTurns,
    turns: turns?.map(({ user }) => user),
    user_context,
  });
}

const playedHashes = new WeakMap<CaseWork['instrument'], string>();

/** Tools and people that are played. All test runs of a suite share them, and a cassette may be long: they are hashed once. */
function playedHash(instrument: CaseWork['instrument']): string {
  const known = playedHashes.get(instrument);
  if (known !== undefined) return known;
  const { mocks, mockSettings, simulator, cassette } = instrument;
  const { cassette: _place, ...told } = mockSettings;
  const hash = contentHash({ mocks, told, simulator, cassette });
  playedHashes.set(instrument, hash);
  return hash;
}

/**
 * A suite run of today's definitions on the answers of then: a test run for each answer, in the order of the repetitions,
 * by the agent that gave it. Of a case that has none, or whose answers are to another question, the reason stands in its
 * place: nobody is asked anew. `keep` is told which answer a test run judges.
 */
export function planRescoring<Answer extends KeptAnswer>(
  planned: PlannedSuiteRun,
  then: AnsweredSuiteRun<Answer> | null,
  keep: (testRun: PlannedTestRun, answer: Answer) => void,
): PlannedSuiteRun {
  const rescored = planned.testRuns
    .filter(({ repetition }) => repetition === 1)
    .flatMap((template) => {
      if (template.decided !== null) return [template];
      const answers = then?.answersOf(template.caseName) ?? [];
      if (answers.length === 0) return [skipped(template, 1, 'no_answer')];
      return answers.map((answer) => testRunOf(template, answer, keep));
    });
  const testRuns = rescored.toSorted((a, b) => a.repetition - b.repetition || a.sortOrder - b.sortOrder);
  if (then === null) return { ...planned, testRuns };
  // Who answered then is what the results belong to, whatever the agent has become since.
  return { ...planned, agentHash: then.agentHash, settingKey: then.settingKey, testRuns };
}

function testRunOf<Answer extends KeptAnswer>(
  template: PlannedTestRun,
  answer: Answer,
  keep: (testRun: PlannedTestRun, answer: Answer) => void,
): PlannedTestRun {
  const { repetition, agent, model, resolvedVariables, seed } = answer;
  if (template.work === null || questionHash(template.work) !== answer.question) {
    return skipped(template, repetition, 'other_question');
  }
  if (answer.gap !== null) return skipped(template, repetition, 'answer_cut');
  const work = { ...template.work, agent, model, resolvedVariables, seed, repetition };
  const testRun = { ...template, repetition, resolvedVariables, work };
  keep(testRun, answer);
  return testRun;
}

const skipped = (template: PlannedTestRun, repetition: number, reason: NotRescored): PlannedTestRun => ({
  ...template,
  repetition,
  resolvedVariables: null,
  work: null,
  decided: { status: 'skipped', reason },
});
