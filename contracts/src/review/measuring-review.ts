import type { Check } from '../definitions/checks.ts';
import { type EvaluationConfig, type Metric, metricNeeds, RagMetric, standardMetrics } from '../definitions/metrics.ts';
import { meantWord } from '../definitions/near-match.ts';
import { checksOfCase, hasCheck, type TestCase } from '../definitions/test-case.ts';
import { type Finding, type Path, warning } from '../parse/finding.ts';
import type { LoadedAgent, SuiteReview } from './suite-review.ts';

/** Binds every metric of a suite to an evaluator: unknown names, missing models, thresholds that cannot be reached. */
export function measuringFindings({ suite, broken }: Pick<SuiteReview, 'suite' | 'broken'>): Finding[] {
  const { evaluations, judge, embedding } = suite;
  if (evaluations === null) return [];
  const mayHaveModel = ['judge', 'embedding', 'evaluations'].some((key) => broken.has(key));
  return evaluations.metrics.flatMap((metric, index) => {
    const path = ['evaluations', 'metrics', index];
    const binding = bindingFindings(metric, path, {
      judge: evaluations.model ?? judge?.ai_configuration,
      embedding: embedding?.ai_configuration,
    });
    return [
      ...(mayHaveModel ? binding.filter(({ code }) => code !== 'required') : binding),
      ...thresholdFindings(metric, path),
    ];
  });
}

interface MeasuringModels {
  judge: string | undefined;
  embedding: string | undefined;
}

function bindingFindings(metric: Metric, path: Finding['path'], models: MeasuringModels): Finding[] {
  const needs = metricNeeds(metric);
  // A name that could not be read is reported where it stands.
  if (metric.metric === '') return [];
  if (needs === undefined) {
    return [{ path: [...path, 'metric'], code: 'invalid_enum', ...unknownMetric(metric.metric) }];
  }
  const model = needs.asks === 'nothing' ? 'none' : (metric.model ?? models[needs.asks]);
  if (!metric.enabled || model !== undefined) return [];
  const hint = 'Add `judge: { ai_configuration: … }` to the suite, or `model` to the metric.';
  return [{ path, code: 'required', message: `the metric \`${metric.metric}\` needs a model`, hint }];
}

function unknownMetric(name: string): Pick<Finding, 'message' | 'hint'> {
  const message = `there is no metric \`${name}\``;
  const retrieval = meantWord(name, RagMetric.options);
  if (retrieval !== undefined)
    return { message: `${message} of type standard`, hint: `Write { type: rag, metric_type: ${retrieval} }.` };
  const standard = [...standardMetrics.keys()];
  const meant = meantWord(name, standard);
  const hint = `There are: ${standard.join(', ')}. A rubric of your own is \`type: geval\` with \`name\` and \`criteria\`.`;
  return { message: meant === undefined ? message : `${message}, did you mean \`${meant}\`?`, hint };
}

function thresholdFindings({ threshold, scale = 1, metric }: Metric, path: Finding['path']): Finding[] {
  if (threshold === undefined || threshold <= scale) return [];
  const message = `the threshold of \`${metric}\` must be between 0 and ${scale}, the scale of the metric`;
  const hint = scale === 1 ? 'Scores are 0 to 1 unless the metric has a `scale`.' : undefined;
  return [{ path: [...path, 'threshold'], code: 'out_of_range', message, ...(hint === undefined ? {} : { hint }) }];
}

/** The metrics that are computed for a case. */
export function metricsOfCase(evaluations: EvaluationConfig | null, { evaluations: names }: TestCase): Metric[] {
  return (
    evaluations?.metrics.filter(({ metric, enabled }) => enabled && (names === null || names.includes(metric))) ?? []
  );
}

/** A model that a case cannot do without, and the block of the suite that would name it. */
interface Need {
  path: Path;
  what: string;
  block: 'judge' | 'simulator' | 'embedding';
}

const judgedByModel = ['expected_outcomes', 'evaluation_criteria_override'] as const;

/** Models that a case needs and its suite does not name. */
export function modelFindings(testCase: TestCase, { suite, broken }: SuiteReview): Finding[] {
  const needs = [
    ...(hasCheck(testCase, ['llm_judge', 'semantic_similarity']) ? checksOfCase(testCase).flatMap(needOfCheck) : []),
    ...judgedByModel
      // An empty map asks nobody for anything.
      .filter((key) => testCase[key] !== null && Object.keys(testCase[key]).length > 0)
      .map((key): Need => ({ path: [key], what: 'judging outcomes', block: 'judge' })),
    ...(testCase.kind === 'simulated' ? [{ path: [], what: 'a simulated case', block: 'simulator' } as const] : []),
  ];
  if (needs.length === 0) return [];
  return (
    needs
      .filter(({ block }) => suite[block] === null)
      // Without a block of its own, every model is that of the judge.
      .filter(({ block }) => !broken.has(block) && !broken.has('judge'))
      .map(({ path, what, block }) => ({
        path,
        code: 'required',
        message: `${what} needs a model`,
        hint: `Add \`${suite.judge === null && block === 'embedding' ? 'judge' : block}: { ai_configuration: … }\` to the suite.`,
      }))
  );
}

function needOfCheck({ check: { type }, path }: { check: Check; path: Path }): Need[] {
  if (type === 'llm_judge') return [{ path, what: 'an `llm_judge` check', block: 'judge' }];
  if (type === 'semantic_similarity') return [{ path, what: 'a `semantic_similarity` check', block: 'embedding' }];
  return [];
}

/** Thresholds of checks that every answer reaches. */
export function idleThresholdFindings(testCase: TestCase): Finding[] {
  if (!hasCheck(testCase, ['semantic_similarity'])) return [];
  return checksOfCase(testCase).flatMap(({ check, path }) =>
    check.type === 'semantic_similarity' && check.threshold === 0
      ? [warning([...path, 'threshold'], 'invalid_value', 'a threshold of 0 always passes')]
      : [],
  );
}

/** What the metrics of a case need of its `ground_truth`: that there is one, and that they can work with it. */
export function referenceFindings({ ground_truth: reference, name }: TestCase, metrics: readonly Metric[]): Finding[] {
  const comparing = metrics.filter((metric) => metricNeeds(metric)?.groundTruth === true);
  if (comparing.length === 0) return [];
  if (reference === null) return [missingReference(name, comparing)];
  // With a placeholder the text is only known when the case runs.
  if (reference.includes('{{')) return [];
  return comparing
    .filter(({ type }) => type === 'standard')
    .flatMap((metric) => {
      const message = unsuited(metric, reference);
      return message === undefined ? [] : [warning(['ground_truth'], 'invalid_value', message.text, message.hint)];
    });
}

function missingReference(name: string, metrics: readonly Metric[]): Finding {
  const names = metrics.map(({ metric }) => `\`${metric}\``).join(', ');
  const what = metrics.length === 1 ? `the metric ${names} compares` : `the metrics ${names} compare`;
  return {
    path: [],
    code: 'required',
    message: `case \`${name}\` needs a \`ground_truth\`: ${what} with it`,
    hint: 'Add `ground_truth`, or list the metrics of the case in `evaluations`.',
  };
}

interface Advice {
  text: string;
  hint?: string;
}

const others = 'Use `similarity` or `semantic_similarity`, which read every script.';

function unsuited(metric: Metric, reference: string): Advice | undefined {
  if (metric.metric === 'numeric' && !isUsableNumber(metric, reference)) return notNumeric(reference);
  if (metric.metric === 'meteor') return tooShort(metric, reference);
  const isRouge = ['rouge', 'rouge1', 'rouge2', 'rougeL'].includes(metric.metric);
  if (isRouge && /[^\p{ASCII}]/u.test(reference.replaceAll(/[^\p{L}\p{N}]/gu, '')))
    return { text: `\`${metric.metric}\` sees only the letters a to z and digits of \`ground_truth\``, hint: others };
  return undefined;
}

function notNumeric(reference: string): Advice {
  const text = '`ground_truth` is not a number, so the metric `numeric` can never pass';
  if (reference.trim().endsWith('%')) return { text, hint: 'Set `accept_percent: true` on the metric.' };
  return /^[\s\d,_.+-]+$/.test(reference)
    ? { text, hint: 'Set `accept_thousands_separators: true` on the metric.' }
    : { text };
}

function isUsableNumber({ accept_percent, accept_thousands_separators }: Metric, reference: string): boolean {
  const whole = reference.trim();
  const number = accept_percent === true ? whole.replace(/%$/, '').trim() : whole;
  const plain = accept_thousands_separators === true ? number.replaceAll(/[,_\u00A0\u202F]/g, '') : number;
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(plain) && Number.isFinite(Number(plain));
}

/** The penalty for one chunk weighs the more the fewer words there are: `yes` against `yes` is 0.5. */
function tooShort({ threshold, scale = 1 }: Metric, reference: string): Advice | undefined {
  const words = reference.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu)?.length ?? 0;
  if (threshold === undefined || words === 0) return undefined;
  const best = (1 - 0.5 / words ** 3) * scale;
  if (threshold <= best + 1e-9) return undefined;
  const length = words === 1 ? 'one word' : `${words} words`;
  return {
    text: `a \`ground_truth\` of ${length} reaches at most ${Number(best.toFixed(4))} with \`meteor\`, below its threshold ${threshold}`,
    hint: 'Lower the threshold, or use `equality` or `f1` for short answers.',
  };
}

/** Metrics that judge by a context, for a case that can never have one: no file, and no tool that could return anything. */
export function contextFindings(
  { files, name }: TestCase,
  metrics: readonly Metric[],
  agent: LoadedAgent | undefined,
): Finding[] {
  if (files.length > 0 || mayCallTools(agent)) return [];
  const judging = metrics.filter(needsContext).map(({ metric }) => `\`${metric}\``);
  if (judging.length === 0) return [];
  const what = judging.length === 1 ? `the metric ${judging[0]} judges` : `the metrics ${judging.join(', ')} judge`;
  return [
    {
      path: [],
      code: 'required',
      message: `case \`${name}\` needs a context: ${what} by one, and it has no \`files\` and the agent no \`tools\``,
      hint: 'Add `files` to the case or `tools` to the agent, or list the metrics of the case in `evaluations`.',
    },
  ];
}

function needsContext({ type, metric, metric_type, evaluation_params = [] }: Metric): boolean {
  if (type === 'rag') return metric_type !== 'answer_relevancy';
  if (type === 'geval') return evaluation_params.some((param) => param === 'context' || param === 'retrieval_context');
  return metric === 'groundedness';
}

/** A team's own service or program may tell of tools that its definition does not list. */
function mayCallTools(agent: LoadedAgent | undefined): boolean {
  if (agent === undefined || agent.toolNames === undefined || agent.broken.has('driver')) return true;
  const { type } = agent.agent.driver;
  return agent.toolNames.length > 0 || type === 'http' || type === 'command' || type === 'module';
}
