import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { countingAgent, runIn } from '../resume/interrupted-run.fixture.ts';
import { scratchRepository } from '../scratch-repository.fixture.ts';

/** What is really in use, without what only waits to be collected. */
function heapInUseMb(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
  return process.memoryUsage().heapUsed / 1e6;
}

test('what rows of a file were answered is on disk, and none of it in memory', async () => {
  const [rows, characters] = [1_500, 30_000];
  await using agent = await countingAgent((question) => `${question.slice(0, 100)} ${'x'.repeat(characters)} to 17`);
  await using repository = await scratchRepository({
    'cases.csv': `id,question\n${Array.from({ length: rows }, (_, row) => `case ${row},Until when on day ${row}?\n`).join('')}`,
    'rows.suite.yaml': `name: Rows
agent: { name: Agent, instructions: Answer., driver: { type: http, url: "${agent.url}" } }
cases_from:
  file: cases.csv
  case: { input: "{{question}}", expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }
`,
  });
  const inUse: number[] = [];
  const onFinished = ({ done }: { done: number }) => {
    if (done % 500 === 0) inUse.push(heapInUseMb());
  };
  const run = await runIn(repository, { parts: { onFinished, concurrency: 8 } });
  expect(run).toMatchObject({ ok: true, suiteRuns: [{ totals: { passed: rows } }] });
  expect(agent.calls()).toBe(rows);
  expect(run.ok && run.suiteRuns[0]?.cases[7]).toMatchObject({
    caseName: 'case 7',
    line: 5,
    row: { file: 'cases.csv', line: 9 },
  });
  const [first = Number.NaN, , last = Number.NaN] = inUse;
  // 1,000 answers of 30 KB came between the two.
  expect(last - first).toBeLessThan(10);
});
