import { standardMetrics } from '@proofmark/contracts/metrics';
import { describe, expect, test } from 'vitest';
import { isDown, judgeModel, says } from '../judge/scripted-judge.fixture.ts';
import { type MetricStory, runMetricsOf, type WrittenMetric } from './a-metric-run.fixture.ts';
import { checkEvaluators } from './check-evaluators.ts';
import { lexicalEvaluators } from './lexical-evaluators.ts';
import { rubrics } from './rubrics.ts';

const scored = (score: number) => says({ reasoning: `worth ${score}`, score, status: 'scored' });
const rated = (metric: Partial<WrittenMetric> = {}, story: Partial<MetricStory> = {}): MetricStory => ({
  metrics: [{ metric: 'relevance', ...metric }],
  ...story,
});

test('every metric that a suite may name has an evaluator, and no other', () => {
  const boundMetrics = [...rubrics.keys(), ...lexicalEvaluators.keys(), ...checkEvaluators.keys()];
  expect(new Set(boundMetrics)).toEqual(new Set(standardMetrics.keys()));
  expect(boundMetrics).toHaveLength(standardMetrics.size);
});

test('S0-30 S0-32 S0-119 the results have the order and the names of the configuration', async () => {
  const metrics = [{ metric: 'fluency' }, { metric: 'bleu' }, { metric: 'coherence' }];
  const { results, requests } = await runMetricsOf({ metrics, case: { ground_truth: 'We open' } }, () => scored(4));
  expect(results.map(({ metric_name }) => metric_name)).toEqual(['fluency', 'bleu', 'coherence']);
  expect(requests[0]?.user).toContain('We open from 9 to 17');
});

test('S0-34 a metric that is switched off leaves no trace', async () => {
  const { results, details } = await runMetricsOf(
    { metrics: [{ metric: 'fluency', enabled: false }, { metric: 'relevance' }] },
    () => scored(4),
  );
  expect([results, details].map((list) => list.map(({ metric_name }) => metric_name))).toEqual([
    ['relevance'],
    ['relevance'],
  ]);
});

test('S0-12 a case may name a subset of the metrics', async () => {
  const metrics = [{ metric: 'fluency' }, { metric: 'relevance' }];
  const { results } = await runMetricsOf({ metrics, case: { evaluations: ['relevance'] } }, () => scored(4));
  expect(results.map(({ metric_name }) => metric_name)).toEqual(['relevance']);
});

describe('the model', () => {
  const metricModels = {
    all: { ...judgeModel, configuration: 'all', model: 'model-1' },
    own: { ...judgeModel, configuration: 'own', model: 'model-2' },
  };

  test('S0-29 S0-36 S0-62 is the metric’s own, else that of all metrics, and none for a lexical metric', async () => {
    const metrics = [{ metric: 'relevance' }, { metric: 'fluency', model: 'own' }, { metric: 'f1' }];
    const { results, details, requests } = await runMetricsOf(
      { metrics, evaluationsModel: 'all', metricModels, case: { ground_truth: 'nine' } },
      () => scored(4),
    );
    expect(results.map(({ model_used }) => model_used)).toEqual(['model-1', 'model-2', null]);
    expect(details.map(({ configuration }) => configuration)).toEqual(['all', 'own', undefined]);
    expect(requests.map(({ settings }) => settings.configuration)).toEqual(['all', 'own']);
  });

  test('is the judge of the suite where no other is named', async () => {
    const { results } = await runMetricsOf(rated(), () => scored(4));
    expect(results[0]?.model_used).toBe(judgeModel.model);
  });

  test('that is configured nowhere makes an error', async () => {
    const { results, requests } = await runMetricsOf(rated({}, { judge: null }), () => scored(4));
    expect(requests).toHaveLength(0);
    expect(results[0]).toMatchObject({ score: null, error: 'No model is configured for the metric' });
  });
});

describe('scale and threshold', () => {
  test.each([
    [1, {}, 0.2, false],
    [2, {}, 0.4, false],
    [3, {}, 0.6, true],
    [4, { threshold: 0.8 }, 0.8, true],
    [4, { threshold: 0.81 }, 0.8, false],
    [3, { threshold: 0.7 }, 0.6, false],
    [4, { scale: 5, threshold: 4 }, 4, true],
    [1, { threshold: 0 }, 0.2, true],
  ])('S0-33 S0-35 S0-56 S0-58 S0-130 a raw %d under %j is %d', async (raw, metric, score, passed) => {
    const { results } = await runMetricsOf(rated(metric), () => scored(raw));
    expect(results[0]).toMatchObject({ passed, error: null, threshold: null, scale: null, ...metric });
    expect(results[0]?.score).toBeCloseTo(score, 12);
  });
});

describe('tries', () => {
  test('S0-38 S0-127 a judge that fails twice and then answers has two retries', async () => {
    const { results, details } = await runMetricsOf(rated({ retry_on_failure: 3 }), (_request, call) =>
      call < 3 ? isDown : scored(5),
    );
    expect(results[0]).toMatchObject({ score: 1, retry_count: 2 });
    expect(details[0]?.progress).toEqual([
      'PENDING',
      'EVALUATING',
      'RETRY',
      'EVALUATING',
      'RETRY',
      'EVALUATING',
      'COMPLETE',
    ]);
  });

  test('S0-125 S0-126 S0-127 the states of a metric are noted when it comes into them', async () => {
    const { details } = await runMetricsOf(rated({ timeout_ms: 40, retry_on_failure: 1 }), (_request, call) =>
      call === 1 ? 'hang' : scored(5),
    );
    const [detail] = details;
    expect(detail?.progress).toEqual(['PENDING', 'EVALUATING', 'RETRY', 'EVALUATING', 'COMPLETE']);
    const [pending, evaluating, retry, again, complete] = detail?.progressAtMs ?? [];
    expect(pending).toBe(0);
    // It was asked again only when the first try had taken its time and the pause was over.
    expect((retry ?? 0) - (evaluating ?? Number.POSITIVE_INFINITY)).toBeGreaterThanOrEqual(39);
    expect(again).toBeGreaterThanOrEqual(retry ?? Number.POSITIVE_INFINITY);
    expect(complete).toBeGreaterThanOrEqual(again ?? Number.POSITIVE_INFINITY);
  });

  test('S0-60 S0-125 a first answer has no retry', async () => {
    const { results, details } = await runMetricsOf(rated({ retry_on_failure: 1 }), () => scored(5));
    expect(results[0]?.retry_count).toBe(0);
    expect(details[0]?.progress).toEqual(['PENDING', 'EVALUATING', 'COMPLETE']);
  });

  test('S0-55 S0-59 S0-61 S0-128 C06 after the last retry it failed, without a score', async () => {
    const { results, details, requests } = await runMetricsOf(rated({ retry_on_failure: 1 }), () => isDown);
    expect(requests).toHaveLength(2);
    expect(results[0]).toMatchObject({
      score: null,
      passed: false,
      retry_count: 1,
      error: 'Failed after 2 attempts: the provider is down',
    });
    expect(results[0]?.evaluation_time_ms).toBeGreaterThanOrEqual(0);
    expect(details[0]?.progress.at(-1)).toBe('FAILED');
  });

  test('S0-39 S0-126 a judge that never answers times out, and is asked again where the metric says so', async () => {
    const { results, requests } = await runMetricsOf(rated({ timeout_ms: 20, retry_on_failure: 1 }), () => 'hang');
    expect(requests).toHaveLength(2);
    expect(results[0]).toMatchObject({
      score: null,
      retry_count: 1,
      error: 'Failed after 2 attempts: Timeout after 20ms',
    });
  });

  test.each([
    ['a score above the scale', { reasoning: '', score: 6, status: 'scored' }],
    ['a score below the scale', { reasoning: '', score: 0, status: 'scored' }],
    ['half a score', { reasoning: '', score: 3.5, status: 'scored' }],
    ['no score', { reasoning: '', status: 'scored' }],
    ['prose', 'I give it a 5.'],
    ['a digit', '5'],
  ])('%s is unusable', async (_name, answer) => {
    const { results } = await runMetricsOf(rated(), () => says(answer));
    expect(results[0]).toMatchObject({ score: null, passed: false });
    expect(results[0]?.error).toContain('no usable answer');
  });

  test('an unusable answer is sent back once with what is wrong with it, and that is no retry', async () => {
    const { results, requests } = await runMetricsOf(rated(), ({ request }) =>
      request.messages.length === 2 ? says({ reasoning: '', score: 9, status: 'scored' }) : scored(5),
    );
    expect(results[0]).toMatchObject({ score: 1, retry_count: 0 });
    expect(requests[1]?.request.messages.slice(2)).toEqual([
      { role: 'assistant', content: '{"reasoning":"","score":9,"status":"scored"}' },
      { role: 'user', content: expect.stringContaining('score: must be a whole number from 1 to 5') },
    ]);
  });

  test('S0-38 S0-126 a metric that may be retried is asked again after unusable answers, too', async () => {
    const { results, requests } = await runMetricsOf(rated({ retry_on_failure: 2 }), (_request, call) =>
      call <= 4 ? says('I like it.') : scored(5),
    );
    expect(results[0]).toMatchObject({ score: 1, retry_count: 2 });
    expect(requests).toHaveLength(5);
  });
});

describe('the request', () => {
  test('S0-40 a custom prompt takes the place of our rubric, data and output rules stay', async () => {
    const { requests } = await runMetricsOf(rated({ custom_prompt: 'Rate how much it rhymes.' }), () => scored(1));
    expect(requests[0]?.system).toContain('Rate how much it rhymes.');
    expect(requests[0]?.system).not.toContain('How well the response addresses');
    expect(requests[0]?.system).toContain('whole number from 1 to 5');
    expect(requests[0]?.user).toContain('When do you open?');
  });

  test('is asked at temperature 0 with a schema and without tools', async () => {
    const { requests } = await runMetricsOf(rated(), () => scored(1));
    expect(requests[0]?.request).toMatchObject({
      defaults: { temperature: 0, maxTokens: 800 },
      schema: { name: 'rating' },
    });
    expect(requests[0]?.request.tools).toBeUndefined();
  });
});

describe('an empty response', () => {
  test.each([
    ['relevance', 0.2],
    ['task_adherence', 0],
    ['bleu', 0],
    ['equality', 0],
  ])('costs no call and gives %s %d', async (metric, score) => {
    const story = { response: ' ', case: { ground_truth: 'x' } };
    const { results, details, requests } = await runMetricsOf({ metrics: [{ metric }], ...story }, () => scored(5));
    expect(requests).toHaveLength(0);
    expect(results[0]).toMatchObject({ score, passed: false, error: null });
    expect(details[0]?.reasoning).toBe('empty response');
  });
});

describe('a missing input', () => {
  test.each([
    ['groundedness', 'context'],
    ['similarity', 'ground_truth'],
    ['tool_call_accuracy', 'tools'],
    ['bleu', 'ground_truth'],
  ])('of %s is an error that names %s', async (metric, input) => {
    const { results, requests } = await runMetricsOf({ metrics: [{ metric }] }, () => scored(5));
    expect(requests).toHaveLength(0);
    expect(results[0]).toMatchObject({ score: null, error: `missing_input: the test run has no ${input}` });
  });

  test('nothing to rate is an error that is not tried again', async () => {
    const nothing = says({ reasoning: 'no facts', score: null, status: 'not_applicable' });
    const { results, requests } = await runMetricsOf(rated({ retry_on_failure: 2 }), () => nothing);
    expect(requests).toHaveLength(1);
    expect(results[0]).toMatchObject({ score: null, error: 'not_applicable: no facts' });
  });
});

describe('C04 a metric that errored', () => {
  const half: WrittenMetric[] = [{ metric: 'relevance' }, { metric: 'fluency', threshold: 0.5 }];
  const relevanceDown = ({ system }: { system: string }) => (system.includes('addresses') ? isDown : scored(5));

  test('S0-37 without fail_on_error only degrades the run', async () => {
    const { outcome } = await runMetricsOf({ metrics: half }, relevanceDown);
    expect(outcome).toMatchObject({ status: 'passed', degraded: true });
  });

  test('S0-37 with fail_on_error makes the run an error of the judge', async () => {
    const metrics = half.map((metric) => ({ ...metric, fail_on_error: true }));
    const { outcome } = await runMetricsOf({ metrics }, relevanceDown);
    expect(outcome).toMatchObject({ status: 'error', errorKind: 'judge', degraded: true });
    expect(outcome.errorMessage).toMatch(/^Metric relevance: .*the provider is down$/);
  });

  test('does not hide one that failed', async () => {
    const { outcome } = await runMetricsOf({ metrics: half }, ({ system }) =>
      system.includes('addresses') ? isDown : scored(1),
    );
    expect(outcome).toMatchObject({ status: 'failed', degraded: true });
  });

  test('as all others did leaves nothing to pass by', async () => {
    const { outcome } = await runMetricsOf({ metrics: half }, () => isDown);
    expect(outcome).toMatchObject({ status: 'error', errorKind: 'judge', degraded: true });
  });

  test('S0-85 S0-131 C42 one metric below its threshold fails the run', async () => {
    const { outcome } = await runMetricsOf({ metrics: half }, () => scored(2));
    expect(outcome).toMatchObject({ status: 'failed', degraded: false });
  });
});

describe('J1 a judge that is too slow for the case', () => {
  const limits = { caseTimeoutMs: 1_000 };
  const slow = { metric: 'relevance', timeout_ms: 60_000 };
  const phrases = (phrase: string) => ({
    expected_behavior: { checks: [{ type: 'contains_phrases' as const, phrases: [phrase] }] },
  });

  test('undoes no check by code that failed before', async () => {
    const { outcome } = await runMetricsOf({ metrics: [slow], limits, case: phrases('Sunday') }, () => 'hang');
    expect(outcome).toMatchObject({ status: 'failed', errorKind: null, degraded: true, checks: [{ passed: false }] });
  });

  test('undoes no metric by code that failed before, and what was measured is kept', async () => {
    const metrics = [{ metric: 'equality' }, slow];
    const { outcome } = await runMetricsOf({ metrics, limits, case: { ground_truth: 'never' } }, () => 'hang');
    expect(outcome).toMatchObject({ status: 'failed', degraded: true, metrics: [{ score: 0, passed: false }] });
  });

  test('undoes no check that stands behind its own in the list', async () => {
    const checks = [
      { type: 'llm_judge' as const, expected_answer: 'x' },
      ...phrases('Sunday').expected_behavior.checks,
    ];
    const story = { metrics: [{ metric: 'f1' }], limits, case: { expected_behavior: { checks }, ground_truth: 'x' } };
    const { outcome } = await runMetricsOf(story, () => 'hang');
    expect(outcome).toMatchObject({
      status: 'failed',
      degraded: true,
      checks: [
        { checkIndex: 0, status: 'error', error: 'The time was over' },
        { checkIndex: 1, status: 'fail' },
      ],
    });
  });

  test('is an error of the judge where nothing had failed', async () => {
    const { outcome } = await runMetricsOf({ metrics: [slow], limits, case: phrases('9') }, () => 'hang');
    expect(outcome).toMatchObject({
      status: 'error',
      errorKind: 'judge',
      errorMessage: 'The test run took longer than 1000 ms',
      checks: [{ passed: true }],
    });
  });
});
