import { expect, it } from 'vitest';
import { hoursRules, hoursSuite } from '../judging/shop-hours.ts';
import { patient, startRunningProduct } from './running-product.ts';

it('a runner judges equal answers of a run once, and another run anew', patient, async () => {
  await using running = await startRunningProduct({ rules: hoursRules, runnerEnv: { PROOFMARK_SLOTS: '8' } });
  const { model } = running;
  const asked = (path: string) => model.requests.filter((request) => request.path.endsWith(path));
  for (const judged of [4, 8]) {
    const { results } = await running.waitForEnd(await running.start(hoursSuite({ repetitions: 25 })));
    expect(results.map(({ status }) => status)).toEqual(Array(50).fill('passed'));
    // Two different answers: one judgement and one rating each.
    expect(asked('/chat/completions')).toHaveLength(judged);
  }
  // Both runs embed the same two texts, each once.
  const embedded = asked('/embeddings').flatMap(({ user }) => user.split('\n'));
  expect(embedded.toSorted()).toEqual([...['From 9 to 12.', 'From 9 to 12.', 'From 9 to 17.', 'From 9 to 17.']]);
});
