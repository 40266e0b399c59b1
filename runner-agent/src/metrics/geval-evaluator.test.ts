import { expect, test } from 'vitest';
import { judgeModel, says } from '../judge/scripted-judge.fixture.ts';
import type { WeighedToken } from '../models/model-port.ts';
import { runMetricsOf } from './a-metric-run.fixture.ts';
import { weighedScore } from './geval-evaluator.ts';

const plain = (token: string): WeighedToken => ({ token, alternatives: [{ token, logProbability: 0 }] });
const rival = (token: string, probability: number) => ({ token, logProbability: Math.log(probability) });

/** An answer of single tokens around that of the score. */
const around = (score: WeighedToken): WeighedToken[] => [
  ...['{"reasoning": "', 'a ', '7', '", "', 'score', '": '].map(plain),
  score,
  ...[', "status": "scored"}'].map(plain),
];
const seven = { token: '7', alternatives: [rival('7', 0.6), rival('8', 0.3), rival('x', 0.1)] };

test('a score is the mean of the numbers that might have stood there, by their probability', () => {
  expect(weighedScore(7, around(seven))).toBe(7.333);
  expect(weighedScore(7, around({ token: '7', alternatives: [rival('7', 1)] }))).toBe(7);
});

test.each<[string, WeighedToken[]]>([
  ['without probabilities', []],
  ['where the number is in two tokens', [...around(plain('')).slice(0, 6), plain('1'), plain('0'), plain('}')]],
  ['where the tokens say another number', around({ ...seven, token: '3' })],
  [
    'where most of the probability is on words',
    around({ token: '7', alternatives: [rival('7', 0.2), rival('null', 0.8)] }),
  ],
  ['where no token holds the score', [plain('nothing')]],
])('%s the number itself counts', (_why, tokens) => {
  expect(weighedScore(10, tokens)).toBe(10);
  expect(weighedScore(7, tokens)).toBe(7);
});

const kindness = { type: 'geval' as const, metric: 'kindness', criteria: 'Kind.', evaluation_steps: ['Read.'] };

test('probabilities are asked for by G-Eval alone, and a strict metric does without them', async () => {
  const answer = says({ reasoning: '', score: 7, status: 'scored' }, { tokens: around(seven) });
  const metrics = [kindness, { ...kindness, metric: 'strictness', strict_mode: true }, { metric: 'relevance' }];
  const told = says({ reasoning: '', score: 4, status: 'scored' });
  const { results, requests } = await runMetricsOf(
    { metrics, judge: { ...judgeModel, log_probabilities: true } },
    ({ system }) => (system.includes('How well the response') ? told : answer),
  );
  expect(results.map(({ score }) => Math.round((score ?? Number.NaN) * 1e6) / 1e6)).toEqual([0.7333, 0, 0.8]);
  expect(requests.map(({ request }) => request.weighsTokens ?? false)).toEqual([true, true, false]);
});
