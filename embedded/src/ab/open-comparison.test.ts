import { AgentDefinition } from '@proofmark/contracts/agent-file';
import { expect, test } from 'vitest';
import { abSuite, pairsOf } from './ab-world.fixture.ts';
import type { AbPair } from './comparison-store.ts';

const planned = (result: Awaited<ReturnType<typeof pairsOf>>): AbPair[] => {
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.pairs;
};
const workOf = (pair: AbPair | undefined, side: 'baseline' | 'candidate') => {
  const chosen = pair?.[side];
  return chosen !== undefined && 'work' in chosen ? chosen.work : undefined;
};

test('S3-04 S3-05 every case of a suite is a pair, or one that was named', async () => {
  expect(planned(await pairsOf(['One', 'Two'])).map(({ question }) => question)).toEqual(['One?', 'Two?']);
});

test('the sides differ in what was asked to differ, and in nothing else', async () => {
  const [pair] = planned(await pairsOf(['One'], { candidate: { assignments: [], preset: 'second' } }));
  const [baseline, candidate] = [workOf(pair, 'baseline'), workOf(pair, 'candidate')];
  expect([baseline?.model?.model, candidate?.model?.model]).toEqual(['alpha', 'beta']);
  expect([baseline?.variant, candidate?.variant]).toEqual(['baseline', 'candidate']);
  expect(candidate).toMatchObject({ seed: baseline?.seed, case: baseline?.case, instrument: baseline?.instrument });
});

test('an agent of its own replaces that of the suite on its side only', async () => {
  const agent = AgentDefinition.parse({
    name: 'New',
    instructions: 'Answer better.',
    driver: { type: 'openai' },
    ai_configuration: 'beta',
  });
  const [pair] = planned(await pairsOf(['One'], { candidate: { agent, assignments: [], preset: null } }));
  expect([workOf(pair, 'baseline')?.agent.name, workOf(pair, 'candidate')?.agent.name]).toEqual(['Agent', 'New']);
});

test('a value that the project does not know stops everything', async () => {
  const result = await pairsOf(['One'], {
    candidate: { assignments: [{ name: 'AIConfiguration', text: 'gamma' }], preset: null },
  });
  expect(result).toMatchObject({ ok: false });
});

test('cells of a matrix are questions of their own', async () => {
  const result = await pairsOf(['One'], {
    request: {
      variables: {},
      assignments: [],
      preset: null,
      cases: [],
      tags: [],
      difficulty: null,
      repetitions: null,
      compared: false,
      variants: ['head'],
      matrix: {},
      matrixAssignments: [{ name: 'Temperature', values: ['0', '1'] }],
    },
    candidate: { assignments: [], preset: null },
  });
  expect(planned(result).map(({ metadata }) => metadata.cell)).toEqual(['Temperature=0', 'Temperature=1']);
});

test('sides that would not be asked the same questions are refused', async () => {
  const candidate = { assignments: [{ name: 'Temperature', text: '1' }], preset: null };
  const inText = abSuite(['How warm is {{Temperature}}']).replace('cases:', 'variables: { Temperature: 0 }\ncases:');
  expect(await pairsOf([], { suite: inText, candidate })).toMatchObject({
    ok: false,
    problems: [{ message: expect.stringContaining('The sides would be asked different questions') }],
  });
  const inMatrix = abSuite(['One']).replace('cases:', 'matrix: { Temperature: [0, 1] }\ncases:');
  expect(await pairsOf([], { suite: inMatrix, candidate })).toMatchObject({
    ok: false,
    problems: [{ message: expect.stringContaining('give both sides the same matrix') }],
  });
});
