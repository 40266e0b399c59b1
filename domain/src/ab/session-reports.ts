import type { ABSession, ABTestResult, AgentResponse } from '@proofmark/contracts/ab-session';
import { TestReport, type TestResult } from '@proofmark/contracts/test-report';
import { placeEnvironment } from '../report/report-place.ts';
import { summarize } from '../report/summarize.ts';
import type { ReportWithFacts, TestRunFacts } from '../report-html/page-shapes.ts';
import { givenMetadata, sessionMeasures } from './session-files.ts';

type Side = 'baseline' | 'candidate';

/**
 * A session as reports, one per suite, cell and side, so that it can be read in every format. It keeps of each answer
 * whether it passed and not why; one that nobody judged passes when it came. Empty while nothing was answered.
 */
export function sessionReports(session: ABSession, version: string): ReportWithFacts[] {
  const groups = Map.groupBy(session.results, ({ metadata }) =>
    JSON.stringify([text(metadata.suite), text(metadata.cell)]),
  );
  return [...groups.values()].flatMap((results) =>
    (['candidate', 'baseline'] as const).map((side) => reportOf(session, { results, side, version })),
  );
}

interface OneSide {
  results: readonly ABTestResult[];
  side: Side;
  version: string;
}

function reportOf(session: ABSession, { results, side, version }: OneSide): ReportWithFacts {
  const metadata: ABTestResult['metadata'] = results[0]?.metadata ?? {};
  const tested = results.map((result) => testResult(result, side));
  const { suite = `Session ${session.session_id}`, suite_path: path = '' } = metadata;
  const source = side === 'candidate' && session.llms_source_path !== '' ? session.llms_source_path : text(path);
  const report = TestReport.parse({
    agent_name: side === 'baseline' ? session.baseline_model : session.candidate_model,
    agent_config_path: source === '' ? `session ${session.session_id}` : source,
    results: tested,
    summary: summarize(tested),
    skipped: [],
    timestamp: session.end_time ?? session.start_time,
    proofmark_version: version,
    environment: {
      ...session.environment,
      ...placeEnvironment({ suite: text(suite), cell: text(metadata.cell), variant: side }),
    },
  });
  const unexplained = report.results.flatMap(({ passed, errors }, at) =>
    passed || errors.length > 0 ? [] : [[at, ['did not pass its checks; a session does not keep why']] as const],
  );
  return {
    report,
    reasons: new Map(unexplained),
    facts: new Map(results.map((result, at) => [at, factsOf(result, side)])),
  };
}

function testResult({ question, metadata, timestamp, ...sides }: ABTestResult, side: Side): TestResult {
  const { response, error, latency_ms } = sides[side];
  const status = text(metadata[`${side}_status`]);
  return {
    test_name: text(metadata.case) || null,
    test_input: question === '' ? '(empty)' : question,
    processed_files: [],
    agent_response: error === null ? response : null,
    tool_calls: [],
    expected_tools: null,
    tools_matched: null,
    metric_results: [],
    ground_truth: null,
    passed: error === null && (status === '' || status === 'passed'),
    execution_time_ms: Math.round(latency_ms),
    errors: error !== null ? [error] : status === 'error' ? ['The answer could not be judged'] : [],
    timestamp,
  };
}

function factsOf(result: ABTestResult, side: Side): TestRunFacts {
  const { metadata, ...sides } = result;
  const { repetition } = metadata;
  const { latency_ms: latencyMs, error, retry_count: retries } = sides[side];
  return {
    repetition: typeof repetition === 'number' ? repetition : 1,
    latencyMs: error === null ? latencyMs : null,
    tokens: tokensOf(sides[side]),
    costUsd: null,
    named: [...measuresOf(result, side), ['retry_count', String(retries)], ...givenMetadata(metadata)],
  };
}

/** What of the row of its CSV concerns one side, and with the candidate what compares it with the baseline. */
function measuresOf(result: ABTestResult, side: Side): [name: string, value: string][] {
  const other = side === 'baseline' ? 'candidate_' : 'baseline_';
  return sessionMeasures(result).flatMap(([name, value]) => {
    if (name.startsWith(other) || (side === 'baseline' && !name.startsWith('baseline_'))) return [];
    return [[name.replace(`${side}_`, ''), String(value)]];
  });
}

/** Tokens that nobody reported are 0. */
function tokensOf({ prompt_tokens, completion_tokens }: AgentResponse): number | null {
  const tokens = prompt_tokens + completion_tokens;
  return tokens === 0 ? null : tokens;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
