import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { contentHash } from '@proofmark/contracts/content-hash';
import { EVALUATOR_VERSION } from '@proofmark/domain/content-hashes';
import { expect, test } from 'vitest';
import { reviewFaults, reviewRole, reviewRules } from './review-simulation.ts';
import { end, type PersonStory, playPerson, say } from './scripted-person.fixture.ts';
import { simulatorTemplate } from './simulator.ts';

const fault = {
  message: 2,
  kind: 'invented_fact',
  explanation: 'It made an order number up',
  correct_behavior: 'It says that it does not know the number',
  is_critical: true,
};

/** A conversation that fails because a forbidden tool was called, reviewed with this answer. */
function failing(review: 'off' | 'label' | 'exclude', answer: unknown, story: Partial<PersonStory> = {}) {
  return playPerson({
    settings: { review },
    case: { expected_tool_calls: [{ tool: 'drop', forbidden: true }] },
    agent: {
      tools: [{ name: 'drop' }],
      driver: { type: 'scripted', replies: [{ tool_calls: [{ name: 'drop' }], reply: 'Dropped' }] },
    },
    lines: [say('Order Z-9'), end(), typeof answer === 'string' ? answer : JSON.stringify(answer)],
    ...story,
  });
}

test('with `review: label` faults of the person are shown beside a failed test run, and change nothing', async () => {
  const { outcome, asked } = await failing('label', { faults: [fault] });

  expect(CaseOutcome.parse(outcome)).toEqual(outcome);
  expect(outcome).toMatchObject({
    status: 'failed',
    conversation: {
      review: [
        {
          message: 2,
          kind: 'invented_fact',
          isCritical: true,
          explanation: 'It made an order number up',
          correctBehavior: 'It says that it does not know the number',
        },
      ],
    },
  });
  expect(asked).toHaveLength(3);
  expect(asked[2]).toMatchObject({ defaults: { temperature: 0 }, schema: { name: 'simulation_review' } });
  expect(asked[2]?.messages[1]?.content).toContain('person, message 2: Order Z-9');
});

test('with `review: exclude` a critical fault makes the test run invalid, any other does not', async () => {
  expect((await failing('exclude', { faults: [fault] })).outcome).toMatchObject({
    status: 'error',
    errorKind: 'simulator',
    errorMessage: 'The simulated person spoilt the test run: It made an order number up',
    conversation: { review: [{ isCritical: true }] },
  });
  expect((await failing('exclude', { faults: [{ ...fault, is_critical: false }] })).outcome.status).toBe('failed');
});

test('faults in messages that were never written are left out', async () => {
  const { outcome } = await failing('exclude', { faults: [{ ...fault, message: 9 }] });

  expect(outcome).toMatchObject({ status: 'failed', conversation: { review: [] } });
});

test('a review that cannot be used leaves the test run failed and says so', async () => {
  const { outcome } = await failing('exclude', 'I think it went well');

  expect(outcome).toMatchObject({ status: 'failed', flags: expect.arrayContaining(['simulation_not_reviewed']) });
});

test('nobody looks when the suite does not ask for it, or when the test run passed', async () => {
  expect((await failing('off', { faults: [fault] })).asked).toHaveLength(2);
  const passed = await playPerson({ settings: { review: 'exclude' }, lines: [say('Order Z-9'), end()] });
  expect(passed.asked).toHaveLength(2);
  expect(passed.outcome.conversation?.review).toBeUndefined();
});

test('changed words of the simulator or its review raise EVALUATOR_VERSION, so that older results are not compared with new ones', () => {
  const words = contentHash({ simulatorTemplate, review: [reviewRole, reviewFaults, reviewRules] });

  // When the hash differs: raise the version in domain/src/plan/content-hashes.ts and write both down here.
  expect({ version: EVALUATOR_VERSION, words }).toMatchInlineSnapshot(`
    {
      "version": 4,
      "words": "b31774b80e12dae9726dd583294b110219b758e5b08d08e19f736ee7244c2955",
    }
  `);
});
