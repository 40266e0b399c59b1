import type { RunResult } from '@proofmark/client/run';
import type { Sent } from '@proofmark/client/send-operation';
import type { EndedTestRun } from '@proofmark/client/suite-run';
import { ABSession, type ABTestResult, type AgentResponse } from '@proofmark/contracts/ab-session';
import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { CaseWork } from '@proofmark/contracts/case-work';
import type { ExecutionStats } from '@proofmark/contracts/execution-stats';
import {
  inputOf,
  isJudged,
  measuredModel,
  questionKey,
  questionMetadata,
  responseOf,
  statusMetadata,
  unanswered,
} from '@proofmark/domain/questions';
import { countInvocation, noExecutions } from '@proofmark/domain/summarize-session';
import type { ComparisonStore } from '@proofmark/embedded/comparison-store';
import { PageRefused, pagesOf } from './keep-result.ts';
import type { OpenCoordinator } from './open-coordinator.ts';

interface KeptComparison {
  coordinator: OpenCoordinator;
  runId: string;
  store: ComparisonStore;
  /** What is known of the session before anything was answered. */
  session: Pick<ABSession, 'session_id' | 'start_time' | 'llms_source_path' | 'environment' | 'notes'>;
  contextTokens: number;
  onPair: (event: { result: ABTestResult; done: number; total: number }) => void;
}

/** Fetches both sides of an ended run and keeps them as a comparison in this process keeps its own: the same files. */
export async function keepComparison(kept: KeptComparison): Promise<Sent<ABSession | null>> {
  const { coordinator, runId, store, session } = kept;
  const run = await coordinator.lasting.runResult(runId);
  if (!run.ok) return run;
  if (run.answer === null) return { ok: true, answer: null };
  const suiteRuns = run.answer.suiteRuns.filter(({ purpose }) => purpose === 'first');
  const read = await readSides(coordinator, suiteRuns);
  if (!read.ok) return read;
  const { baseline, candidate } = read.answer;
  const pairs = [...candidate].flatMap(([key, second]) => {
    const first = baseline.get(key);
    return first === undefined ? [] : [{ first, second }];
  });
  let stats = noExecutions();
  const results: ABTestResult[] = [];
  for (const { first, second } of pairs) {
    const answered = answeredPair(first, second);
    stats = [first, second].reduce(countTries, stats);
    const result: ABTestResult = {
      ...answered,
      context_tokens: kept.contextTokens,
      // The time names the file, so no two results may have the same.
      timestamp: new Date(Date.parse(session.start_time) + results.length).toISOString(),
      session_id: session.session_id,
    };
    await store.saveResult(result);
    results.push(result);
    kept.onPair({ result, done: results.length, total: pairs.length });
  }
  await store.saveStats(session.session_id, stats);
  const isWhole = run.answer.status === 'completed' && pairs.length === Math.max(baseline.size, candidate.size);
  const comparison = ABSession.parse({
    ...session,
    ...named('baseline_model', [...baseline.values()]),
    ...named('candidate_model', [...candidate.values()]),
    end_time: isWhole ? new Date().toISOString() : null,
    results,
  });
  await store.saveComparison(comparison);
  return { ok: true, answer: comparison };
}

type SuiteRun = RunResult['suiteRuns'][number];

/** One side of a question as the coordinator kept it. */
interface KeptAnswer {
  suiteRun: SuiteRun;
  testRun: Pick<EndedTestRun, 'caseName' | 'repetition'>;
  /** Null: it was never asked, or is no longer kept. */
  work: CaseWork | null;
  outcome: CaseOutcome | null;
}

type Sides = Record<'baseline' | 'candidate', Map<string, KeptAnswer>>;

async function readSides({ lasting }: OpenCoordinator, suiteRuns: readonly SuiteRun[]): Promise<Sent<Sides>> {
  const sides: Sides = { baseline: new Map(), candidate: new Map() };
  try {
    for (const suiteRun of suiteRuns) {
      const side = sides[suiteRun.variant === 'baseline' ? 'baseline' : 'candidate'];
      for await (const { testRuns } of pagesOf(lasting, suiteRun.id)) {
        const asked = testRuns.filter(({ skipReason }) => skipReason === null);
        for (const testRun of asked) side.set(...keptAnswer(suiteRun, testRun));
      }
    }
  } catch (error) {
    if (error instanceof PageRefused) return { ok: false, error: error.refusal };
    throw error;
  }
  return { ok: true, answer: sides };
}

function keptAnswer(suiteRun: SuiteRun, { caseName, repetition, work, outcome }: EndedTestRun): [string, KeptAnswer] {
  const key = questionKey({ ...placeOf(suiteRun), caseName, repetition });
  const read = { work: CaseWork.safeParse(work).data ?? null, outcome: CaseOutcome.safeParse(outcome).data ?? null };
  return [key, { suiteRun, testRun: { caseName, repetition }, ...read }];
}

const placeOf = ({ suiteName, suitePath, cellKey }: SuiteRun) => ({ suiteName, suitePath: suitePath ?? '', cellKey });

function answeredPair(
  first: KeptAnswer,
  second: KeptAnswer,
): Pick<ABTestResult, 'question' | 'baseline' | 'candidate' | 'metadata'> {
  const testCase = (first.work ?? second.work)?.case;
  const place = { ...placeOf(first.suiteRun), ...first.testRun };
  const judged = [first, second].some(({ work }) => work !== null && isJudged(work));
  const statuses = {
    baseline: first.outcome?.status ?? 'error',
    candidate: second.outcome?.status ?? 'error',
  } as const;
  return {
    question: testCase === undefined ? first.testRun.caseName : inputOf(testCase),
    baseline: responseTo(first),
    candidate: responseTo(second),
    metadata: {
      ...questionMetadata(place, testCase),
      order: 'baseline_first',
      ...(judged ? statusMetadata(statuses) : {}),
      ...errorType('baseline', first),
      ...errorType('candidate', second),
    },
  };
}

function responseTo({ work, outcome }: KeptAnswer): AgentResponse {
  if (outcome === null) return unanswered('The coordinator has no result of it', new Date());
  return responseOf(outcome, {
    model: work === null ? 'unknown' : measuredModel(work),
    whole: outcome.response,
    usage: outcome.usage,
  });
}

/** What left a side without an answer: of an error a runner keeps what kind it was, and no class. */
const failureOf = ({ outcome }: KeptAnswer): string | null =>
  outcome === null || outcome.status !== 'error' || outcome.errorKind === 'judge' ? null : outcome.errorKind;

function errorType(side: 'baseline' | 'candidate', answer: KeptAnswer): Record<string, string> {
  const failure = failureOf(answer);
  return failure === null ? {} : { [`${side}_error_type`]: failure };
}

/** Counts the tries of one side: what became of those before the last is not kept. */
function countTries(stats: ExecutionStats, answer: KeptAnswer): ExecutionStats {
  const { work, outcome } = answer;
  if (work === null || outcome === null) return stats;
  const model = measuredModel(work);
  const tries = Array.from({ length: outcome.retryCount + 1 }, (_, retriesDone) => ({
    ...{ model, retriesDone },
    failure: retriesDone < outcome.retryCount ? 'unknown' : failureOf(answer),
  }));
  return tries.reduce(countInvocation, stats);
}

/** Without a known model the seed's own name stays. */
function named(key: string, answers: readonly KeptAnswer[]): Record<string, string> {
  const models = [...new Set(answers.flatMap(({ work }) => (work === null ? [] : [measuredModel(work)])))];
  return models.length === 0 ? {} : { [key]: models.join(', ') };
}
