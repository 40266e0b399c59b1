import { expect, test } from 'vitest';
import { isDown } from '../judge/scripted-judge.fixture.ts';
import { runMetricsOf, type WrittenMetric } from './a-metric-run.fixture.ts';

const compare = async (metric: WrittenMetric, response: string, truth: string) => {
  const { results, details, requests } = await runMetricsOf(
    { metrics: [metric], response, case: { ground_truth: truth } },
    () => isDown,
  );
  expect(requests).toHaveLength(0);
  return { ...results[0], reasoning: details[0]?.reasoning };
};

test.each([
  ['bleu', 0.3799178428257963],
  ['rouge', 0.8333333333333334],
  ['rougeL', 0.8333333333333334],
  ['rouge1', 0.8333333333333334],
  ['rouge2', 0.6],
  ['meteor', 0.8066666666666668],
  ['f1', 0.75],
])('%s asks no model', async (metric, score) => {
  const result = await compare({ metric }, 'The cat sat on the mat', 'The cat is on the mat');
  expect(result.score).toBeCloseTo(score, 9);
  expect(result).toMatchObject({ passed: true, model_used: null, error: null });
});

test('a lexical score takes the scale of its metric', async () => {
  expect(
    await compare({ metric: 'f1', scale: 10, threshold: 8 }, 'The cat sat on the mat', 'The cat is on the mat'),
  ).toMatchObject({ score: 7.5, passed: false });
});

test('C05 nothing in common is a real 0', async () => {
  expect(await compare({ metric: 'bleu' }, 'apples', 'pears')).toMatchObject({ score: 0, passed: false, error: null });
});

test('a reference without a word cannot be compared with', async () => {
  expect(await compare({ metric: 'rouge' }, 'apples', '…')).toMatchObject({
    score: null,
    error: 'not_applicable: the ground_truth has no word to compare with',
  });
  expect(await compare({ metric: 'equality' }, 'apples', ' ')).toMatchObject({ score: null });
});

test('equality follows its options', async () => {
  expect(await compare({ metric: 'equality' }, 'Yes.', 'yes')).toMatchObject({ score: 0, passed: false });
  const options = { case_insensitive: true, strip_punctuation: true, strip_whitespace: true };
  expect(await compare({ metric: 'equality', ...options }, ' Yes. ', 'yes')).toMatchObject({ score: 1, passed: true });
});

test('numeric follows its options', async () => {
  const percent = { accept_percent: true, accept_thousands_separators: true };
  expect(await compare({ metric: 'numeric', ...percent }, '1,250%', '12.5')).toMatchObject({ score: 1, passed: true });
  expect(await compare({ metric: 'numeric' }, '1,250', '1250')).toMatchObject({
    score: 0,
    passed: false,
    reasoning: 'the response is not a number',
  });
  expect(await compare({ metric: 'numeric', relative_tolerance: 0.1 }, '109', '100')).toMatchObject({ score: 1 });
  expect(await compare({ metric: 'numeric' }, '5', 'five')).toMatchObject({
    score: null,
    error: 'invalid_ground_truth: the ground_truth is not a number',
  });
});

test('response_path compares a part of a JSON response', async () => {
  const metric = { metric: 'numeric', response_path: 'items[0].score' };
  expect(await compare(metric, '{"items": [{"score": 0.5}]}', '0.5')).toMatchObject({ score: 1 });
  expect(await compare(metric, '{"items": []}', '0.5')).toMatchObject({
    score: 0,
    error: null,
    reasoning: 'the response has nothing at items[0].score',
  });
  expect(await compare(metric, 'none', '0.5')).toMatchObject({ score: 0, reasoning: 'the response is not JSON' });
});

test('a text that would take seconds to compare is refused', async () => {
  const result = await compare({ metric: 'rouge' }, 'a '.repeat(60_000), 'a');
  expect(result.error).toMatch(/^too_long: /);
});
