import { fingerprintOf } from '@proofmark/domain/fingerprint';
import { expect, it } from 'vitest';
import { parseFiles } from '../definitions/parse-files.ts';
import { anInput, suiteFile } from '../story.fixture.ts';
import { decideRun } from './decide-run.ts';
import { preparePlan } from './prepare-plan.ts';

const input = anInput({ files: [{ path: 'evals/support.suite.yaml', text: suiteFile({ cases: 1000 }) }] });
const asked = { agents: new Map(), base: null, atMergeBase: null, runSeed: '5eed', isProposal: false, isBase: false };
const decided = decideRun({ input, loaded: parseFiles(input), ...asked });
if (!decided.ok) throw new Error(JSON.stringify(decided.problems));
const { suiteRuns } = decided.run;

it('prepares a plan a little at a time, so that what Postgres answers is gone on with', async () => {
  let turns = 0;
  let isPrepared = false;
  const count = () => {
    turns += 1;
    if (!isPrepared) setImmediate(count);
  };
  setImmediate(count);
  const { fingerprints, partsOf } = await preparePlan(suiteRuns, { areExecuted: true });
  isPrepared = true;
  expect(turns).toBeGreaterThan(4);
  expect([...fingerprints]).toEqual(suiteRuns.map((planned) => [planned, fingerprintOf(planned)]));
  const works = suiteRuns.flatMap(({ testRuns }) => testRuns.flatMap(({ work }) => work ?? []));
  expect(new Set(works.map((work) => partsOf(work).case.hash)).size).toBe(1000);
});

it('cuts no work that no runner will need', async () => {
  const asked: unknown[] = [];
  const noted = <Work extends object>(work: Work): Work =>
    new Proxy(work, {
      get: (of, key) => {
        asked.push(key);
        return Reflect.get(of, key);
      },
    });
  const watched = suiteRuns.map((planned) => ({
    ...planned,
    testRuns: planned.testRuns.map((testRun) => ({ ...testRun, work: testRun.work && noted(testRun.work) })),
  }));
  await preparePlan(watched, { areExecuted: false });
  expect(asked).not.toContain('resolvedVariables');
  await preparePlan(watched, { areExecuted: true });
  expect(asked).toContain('resolvedVariables');
});
