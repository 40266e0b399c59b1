import type { CaseWork } from '@proofmark/contracts/case-work';
import type { OwnCheck } from '@proofmark/contracts/checks';
import { parseJson } from '@proofmark/contracts/parse-json';
import { abortScope } from '@proofmark/process/pause';
import { z } from 'zod';
import { type CheckVerdict, checkError } from '../checks/check-verdict.ts';
import type { ServiceCall } from '../drivers/agent-reach.ts';
import { fillHeaders } from '../drivers/service-request.ts';
import { isTooDeep } from '../models/json-depth.ts';
import type { CallResult } from '../models/model-port.ts';
import type { CaseContext, CaseState } from './case-state.ts';

/** Version of what a team's own check is told and answers, whatever carries it. */
const checkProtocol = 'proofmark.check/1';

type Asked = Pick<OwnCheck, 'threshold' | 'config'>;

/** What code is told of a test run. The names of promptfoo stand beside ours, so that its assertions run as they are. */
export type ToldRun = (asked: Asked) => { protocol: string; output: string; context: Record<string, unknown> };

export function toldRun(
  {
    transcript,
    toolCalls,
    usage,
    latencyMs,
    model,
    testInput,
  }: Pick<CaseState, 'transcript' | 'toolCalls' | 'usage' | 'latencyMs' | 'model' | 'testInput'>,
  { work, response, costUsd }: { work: CaseWork; response: string; costUsd: number | null },
): ToldRun {
  const { case: told, agent, resolvedVariables, repetition } = work;
  // Made when code asks for it: most test runs have none, and to find that an answer is no JSON is dear.
  return ({ threshold, config = {} }) => {
    const vars = resolvedVariables.values;
    const messages = transcript.map(({ role, text }) => ({
      role: role === 'agent' ? 'assistant' : role,
      content: text,
    }));
    const output_json = isTooDeep(response) ? undefined : parseJson(response);
    const calls = toolCalls.map(({ id, name, args, result, error }) => ({ id, name, args, result, error }));
    const tokens = usage && {
      prompt_tokens: usage.promptTokens,
      completion_tokens: usage.completionTokens,
      total_tokens: usage.promptTokens + usage.completionTokens,
    };
    const metadata = { tags: told.tags, difficulty: told.difficulty };
    return {
      protocol: checkProtocol,
      output: response,
      context: {
        ...{ input: testInput, expected: told.ground_truth, vars, messages, tool_calls: calls, usage: tokens },
        ...{ output_json, cost_usd: costUsd, latency_ms: latencyMs, config, threshold, repetition },
        agent: { name: agent.name, model },
        case: { name: told.name, tags: told.tags, metadata },
        // The words of promptfoo.
        prompt: testInput,
        test: { description: told.name, vars, metadata },
        metadata,
        providerResponse: {
          ...{ output: response, latencyMs, cost: costUsd, metadata: { toolCalls: calls } },
          tokenUsage: usage && {
            prompt: usage.promptTokens,
            completion: usage.completionTokens,
            total: tokens?.total_tokens,
          },
        },
      },
    };
  };
}

/** Asks code of the team. Whatever keeps it from judging is a fault of the measurement, and never one of the agent. */
export async function judgeByCode(
  check: OwnCheck,
  told: ToldRun,
  { ports, signal }: CaseContext,
): Promise<CheckVerdict> {
  const { code } = ports;
  if (!code) return checkError('Checks in code cannot be asked here');
  const message = told(check);
  using scope = abortScope(signal, check.timeout_ms);
  try {
    const answered = await ask(check, message, { code, signal: scope.signal });
    return answered.ok ? readVerdict(answered.value, check.threshold) : checkError(answered.failure.message);
  } catch (error) {
    if (!scope.timedOut || signal.aborted) throw error;
    return checkError(`${nameOf(check)} took longer than ${check.timeout_ms} ms`);
  }
}

interface Way {
  code: NonNullable<CaseContext['ports']['code']>;
  signal: AbortSignal;
}

async function ask(check: OwnCheck, message: object, { code, signal }: Way): Promise<CallResult<unknown>> {
  switch (check.type) {
    case 'code':
      return await code.ask(
        { module: check.file, export: check.export, as: 'check', sha256: check.sha256 },
        message,
        signal,
      );
    case 'command':
      return await code.ask({ command: check.command }, message, signal);
    case 'http':
      return await post(check, message, { code, signal });
  }
}

async function post(
  check: Extract<OwnCheck, { type: 'http' }>,
  message: object,
  { code, signal }: Way,
): Promise<CallResult<unknown>> {
  const headers = fillHeaders(check.headers ?? {}, {});
  if (!headers.ok) return headers;
  const request: ServiceCall = {
    ...{
      service: { url: check.url },
      url: check.url,
      method: 'POST',
      headers: headers.value,
      accept: 'application/json',
      isTurn: false,
    },
    body: { type: 'application/json', text: JSON.stringify(message) },
    ...(check.secret === undefined ? {} : { sign: check.secret.from_env }),
  };
  const replied = await code.call(request, signal);
  if (!replied.ok) return replied;
  const { text } = replied.value;
  return { ok: true, value: isTooDeep(text) ? undefined : parseJson(text) };
}

function nameOf(check: OwnCheck): string {
  if (check.type === 'code') return check.file;
  return check.type === 'command' ? check.command.join(' ') : check.url;
}

const most = 50;
const text = z.string().transform((given) => given.slice(0, 4_000));
const scores = z
  .record(z.string(), z.number())
  .transform((given) => Object.fromEntries(Object.entries(given).slice(0, most)));

const Part = z.object({
  name: z.string().nullish(),
  metric: z.string().nullish(),
  pass: z.boolean().nullish(),
  score: z.number().nullish(),
  reason: text.nullish(),
});

/** What code may return beside a boolean and a number: our names, and those of promptfoo. */
const Graded = z.object({
  pass: z.boolean().nullish(),
  success: z.boolean().nullish(),
  score: z.number().nullish(),
  reason: text.nullish(),
  metrics: scores.nullish(),
  namedScores: scores.nullish(),
  named_scores: scores.nullish(),
  components: z.array(Part).max(1_000).nullish(),
  componentResults: z.array(Part).max(1_000).nullish(),
  component_results: z.array(Part).max(1_000).nullish(),
  skip: z.boolean().nullish(),
  error: text.nullish(),
});
type Graded = z.infer<typeof Graded>;

const Answer = z.union([
  z.boolean().transform((pass): Graded => ({ pass, score: Number(pass) })),
  z.number().transform((score): Graded => ({ score })),
  Graded,
]);

const resultOf = (answer: unknown): unknown =>
  typeof answer === 'object' && answer !== null && 'result' in answer ? answer.result : answer;

/** The verdict of an answer: a boolean, a number, or both with a reason. Programs may put it under `result`. */
function readVerdict(answer: unknown, threshold: number | undefined): CheckVerdict {
  const inner = resultOf(answer);
  const graded = Answer.safeParse(inner);
  if (!graded.success)
    return checkError(
      `The check returned ${shortly(inner)}: neither true or false, a number, nor { pass, score, reason }`,
    );
  const { error, skip, score, reason } = graded.data;
  if (error) return checkError(error);
  if (skip) return { status: 'skip', details: reason ? { reasoning: reason } : {} };
  const pass = graded.data.pass ?? graded.data.success ?? null;
  if (pass === null && typeof score !== 'number')
    return checkError(`The check returned ${shortly(inner)} without \`pass\` and \`score\``);
  const passed = pass !== false && reaches(score ?? null, { pass, threshold });
  return { status: passed ? 'pass' : 'fail', details: detailsOf(graded.data, { passed, threshold }) };
}

/** Without a threshold any score above 0 will do, and a verdict beside it is enough. */
function reaches(
  score: number | null,
  { pass, threshold }: { pass: boolean | null; threshold: number | undefined },
): boolean {
  if (score === null) return true;
  return threshold === undefined ? pass === true || score > 0 : score >= threshold;
}

function detailsOf(
  graded: Graded,
  { passed, threshold }: { passed: boolean; threshold: number | undefined },
): CheckVerdict['details'] {
  const { score, reason } = graded;
  const metrics = graded.metrics ?? graded.namedScores ?? graded.named_scores;
  const parts = graded.components ?? graded.componentResults ?? graded.component_results;
  const low =
    typeof score === 'number' && threshold !== undefined && score < threshold ? `${score} is below ${threshold}` : '';
  const reasoning = reason || low || (passed ? '' : 'The check says no, and not why');
  return {
    ...(typeof score === 'number' && { score }),
    ...(threshold === undefined ? {} : { threshold }),
    ...(reasoning === '' ? {} : { reasoning }),
    ...(metrics && { metrics }),
    ...(parts && { components: parts.slice(0, most).map(asComponent) }),
  };
}

function asComponent({ name, metric, pass, score, reason }: z.infer<typeof Part>, index: number) {
  const isPassed = pass ?? (score ?? 0) > 0;
  return {
    name: (name ?? metric ?? `part ${index + 1}`).slice(0, 200),
    status: isPassed ? ('pass' as const) : ('fail' as const),
    ...(typeof score === 'number' && { score }),
    ...(reason && { reasoning: reason }),
  };
}

const shortly = (value: unknown): string =>
  value === undefined ? 'nothing' : (JSON.stringify(value) ?? 'nothing').slice(0, 100);
