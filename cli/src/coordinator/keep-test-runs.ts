import type { ClientError, Sent } from '@proofmark/client/client-error';
import type { CoordinatorClient } from '@proofmark/client/coordinator-client';
import type { EndedTestRun, TestRunPage } from '@proofmark/client/suite-run-test-runs';
import type { LoadedSuite } from '@proofmark/contracts/load-definitions';
import { ResultLine } from '@proofmark/embedded/result-line';
import { writeResults } from '@proofmark/embedded/write-results';

interface Question {
  client: Pick<CoordinatorClient, 'suiteRunTestRuns'>;
  runId: string;
  suiteRun: { id: string; suiteName: string; suitePath: string | null; cellKey: string; variant: string };
  loaded: LoadedSuite | undefined;
  /** The results file to write. */
  path: string;
}

/** A page could not be had; the file is not written then. */
class PageRefused extends Error {
  readonly refusal: ClientError;

  constructor(refusal: ClientError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/**
 * Writes every executed test run of a suite run of the coordinator to a results file like that of a run in this process:
 * what it was given and what came of it. How many they are.
 */
export async function keepTestRuns(question: Question): Promise<Sent<number>> {
  try {
    return { ok: true, answer: await writeResults(question.path, resultLines(question)) };
  } catch (error) {
    if (!(error instanceof PageRefused)) throw error;
    return { ok: false, error: error.refusal };
  }
}

async function* resultLines(question: Question): AsyncGenerator<ResultLine> {
  const { client, suiteRun } = question;
  let after: string | null = null;
  do {
    const sent: Sent<TestRunPage | null> = await client.suiteRunTestRuns(suiteRun.id, after);
    if (!sent.ok) throw new PageRefused(sent.error);
    if (sent.answer === null) return;
    for (const testRun of sent.answer.testRuns) {
      const line = lineOf(testRun, sent.answer, question);
      if (line !== undefined) yield line;
    }
    after = sent.answer.next;
  } while (after !== null);
}

/** Undefined for what was never executed, and for what is no longer kept. */
function lineOf(
  { caseName, caseHash, instrumentHash, sortOrder, repetition, skipReason, work, outcome }: EndedTestRun,
  { agentHash, settingKey }: TestRunPage,
  { runId, suiteRun, loaded }: Question,
): ResultLine | undefined {
  if (skipReason !== null) return undefined;
  const testCase = loaded?.suite.cases.find(({ name }) => name === caseName);
  const line = {
    run_id: runId,
    suite: suiteRun.suiteName,
    suite_path: suiteRun.suitePath ?? '',
    cell: suiteRun.cellKey,
    variant: suiteRun.variant,
    case_name: caseName,
    sort_order: sortOrder,
    ...{ repetition, outcome },
    case_hash: caseHash,
    instrument_hash: instrumentHash,
    agent_hash: agentHash,
    setting_key: settingKey,
    work: work ?? null,
    case: work == null ? (testCase ?? null) : null,
  };
  const isWhole = work != null || testCase !== undefined;
  return isWhole ? ResultLine.safeParse(line).data : undefined;
}
