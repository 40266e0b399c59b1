import type {
  CheckResult,
  ConversationFacts,
  MetricDetail,
  MetricResult,
  OutcomesVerdict,
  TokenUsage,
  ToolCall,
  ToolMatch,
  TranscriptTurn,
} from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { ErrorKind } from '@proofmark/contracts/error-kind';
import type { ProcessedFileInput } from '@proofmark/contracts/processed-file';
import { cutError } from '@proofmark/domain/kept-text';
import type { TestRunProgress } from '@proofmark/domain/lifecycle';
import type { RetryPolicy } from '@proofmark/domain/retry-policy';
import type { AgentTurn } from '../drivers/agent-driver.ts';
import type { AgentReach } from '../drivers/agent-reach.ts';
import type { FileReader } from '../files/file-reader.ts';
import type { ImagePart, ModelPort } from '../models/model-port.ts';
import type { FinishedTry, RetryPorts } from '../retry/try-again.ts';
import type { Cassette } from '../tools/simulate-tool.ts';
import type { MockedTools } from '../tools/tool-box.ts';

/** For whoever measures agents: how often to ask, and what is told of each try and each answer. */
export interface AgentWatch {
  /** How often an agent is asked for one turn, and how patiently; absent: 3 times. */
  retry?: Pick<RetryPolicy, 'maxAttempts' | 'initialDelayMs' | 'backoffFactor'>;
  tried?: (told: FinishedTry) => void;
  /** An answer as it came: the outcome holds it cut to what is stored. */
  answered?: (answer: Pick<AgentTurn, 'text' | 'usage'>) => void;
}

export interface CasePorts extends RetryPorts {
  models: ModelPort;
  watch?: AgentWatch;
  /** Absent where no agent outside this process may be reached. */
  reach?: AgentReach;
  /** Code of the team that judges; absent where none may be asked. */
  code?: Pick<AgentReach, 'ask' | 'call'>;
  /** Why it is no use to begin: something that the work asks is given up for the rest of the run. */
  givenUp?: (work: CaseWork) => { kind: ErrorKind; message: string } | undefined;
  /** Absent where no files can be read. */
  files?: FileReader;
  /** What models have written in this run that must stay the same in all of it; absent: only what the work holds. */
  cassette?: Cassette;
  /** Told of every step forward, in the words of seed 000. */
  progressed?: (progress: TestRunProgress) => void;
  clock: { now(): Date; monotonicMs(): number };
}

/** What one attempt at a test run has yielded so far; each step returns the next one. */
export interface CaseState {
  testInput: string;
  files: readonly ProcessedFileInput[];
  /** Pictures among them, for drivers that take pictures. */
  images: readonly ImagePart[];
  response: string | null;
  transcript: readonly TranscriptTurn[];
  /** Null for a single-turn case. */
  conversation: ConversationFacts | null;
  toolCalls: readonly ToolCall[];
  tools: ToolMatch;
  checks: readonly CheckResult[];
  /** What the `expected_behavior` block as a whole says; null without one. */
  behavior: CheckResult['status'] | null;
  metrics: readonly MetricResult[];
  metricDetails: readonly MetricDetail[];
  /** Null before the judge was asked, and for a case without outcomes. */
  outcomes: OutcomesVerdict | null;
  model: string | null;
  usage: TokenUsage | null;
  /** What the agent says that it cost; null: it is computed from the usage. */
  toldCostUsd: number | null;
  latencyMs: number | null;
  retryCount: number;
  flags: readonly string[];
  /** Set once; the steps after it are left out, except the one that compares the tool calls. */
  error: { kind: ErrorKind; message: string } | null;
}

export interface CaseContext {
  work: CaseWork;
  ports: Omit<CasePorts, 'models'>;
  /** Those of the ports, behind the meter of the side that asks. */
  models: ModelPort;
  /** Keeps every tool call, also those of a conversation that broke. */
  tools: MockedTools;
  /** Ends with the cancellation or with the case deadline. */
  signal: AbortSignal;
  deadlineAtMs: number;
}

/** Most cases need few of the steps: what there is nothing to do for answers at once, for a promise costs more than the question. */
export type CaseStep = (state: CaseState, context: CaseContext) => CaseState | Promise<CaseState>;

export function startState({ case: testCase }: CaseWork): CaseState {
  return {
    testInput: testCase.input ?? testCase.initial_message ?? testCase.name,
    files: [],
    images: [],
    response: null,
    transcript: [],
    conversation: null,
    toolCalls: [],
    tools: { matched: null, problems: [] },
    checks: [],
    behavior: null,
    metrics: [],
    metricDetails: [],
    outcomes: null,
    model: null,
    usage: null,
    toldCostUsd: null,
    latencyMs: null,
    retryCount: 0,
    flags: [],
    error: null,
  };
}

/** The state with the error that ends it; an agent may have written its message, at any length. */
export function withError(state: CaseState, kind: ErrorKind, message: string): CaseState {
  const kept = cutError(message);
  const flags = kept === message ? state.flags : [...state.flags, 'evidence_cut'];
  return { ...state, flags, error: { kind, message: kept } };
}

/** The case deadline came while a measuring call was pending: what was found until then is kept. Anything else is thrown on. */
export function overtime(
  state: CaseState,
  { work, signal }: Pick<CaseContext, 'work' | 'signal'>,
  error: unknown,
): CaseState {
  if (!signal.aborted) throw error;
  return withError(state, 'judge', `The test run took longer than ${work.limits.caseTimeoutMs} ms`);
}
