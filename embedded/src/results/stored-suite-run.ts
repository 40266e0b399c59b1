import type { CassetteEntry } from '@proofmark/contracts/cassette';
import type { MeasuredJudge } from '@proofmark/contracts/judge-measurement';
import type { VerdictSettings } from '@proofmark/contracts/verdict';
import type { AnsweredTrial } from '@proofmark/domain/compare-answers';
import type { Trial } from '@proofmark/domain/decide-verdict';

/** One suite run as it was kept: what a comparison needs of it. */
export interface StoredSuiteRun {
  /** What it is called, for people and to find its partner. */
  suiteName: string;
  cellKey: string;
  trials: Trial[];
  /** By the name of the case. */
  answers: Map<string, AnsweredTrial[]>;
  /** What simulated tools answered, by the key of the call, and steps that were written for metrics. */
  heard: Map<string, CassetteEntry>;
  /** The gate that it was judged by; null when that was not kept. */
  settings: VerdictSettings | null;
  /** What labelled answers said about its judge; null when there were none, or when that was not kept. */
  judge: MeasuredJudge | null;
  /** Where everything of it stands; null when there is only a report. */
  resultsPath: string | null;
}

/** As much of an answer as a comparison shows. */
const answerCharacters = 2_000;

export function keepAnswer(suiteRun: StoredSuiteRun, caseName: string, { answer, ...trial }: AnsweredTrial): void {
  const known = suiteRun.answers.get(caseName) ?? [];
  known.push({ ...trial, answer: answer?.slice(0, answerCharacters) ?? null });
  suiteRun.answers.set(caseName, known);
}
