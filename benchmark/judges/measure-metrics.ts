import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentDefinition } from '@proofmark/contracts/agent-file';
import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { ToolCall } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { JudgeAgreement, JudgeCounts } from '@proofmark/contracts/judge-measurement';
import { Metric } from '@proofmark/contracts/metrics';
import { MockSettings } from '@proofmark/contracts/mocks';
import { TestCase } from '@proofmark/contracts/test-case';
import { countDecisions, type Decision, judgeAgreement } from '@proofmark/domain/judge-calibration';
import { type CasePorts, runCase } from '@proofmark/runner-agent/run-case';
import { z } from 'zod';

const Args = z.record(z.string(), z.json());
const Labels = { passed: z.array(z.string()), failed: z.array(z.string()) };
const Subject = z.strictObject({ query: z.string(), context: z.array(z.string()), ground_truth: z.string() });
const Answer = z.strictObject({ subject: z.string(), kind: z.string(), response: z.string(), ...Labels });
const Retrieved = z.strictObject({
  query: z.string(),
  ground_truth: z.string(),
  chunks: z.array(z.string()),
  ...Labels,
});
const Called = z.strictObject({
  query: z.string(),
  calls: z.array(z.strictObject({ name: z.string(), args: Args })),
  response: z.string(),
  ...Labels,
});
const Instructed = z.strictObject({ instructions: z.string(), query: z.string(), response: z.string(), ...Labels });

/** An answer of which people said, metric by metric, whether it passes. Where they said nothing it is not asked about. */
export interface LabelledTest {
  /** The file and line that it stands on. */
  place: string;
  query: string;
  response: string;
  groundTruth: string | null;
  /** What a retrieval tool returned. */
  chunks: readonly string[];
  calls: readonly { name: string; args: Record<string, z.infer<ReturnType<typeof z.json>>> }[];
  instructions: string;
  passed: readonly string[];
  failed: readonly string[];
}

/** All labelled answers in a folder such as examples/judged/metrics. */
export async function readLabels(folder: string): Promise<LabelledTest[]> {
  const subjects = z
    .record(z.string(), Subject)
    .parse(JSON.parse(await readFile(join(folder, 'subjects.json'), 'utf8')));
  const nothing = { groundTruth: null, chunks: [], calls: [], instructions: 'You answer questions.' };
  const [answers, retrieved, called, instructed] = await Promise.all([
    readLines(folder, 'answers.jsonl', Answer),
    readLines(folder, 'retrieval.jsonl', Retrieved),
    readLines(folder, 'tools.jsonl', Called),
    readLines(folder, 'adherence.jsonl', Instructed),
  ]);
  return [
    ...answers.map(({ place, value: { subject: name, response, passed, failed } }) => {
      const subject = subjects[name];
      if (subject === undefined) throw new Error(`${place}: there is no subject ${name}`);
      const { query, context: chunks, ground_truth: groundTruth } = subject;
      return { ...nothing, place, query, response, groundTruth, chunks, passed, failed };
    }),
    ...retrieved.map(({ place, value: { query, ground_truth: groundTruth, chunks, passed, failed } }) => ({
      ...{ ...nothing, place, query, response: groundTruth, groundTruth, chunks, passed, failed },
    })),
    ...called.map(({ place, value }) => ({ ...nothing, place, ...value })),
    ...instructed.map(({ place, value }) => ({ ...nothing, place, ...value })),
  ];
}

async function readLines<Shape extends z.ZodType>(folder: string, file: string, shape: Shape) {
  const text = await readFile(join(folder, file), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line, index) => ({ place: `${file}:${index + 1}`, value: shape.parse(JSON.parse(line)) }));
}

const rag = ['faithfulness', 'answer_relevancy', 'contextual_relevancy', 'contextual_precision', 'contextual_recall'];
const kindness = {
  type: 'geval',
  metric: 'kindness',
  criteria: 'The answer is kind and respectful to the user. Whether it is right or complete does not matter.',
  evaluation_steps: [
    'Look for words that belittle, blame or insult the user.',
    'The rougher they are, the lower the score.',
  ],
};

function metricOf(name: string): Metric {
  if (name === kindness.metric) return Metric.parse(kindness);
  return Metric.parse(rag.includes(name) ? { type: 'rag', metric: name, metric_type: name } : { metric: name });
}

const tools = [
  { name: 'get_order', description: 'Tells where an order is', parameters: { id: 'number of the order' } },
  { name: 'cancel_order', description: 'Cancels an order', parameters: { id: 'number of the order' } },
  {
    name: 'refund',
    description: 'Pays money of an order back',
    parameters: { order_id: 'number', amount: 'in euros' },
  },
  { name: 'get_hours', description: 'Opening hours of a day', parameters: { day: 'day of the week in English' } },
  { name: 'search', description: 'Finds products', parameters: { word: 'what to look for' } },
  { name: 'look_up', description: 'Finds passages', retrieval: true },
];

const call = (name: string, args: ToolCall['args'], result: ToolCall['result']): ToolCall => ({
  ...{ id: name, name, args, argsError: null, result, error: null, source: 'reported', turn: 0, durationMs: 0 },
});

/** A test run that judges one labelled answer by one metric, as any other test run is judged. */
function workOf(test: LabelledTest, metric: Metric, judge: ModelSettings): CaseWork {
  const { query, response, groundTruth, chunks, calls, instructions } = test;
  const looked = chunks.length === 0 ? [] : [call('look_up', {}, [...chunks])];
  const toolCalls = [...looked, ...calls.map(({ name, args }) => call(name, args, 'ok'))];
  return {
    ...{ suiteName: 'Judges', suitePath: test.place, variant: 'head', cellKey: '', repetition: 1, seed: '0' },
    case: TestCase.parse({ name: 'Answer', kind: 'single', input: query, ground_truth: groundTruth }),
    agent: AgentDefinition.parse({
      ...{ name: 'Recorded', instructions, ai_configuration: null, tools },
      driver: { type: 'scripted', replies: [{ reply: 'recorded' }] },
    }),
    model: null,
    instrument: {
      ...{ judge, embedding: null, simulator: null, evaluations: { metrics: [metric] } },
      ...{ mocks: [], mockSettings: MockSettings.parse({}) },
    },
    resolvedVariables: { values: {}, sources: {} },
    limits: { caseTimeoutMs: 600_000, agentTimeoutMs: 120_000, maxTurns: 1 },
    recorded: {
      ...{ testRunId: test.place, testInput: query, files: [], response, toolCalls },
      transcript: [
        { role: 'user', text: query },
        { role: 'agent', text: response },
      ],
      ...{ model: null, usage: null, latencyMs: null, retryCount: 0, flags: [], error: null },
    },
  };
}

/** What a judge said of one labelled answer, metric by metric. */
interface Judged extends Decision {
  metric: string;
  place: string;
  response: string;
  /** Of the judge, or why it did not decide. */
  reasoning: string;
}

export interface MeasuredMetric {
  metric: string;
  counts: JudgeCounts;
  agreement: JudgeAgreement;
  disagreements: readonly Judged[];
  unjudged: readonly Judged[];
}

interface MeasuringMetrics {
  tests: readonly LabelledTest[];
  judge: ModelSettings;
  ports: CasePorts;
  concurrency: number;
  signal: AbortSignal;
}

/** Lets a model judge every labelled answer by every metric that it is labelled for; what it came to, metric by metric. */
export async function measureMetrics({
  tests,
  judge,
  ports,
  concurrency,
  signal,
}: MeasuringMetrics): Promise<MeasuredMetric[]> {
  const wanted = tests.flatMap((test) =>
    (['passed', 'failed'] as const).flatMap((label) => test[label].map((metric) => ({ test, metric, label }))),
  );
  const judged: Judged[] = [];
  const waiting = wanted.values();
  const work = async (): Promise<void> => {
    // One list for all: each takes what nobody else has taken.
    for (const { test, metric: name, label } of waiting) {
      const outcome = await runCase(workOf(test, metricOf(name), judge), ports, signal);
      const [result] = outcome.metrics;
      const decision = !result || result.error !== null ? null : result.passed ? 'passed' : 'failed';
      const reasoning = result?.error ?? outcome.metricDetails[0]?.reasoning ?? outcome.errorMessage ?? '';
      judged.push({ metric: name, label, decision, place: test.place, response: test.response, reasoning });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return [...Map.groupBy(judged, ({ metric }) => metric)].map(([metric, all]) => {
    const counts = countDecisions(all);
    return {
      ...{ metric, counts, agreement: judgeAgreement(counts) },
      disagreements: all.filter(({ label, decision }) => decision !== null && decision !== label),
      unjudged: all.filter(({ decision }) => decision === null),
    };
  });
}
