import { expect, test } from 'vitest';
import { describeSimulation } from './describe-simulation.ts';

const facts = {
  endReason: 'simulator',
  leaveReason: 'goal_met',
  agentTurns: 2,
  discardedTries: [],
  simulator: { template: 'simulator/1', model: null, calls: 2, usage: null, costUsd: null },
} as const;

test('a conversation that went as it should has nothing to tell', () => {
  expect(describeSimulation({ ...facts, discardedTries: [] })).toEqual([]);
});

test('tries that were thrown away are counted, with why', () => {
  expect(describeSimulation({ ...facts, discardedTries: ['It left early'] })).toEqual([
    'simulated user: started over once: It left early',
  ]);
  expect(describeSimulation({ ...facts, discardedTries: ['It left early', 'It recited'] })).toEqual([
    'simulated user: started over 2 times: It left early; It recited',
  ]);
});

test('faults that a review has found name the message and what would have been right', () => {
  const fault = {
    message: 2,
    kind: 'invented_fact',
    explanation: 'It made up an order.',
    correctBehavior: 'Say it does not know.',
  } as const;
  expect(describeSimulation({ ...facts, discardedTries: [], review: [{ ...fault, isCritical: true }] })).toEqual([
    'simulated user: message 2, invented fact (critical): It made up an order. Right would be: Say it does not know.',
  ]);
});
