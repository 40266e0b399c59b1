import { expect, it } from 'vitest';
import { planRun } from './plan-run.ts';
import { samplePlan, sampleSuite } from './sample-definitions.fixture.ts';

const keysOf = (suite: object, request: Parameters<typeof samplePlan>[1] = {}) => {
  const planned = planRun(samplePlan([sampleSuite({ suite })], request));
  if (!planned.ok) throw new Error(JSON.stringify(planned.problems));
  return planned.plan.suiteRuns.map(({ cellKey }) => cellKey);
};

it('names a cell in the order of the test type, whatever order the axes are written in (S4-87)', () => {
  const expected = ['AIConfiguration=alpha,Temperature=0', 'AIConfiguration=beta,Temperature=0'];
  expect(keysOf({ matrix: { Temperature: [0], AIConfiguration: ['alpha', 'beta'] } })).toEqual(expected);
  const mixed = {
    matrix: { Temperature: [0] },
    matrixAssignments: [{ name: 'AIConfiguration', values: ['alpha', 'beta'] }],
  };
  expect(keysOf({}, mixed)).toEqual(expected);
});

it('knows an included cell again that is written in another order (S4-87)', () => {
  const matrix = { Temperature: [0], AIConfiguration: ['alpha'] };
  expect(keysOf({ matrix, matrix_include: [{ Temperature: 0, AIConfiguration: 'alpha' }] })).toHaveLength(1);
});
