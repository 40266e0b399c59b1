import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shopFiles, worsenedPrompt } from '../demo/shop.ts';
import { annotations } from '../stack/github/read-back.ts';
import { openShopWorld, type ShopWorld } from './shop-world.ts';

const path = 'evals/support.suite.yaml';

async function brokenSuite(): Promise<Record<string, string>> {
  const text = (await shopFiles())[path] ?? '';
  return { [path]: text.replace('repetitions: 3\n', 'repetitions: 3\nrepetition: 4\n') };
}

const lineOf = (text: string, words: string): number => text.split('\n').findIndex((line) => line.includes(words)) + 1;

describe.each([
  ['with the App the coordinator', true, 'app', 'coordinator'],
  ['without a coordinator the job', false, 'token', 'embedded'],
] as const)(
  '%s closes the check of a commit whose definitions are invalid',
  (_who, withCoordinator, reportMode, executionMode) => {
    let world: ShopWorld;

    beforeAll(async () => {
      world = await openShopWorld({ withCoordinator });
    });
    afterAll(async () => {
      await world?.[Symbol.asyncDispose]();
    });

    test('as a failure with the problem on its line, in the comment, the summary and the outputs', async () => {
      const changes = await brokenSuite();
      const shop = await world.openShop({ withApp: withCoordinator, changes });
      const { exitCode, outputs, summary, log } = await world.gate(shop);
      expect(exitCode, log).toBe(1);
      expect(outputs).toMatchObject({
        outcome: 'invalid',
        conclusion: 'failure',
        'report-mode': reportMode,
        'execution-mode': executionMode,
        'suites-total': '1',
      });
      expect(summary).toContain('### Proofmark: Invalid definition: 1 problem');
      const [check, ...others] = await world.completedChecks(shop, 1);
      expect(others).toEqual([]);
      expect([check?.name, check?.conclusion, check?.output.title]).toEqual([
        'proofmark',
        'failure',
        'Invalid definition: 1 problem',
      ]);
      const marks = await annotations(world.github, shop.repository, check?.id ?? 0);
      expect(marks.map(({ path: file, start_line, annotation_level }) => [file, start_line, annotation_level])).toEqual(
        [[path, lineOf(changes[path] ?? '', 'repetition: 4'), 'failure']],
      );
      const [comment] = await world.commentsLike(shop, /Invalid definition: 1 problem/);
      expect(comment?.body).toContain(shop.headSha.slice(0, 7));
    });

    test('and the commit that repairs it is judged as ever', async () => {
      const shop = await world.openShop({ withApp: withCoordinator, changes: await brokenSuite() });
      await world.gate(shop);
      await world.commentsLike(shop, /Invalid definition/);
      const files = { [path]: (await shopFiles())[path] ?? '', ...(await worsenedPrompt()) };
      const repaired = await world.push(shop, files);
      const { outputs, log } = await world.gate(repaired);
      expect(outputs.outcome, log).not.toBe('invalid');
      const [comment, ...others] = await world.commentsLike(repaired, new RegExp(repaired.headSha.slice(0, 7)));
      expect(others).toEqual([]);
      expect(comment?.body).not.toContain('Invalid definition');
    });
  },
);
