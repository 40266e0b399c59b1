import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import { Metric } from '@proofmark/contracts/metrics';
import { describe, expect, test } from 'vitest';
import { aCase } from '../case/a-case.fixture.ts';
import { blocksOf, isDown, judgeModel, says, scriptedJudge } from '../judge/scripted-judge.fixture.ts';
import type { Cassette } from '../tools/simulate-tool.ts';
import { type MetricStory, runMetricsOf, runWith, type WrittenMetric } from './a-metric-run.fixture.ts';
import { recordedSteps } from './geval-evaluator.ts';
import { rubrics } from './rubrics.ts';

const scored = (score: number) => says({ reasoning: 'because', score, status: 'scored' });

const support: Omit<MetricStory, 'metrics'> = {
  agent: {
    instructions: 'Never promise a refund.',
    tools: [{ name: 'get_hours', description: 'Opening hours', retrieval: true }],
    driver: {
      type: 'scripted',
      replies: [{ tool_calls: [{ name: 'get_hours', args: { day: 'Mon' } }], reply: 'From 9 to 17' }],
    },
  },
  mocks: [{ tool: 'get_hours', returns: ['Mon 9-17', 'Tue 8-16'], times: 'always' }],
  case: { ground_truth: 'Nine to five' },
};

describe('the rubrics', () => {
  test.each([
    ['groundedness', ['Query', 'Context', 'Response of the agent']],
    ['relevance', ['Query', 'Response of the agent']],
    ['coherence', ['Query', 'Response of the agent']],
    ['fluency', ['Response of the agent']],
    ['similarity', ['Query', 'Reference answer', 'Response of the agent']],
    ['intent_resolution', ['Query', 'Tool calls of the agent with their results', 'Response of the agent']],
    ['tool_call_accuracy', ['Query', 'Tools that the agent has', 'Tool calls of the agent', 'Response of the agent']],
    [
      'task_adherence',
      ['Instructions of the agent', 'Query', 'Tool calls of the agent with their results', 'Response of the agent'],
    ],
  ])('of %s show %j', async (metric, titles) => {
    const { requests, results } = await runMetricsOf({ metrics: [{ metric }], ...support }, () => scored(1));
    expect([...blocksOf(requests[0] ?? { user: '' }).keys()]).toEqual(titles);
    expect(results[0]?.error).toBeNull();
  });

  test.each([...rubrics])('of %s have a line per level and both examples', (_name, { levels, examples }) => {
    expect(levels.length).toBeGreaterThanOrEqual(2);
    expect(new Set(levels.map(([score]) => score)).size).toBe(levels.length);
    expect(examples.map((example) => /Score \d/.test(example))).toEqual([true, true]);
  });

  test('the context holds what tools returned, and calls their arguments', async () => {
    const metrics = [{ metric: 'groundedness' }, { metric: 'tool_call_accuracy' }];
    const { requests } = await runMetricsOf({ metrics, ...support }, () => scored(5));
    expect(blocksOf(requests[0] ?? { user: '' }).get('Context')).toBe('["Mon 9-17","Tue 8-16"]');
    expect(blocksOf(requests[1] ?? { user: '' }).get('Tool calls of the agent')).toBe('1. get_hours {"day":"Mon"}');
    expect(requests[1]?.request.defaults?.maxTokens).toBe(3_000);
  });

  test('a rating that hangs on what was cut may stay open, and no other', async () => {
    const open = says({ reasoning: 'the end is missing', score: null, status: 'inconclusive' });
    const long = await runMetricsOf({ metrics: [{ metric: 'relevance' }], response: 'x'.repeat(70_000) }, () => open);
    expect(long.requests[0]?.system).toContain('"inconclusive"');
    expect(long.results[0]).toMatchObject({ score: null, error: 'inconclusive: the end is missing' });
    const short = await runMetricsOf({ metrics: [{ metric: 'relevance' }] }, () => open);
    expect(short.requests[0]?.system).not.toContain('inconclusive');
    expect(short.results[0]?.error).toContain('no usable answer');
  });

  test('an answer that is too vague to be checked does not pass for grounded, and no length is asked for', () => {
    const levelOf = (metric: string, words: string) =>
      rubrics.get(metric)?.levels.find(([, meaning]) => meaning.includes(words))?.[0] ?? Number.NaN;
    expect(levelOf('groundedness', 'too vague')).toBeLessThan(rubrics.get('groundedness')?.passesFrom ?? 0);
    expect(levelOf('relevance', 'nothing else')).toBe(5);
  });

  test('so may a G-Eval rating and the verdict on one statement, and no other', async () => {
    const geval = { metric: 'apology', type: 'geval' as const, criteria: 'Sorry.', evaluation_steps: ['Read.'] };
    const faithfulness = { metric: 'faithfulness', type: 'rag' as const, metric_type: 'faithfulness' as const };
    const answerTo = ({ request }: { request: { schema?: { name: string } } }) => {
      if (request.schema?.name === 'items') return says({ items: ['a', 'b'] });
      if (request.schema?.name === 'rating')
        return says({ reasoning: 'the end is missing', score: null, status: 'inconclusive' });
      const verdict = (number: number, value: boolean | null) => ({ number, reasoning: `r${number}`, verdict: value });
      return says({ verdicts: [verdict(1, true), verdict(2, null)] });
    };
    const both = async (text: string) => {
      const rated = await runMetricsOf({ metrics: [geval], response: text }, answerTo);
      const mocks = [{ tool: 'get_hours', returns: text, times: 'always' as const }];
      const decided = await runMetricsOf({ ...support, metrics: [faithfulness], mocks }, answerTo);
      const requests = [...rated.requests, ...decided.requests];
      return { results: [...rated.results, ...decided.results], requests };
    };
    const long = await both('x '.repeat(40_000));
    expect(long.results.map(({ score, passed, error }) => [score, passed, error])).toEqual([
      [null, false, 'inconclusive: the end is missing'],
      [null, false, 'inconclusive: 1 of 2: r2'],
    ]);
    const short = await both('9-17');
    expect(short.requests.filter(({ system }) => /inconclusive|null only/.test(system))).toEqual([]);
    expect(short.results.map(({ error }) => error)).toEqual([
      expect.stringContaining('no usable answer'),
      expect.stringContaining('each verdict must be true or false'),
    ]);
  });

  test('task adherence is 0 or 1', async () => {
    const run = (score: number) =>
      runMetricsOf({ metrics: [{ metric: 'task_adherence' }], ...support }, () => scored(score));
    expect((await run(1)).results[0]).toMatchObject({ score: 1, passed: true });
    expect((await run(0)).results[0]).toMatchObject({ score: 0, passed: false, error: null });
    expect((await run(2)).results[0]).toMatchObject({ score: null });
  });
});

describe('G-Eval', () => {
  const steps = says({ steps: ['Read it.', 'Look for an apology.', 'Score it.'] });
  const geval = { metric: 'apology', type: 'geval' as const, criteria: 'The agent apologises.' };
  const move = ({ request }: { request: { schema?: { name: string } } }) =>
    request.schema?.name === 'steps' ? steps : scored(7);

  test('missing steps are written once for all cases of a run, shown and followed', async () => {
    const judge = scriptedJudge(move);
    const [first, second] = [
      await runWith(judge.models, { metrics: [geval] }),
      await runWith(judge.models, { metrics: [geval], response: 'Sorry!' }),
    ];
    expect(judge.requests.map(({ request }) => request.schema?.name)).toEqual(['steps', 'rating', 'rating']);
    expect(judge.requests[1]?.system).toContain('2. Look for an apology.');
    expect(first.metrics[0]).toMatchObject({ score: 0.7, passed: true, model_used: 'judge-1' });
    expect(second.metricDetails[0]).toMatchObject({
      kind: 'geval',
      stepsGenerated: true,
      steps: ['Read it.', 'Look for an apology.', 'Score it.'],
    });
  });

  test('steps that were recorded under the same criteria and model are followed and nobody is asked', async () => {
    const known = new Map<string, CassetteEntry>();
    const cassette: Cassette = {
      find: async (key) => ({ ok: true, value: known.get(key) }),
      // Somebody else was faster and recorded other steps.
      keep: async (entry) => {
        const first = { ...entry, result: ['Theirs.'] };
        known.set(entry.key, first);
        return { ok: true, value: first };
      },
    };
    const followed = async (metric: WrittenMetric, more: Partial<MetricStory> = {}) => {
      const judge = scriptedJudge(move);
      const { metricDetails } = await runWith(judge.models, { metrics: [metric], cassette, ...more });
      return [judge.requests.length, metricDetails[0]?.steps];
    };
    expect(await followed(geval)).toEqual([2, ['Theirs.']]);
    expect(await followed({ ...geval, metric: 'renamed', threshold: 0.5, scale: 5 })).toEqual([1, ['Theirs.']]);
    // Other criteria, something else to look at, or another model: other steps.
    expect(await followed({ ...geval, criteria: 'The agent is brief.' })).toEqual([2, ['Theirs.']]);
    expect(await followed({ ...geval, evaluation_params: ['input', 'actual_output'] })).toEqual([2, ['Theirs.']]);
    expect(await followed(geval, { judge: { ...judgeModel, model: 'judge-2' } })).toEqual([2, ['Theirs.']]);
    expect(known.size).toBe(4);
    expect([...known.values()][0]).toMatchObject({
      tool: 'evaluation_steps',
      args: { metric: 'apology', criteria: 'The agent apologises.', sees: ['actual output'] },
    });
  });

  test('what an outcome tells of its steps is enough to follow them again', async () => {
    const judge = scriptedJudge(move);
    const work = aCase({ judge: judgeModel, evaluations: { metrics: [Metric.parse(geval)] } });
    const first = await runWith(judge.models, { metrics: [geval] });
    const again = await runWith(scriptedJudge(() => scored(7)).models, {
      metrics: [geval],
      committed: recordedSteps(work, first),
    });
    expect(again.metricDetails).toMatchObject([{ steps: first.metricDetails[0]?.steps, stepsGenerated: true }]);
    expect(again.metrics[0]?.error).toBeNull();
  });

  test('an entry that is no list of steps is not followed', async () => {
    const cassette: Cassette = {
      find: async (key) => ({ ok: true, value: { key, tool: 'evaluation_steps', args: {}, result: 'Pass it.' } }),
      keep: async (entry) => ({ ok: true, value: entry }),
    };
    const { metricDetails } = await runWith(scriptedJudge(move).models, { metrics: [geval], cassette });
    expect(metricDetails[0]?.steps).toEqual(['Read it.', 'Look for an apology.', 'Score it.']);
  });

  test('steps of the definition are used as they are', async () => {
    const { requests, details } = await runMetricsOf({ metrics: [{ ...geval, evaluation_steps: ['Count.'] }] }, move);
    expect(requests).toHaveLength(1);
    expect(details[0]).toMatchObject({ stepsGenerated: false, steps: ['Count.'] });
  });

  test('a prompt of the team takes the place of criteria and steps, so none are written', async () => {
    const { requests, details } = await runMetricsOf({ metrics: [{ ...geval, custom_prompt: 'Count it.' }] }, move);
    expect(requests.map(({ request }) => request.schema?.name)).toEqual(['rating']);
    expect(requests[0]?.system).toContain('Count it.');
    expect(details[0]).not.toHaveProperty('steps');
  });

  test.each([
    [10, 1, true],
    [9, 0, false],
  ])('in strict mode %d counts as %d', async (answer, score, passed) => {
    const metrics = [{ ...geval, evaluation_steps: ['Count.'], strict_mode: true }];
    const { results } = await runMetricsOf({ metrics }, () => scored(answer));
    expect(results[0]).toMatchObject({ score, passed });
  });

  test.each([
    [5, true],
    [4, false],
  ])('without a threshold %d of 10 is %s', async (answer, passed) => {
    const { results } = await runMetricsOf({ metrics: [{ ...geval, evaluation_steps: ['x'] }] }, () => scored(answer));
    expect(results[0]?.passed).toBe(passed);
  });

  test('it sees the parameters that were chosen and no others', async () => {
    const metrics = [
      {
        ...geval,
        evaluation_steps: ['x'],
        evaluation_params: ['input', 'expected_output', 'context', 'retrieval_context'] as const,
      },
    ];
    const written = metrics.map((metric) => ({ ...metric, evaluation_params: [...metric.evaluation_params] }));
    const { requests } = await runMetricsOf({ metrics: written, ...support }, () => scored(5));
    const blocks = blocksOf(requests[0] ?? { user: '' });
    expect([...blocks.keys()]).toEqual(['Input', 'Expected output', 'Context', 'Retrieved context']);
    expect(blocks.get('Retrieved context')).toBe('1. Mon 9-17\n\n2. Tue 8-16');
  });

  test('a parameter that the case lacks is a missing input', async () => {
    const metrics = [{ ...geval, evaluation_params: ['expected_output' as const] }];
    const { results, requests } = await runMetricsOf({ metrics }, move);
    expect(requests).toHaveLength(0);
    expect(results[0]?.error).toBe('missing_input: the test run has no ground_truth');
  });
});

describe('RAG', () => {
  const items = (...list: string[]) => says({ items: list });
  const verdicts = (...list: boolean[]) =>
    says({ verdicts: list.map((verdict, index) => ({ number: index + 1, reasoning: `r${index + 1}`, verdict })) });
  const rag = (
    metric_type:
      | 'faithfulness'
      | 'answer_relevancy'
      | 'contextual_relevancy'
      | 'contextual_precision'
      | 'contextual_recall',
    more = {},
  ) => ({
    ...support,
    metrics: [{ metric: metric_type, type: 'rag' as const, metric_type, ...more }],
  });
  const inTurn =
    (...moves: ReturnType<typeof says>[]) =>
    (_request: unknown, call: number) =>
      moves[call - 1] ?? isDown;

  test.each(['faithfulness', 'answer_relevancy', 'contextual_relevancy', 'contextual_recall'] as const)(
    '%s is the share of items that were decided for',
    async (type) => {
      const { results, requests, details } = await runMetricsOf(
        rag(type),
        inTurn(items('a', 'b', 'c', 'd'), verdicts(true, false, true, true)),
      );
      expect(requests).toHaveLength(2);
      expect(blocksOf(requests[1] ?? { user: '' }).get('Items')).toBe('1. a\n\n2. b\n\n3. c\n\n4. d');
      expect(results[0]).toMatchObject({ score: 0.75, passed: true, threshold: null });
      expect(details[0]).toMatchObject({ kind: 'rag', reasoning: '3 of 4\nb: r2' });
    },
  );

  test('contextual precision weighs early chunks more and needs one call', async () => {
    const late = await runMetricsOf(rag('contextual_precision'), inTurn(verdicts(false, true)));
    const early = await runMetricsOf(rag('contextual_precision'), inTurn(verdicts(true, false)));
    expect(late.requests).toHaveLength(1);
    expect(blocksOf(late.requests[0] ?? { user: '' }).get('Items')).toBe('1. Mon 9-17\n\n2. Tue 8-16');
    expect([late.results[0]?.score, early.results[0]?.score]).toEqual([0.5, 1]);
  });

  test('no useful chunk is 0', async () => {
    const { results } = await runMetricsOf(rag('contextual_precision'), inTurn(verdicts(false, false)));
    expect(results[0]).toMatchObject({ score: 0, passed: false, error: null });
  });

  test.each([
    ['faithfulness', 'not_applicable'],
    ['answer_relevancy', 'not_applicable'],
    ['contextual_recall', 'not_applicable'],
    ['contextual_relevancy', 'missing_input'],
  ] as const)('%s of nothing is %s', async (type, error) => {
    const { results } = await runMetricsOf(rag(type), inTurn(items()));
    expect(results[0]).toMatchObject({ score: null, passed: false });
    expect(results[0]?.error).toMatch(new RegExp(`^${error}: `));
  });

  test.each([
    ['a missing number', verdicts(true)],
    ['a number twice', says({ verdicts: [1, 1].map((number) => ({ number, reasoning: '', verdict: true })) })],
    ['a number too much', verdicts(true, true, true)],
  ])('%s is sent back, and the items stay', async (_name, answer) => {
    const { results, requests } = await runMetricsOf(
      rag('faithfulness'),
      inTurn(items('a', 'b'), answer, verdicts(true, true)),
    );
    expect(requests.map(({ request }) => request.schema?.name)).toEqual(['items', 'verdicts', 'verdicts']);
    expect(results[0]).toMatchObject({ score: 1, retry_count: 0 });
  });

  test('more than 30 items are decided about in batches, and a retry asks only for those that are open', async () => {
    const many = Array.from({ length: 40 }, (_, index) => `item ${index + 1}`);
    const answers = [
      verdicts(...Array.from({ length: 30 }, () => true)),
      says('hm'),
      says('hm'),
      verdicts(...Array.from({ length: 10 }, () => false)),
    ];
    const { requests, results } = await runMetricsOf(
      rag('faithfulness', { retry_on_failure: 1 }),
      inTurn(items(...many), ...answers),
    );
    const itemsOf = (at: number) => blocksOf(requests[at] ?? { user: '' }).get('Items');
    expect(itemsOf(1)).toContain('30. item 30');
    expect(itemsOf(1)).not.toContain('item 31');
    expect(itemsOf(2)).toContain('1. item 31');
    expect(itemsOf(4)).toBe(itemsOf(2));
    expect(requests).toHaveLength(5);
    expect(results[0]).toMatchObject({ score: 0.75, retry_count: 1 });
  });

  test('of more than 120 items the first ones are decided about, and it says so', async () => {
    const many = Array.from({ length: 130 }, (_, index) => `item ${index + 1}`);
    const thirty = verdicts(...Array.from({ length: 30 }, () => true));
    const { details } = await runMetricsOf(rag('faithfulness'), inTurn(items(...many), thirty, thirty, thirty, thirty));
    expect(details[0]?.reasoning).toBe('120 of 120\n10 more were not decided about');
  });

  test('statements of a text that was too long to be shown whole are decided about, and it says so', async () => {
    const story = { metrics: rag('answer_relevancy').metrics, response: 'x '.repeat(40_000) };
    const { details } = await runMetricsOf(story, inTurn(items('a'), verdicts(true)));
    expect(details[0]?.reasoning).toMatch(/^1 of 1\nThe middle of the text was left out/);
  });

  test('without chunks faithfulness has a missing input', async () => {
    const { results } = await runMetricsOf({ metrics: rag('faithfulness').metrics }, inTurn());
    expect(results[0]?.error).toBe('missing_input: the test run has no chunks');
  });
});

describe('checks as metrics', () => {
  test('llm_judge compares with the ground_truth', async () => {
    const judged = says({ reasoning: 'same hours', passed: true });
    const { results, details, requests } = await runMetricsOf(
      { metrics: [{ metric: 'llm_judge' }], ...support },
      () => judged,
    );
    expect(results[0]).toMatchObject({ score: 1, passed: true, model_used: 'judge-1' });
    expect(details[0]).toMatchObject({ kind: 'check', reasoning: 'same hours' });
    expect(requests[0]?.user).toContain('Nine to five');
  });

  test('semantic_similarity is the cosine of both texts', async () => {
    const story = { metrics: [{ metric: 'semantic_similarity', threshold: 0.99 }], embedding: judgeModel };
    const { results } = await runMetricsOf(
      { ...story, response: 'Nine', case: { ground_truth: 'nine' } },
      () => isDown,
    );
    expect(results[0]?.score).toBeCloseTo(1, 12);
    expect(results[0]?.passed).toBe(true);
  });
});

test.each([
  [undefined, -1],
  [5, 0],
])('an opposite meaning on a scale of %s is %d, and the result can be stored', async (scale, score) => {
  const base = scriptedJudge(() => isDown).models;
  const embed: typeof base.embed = async () => ({
    ok: true,
    value: {
      vectors: [
        [1, 0],
        [-1, 0],
      ],
      usage: null,
    },
  });
  const metrics = [{ metric: 'semantic_similarity', ...(scale === undefined ? {} : { scale }) }];
  const outcome = await runWith(
    { ...base, embed },
    { metrics, embedding: judgeModel, case: { ground_truth: 'Nine to five' } },
  );
  expect(CaseOutcome.parse(outcome).metrics).toMatchObject([{ score, passed: false }]);
});

describe('equal subjects', () => {
  const answer = 'From 9 to 17';
  const asked = async (metric: string) => {
    const judge = scriptedJudge(() => scored(1));
    for (const instructions of ['Be kind.', 'Be short.'])
      await runWith(judge.models, { metrics: [{ metric }], response: answer, agent: { instructions } });
    return judge.requests.length;
  };

  test('are rated once where the model sees nothing of what differs, as in both sides of a comparison', async () => {
    expect(await asked('relevance')).toBe(1);
    expect(await asked('fluency')).toBe(1);
  });

  test('are rated apart where it does', async () => {
    expect(await asked('task_adherence')).toBe(2);
  });

  test('share an answer whatever is made of the score', async () => {
    const judge = scriptedJudge(() => scored(3));
    const strict = { metric: 'relevance', threshold: 0.9, scale: 5 };
    const [first, second] = [
      await runWith(judge.models, { metrics: [{ metric: 'relevance' }] }),
      await runWith(judge.models, { metrics: [strict] }),
    ];
    expect(judge.requests).toHaveLength(1);
    expect([first, second].map(({ metrics }) => metrics[0]?.score)).toEqual([0.6, 3]);
  });
});
