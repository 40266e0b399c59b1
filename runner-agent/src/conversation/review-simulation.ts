import { SimulatorFault } from '@proofmark/contracts/case-outcome';
import { cutError } from '@proofmark/domain/kept-text';
import { z } from 'zod';
import { type CaseContext, type CaseState, type CaseStep, withError } from '../case/case-state.ts';
import { statusOf } from '../case/finish-outcome.ts';
import { askStructured, measuringCall } from '../judge/ask-structured.ts';
import { markData } from '../judge/data-blocks.ts';
import { lenientBoolean, lenientInt, lenientText, lenientWord } from '../judge/extract-answer.ts';
import type { ChatRequest } from '../models/model-port.ts';
import { simulatorInstructions } from './simulator.ts';

/** What a model is told that looks for faults of a simulated person. Changed words are another instrument, as with `simulatorTemplate`. */
export const reviewRole =
  'You check how well a simulated person was played in one conversation with an AI agent. You do not judge the agent, and you do not talk to anybody.';

export const reviewFaults = [
  'invented_fact: it stated something as a fact that neither its description nor what it knows says, and that changes what the agent had to do.',
  'revealed_too_early: it gave everything away at once although nobody asked, so that nothing was left to ask for.',
  'stopped_early: it left although what it wanted was neither done nor refused, and the agent was about to go on.',
  'contradiction: it contradicted its description, what it knows, or what it had said before.',
  'wrong_role: it spoke as an assistant, did the work of the agent, or mentioned that it plays a role.',
].join('\n');

export const reviewRules = [
  'A fault is critical only when the conversation could not have gone well because of it. An agent that failed by itself is no fault of the person.',
  'Most conversations have no fault: an empty list is a good answer. Never list what you cannot point at.',
  'Number the messages of the person from 1. Say what the person should have written or done instead.',
  'Answer with one JSON object and nothing else:',
  '{"faults": [{"message": 1, "kind": "...", "explanation": "...", "correct_behavior": "...", "is_critical": true or false}]}',
].join('\n');

const outputTokens = 2_000;

const Review = z.object({
  faults: z
    .array(
      z.object({
        message: lenientInt({ min: 1, max: 1_000 }),
        kind: lenientWord(SimulatorFault.shape.kind.options),
        explanation: lenientText,
        correct_behavior: lenientText,
        is_critical: lenientBoolean,
      }),
    )
    .max(20),
});

/**
 * Looks for faults of the simulated person in a test run that failed, where the suite asks for it. `label` shows them;
 * `exclude` also makes the test run invalid by a critical one. A look that yields nothing changes nothing.
 */
export const reviewSimulation: CaseStep = (state, context) => {
  const { simulator } = context.work.instrument;
  const review = simulator?.settings.review ?? 'off';
  const { conversation } = state;
  if (conversation === null || review === 'off' || statusOf(state, context.work).status !== 'failed') return state;
  return reviewed(state, context, { conversation, review });
};

interface Reviewed {
  conversation: NonNullable<CaseState['conversation']>;
  review: 'label' | 'exclude';
}

async function reviewed(
  state: CaseState,
  context: CaseContext,
  { conversation, review }: Reviewed,
): Promise<CaseState> {
  const faults = await findFaults(state, context);
  if (faults === null) return { ...state, flags: [...state.flags, 'simulation_not_reviewed'] };
  const looked: CaseState = { ...state, conversation: { ...conversation, review: faults } };
  const critical = faults.find(({ isCritical }) => isCritical);
  if (review === 'label' || critical === undefined) return looked;
  return withError(looked, 'simulator', `The simulated person spoilt the test run: ${critical.explanation}`);
}

/** Null when the model gave no usable answer. */
async function findFaults(state: CaseState, context: CaseContext): Promise<SimulatorFault[] | null> {
  const { work, models } = context;
  const model = work.instrument.simulator?.model;
  if (!model) return null;
  const request = reviewRequest(state, context);
  const tried = await measuringCall(context, (signal) =>
    askStructured(models, { model, request, shape: Review, who: 'The reviewer' }, signal),
  ).catch((error: unknown) => {
    // Time that runs out here takes nothing back from a verdict that is there.
    if (context.signal.aborted) return null;
    throw error;
  });
  if (!tried?.ok) return null;
  const spoken = state.transcript.filter(({ role }) => role === 'user').length;
  return tried.value.value.faults
    .filter(({ message }) => message <= spoken)
    .map(({ message, kind, explanation, correct_behavior, is_critical }) => ({
      message,
      kind,
      isCritical: is_critical,
      explanation: cutError(explanation),
      correctBehavior: cutError(correct_behavior),
    }));
}

function reviewRequest({ transcript }: CaseState, { work, ports }: CaseContext): ChatRequest {
  const data = markData(
    [
      { title: 'What the person was told', text: simulatorInstructions(work.case) },
      { title: 'Conversation', text: numbered(transcript) },
    ],
    ports.random,
  );
  return {
    messages: [
      { role: 'system', content: [reviewRole, reviewFaults, data.rule, reviewRules].join('\n\n') },
      { role: 'user', content: `${data.text}\n\n${reviewRules}` },
    ],
    defaults: { temperature: 0, maxTokens: outputTokens },
    schema: reviewSchema,
  };
}

/** The messages of the person carry the numbers by which a fault names them. */
function numbered(transcript: CaseState['transcript']): string {
  const written = transcript.filter(({ role }) => role === 'user');
  return transcript
    .filter(({ role }) => role !== 'tool')
    .map((turn) => `${turn.role === 'user' ? `person, message ${written.indexOf(turn) + 1}` : 'agent'}: ${turn.text}`)
    .join('\n\n');
}

const text = { type: 'string' };

const reviewSchema = {
  name: 'simulation_review',
  schema: {
    type: 'object',
    properties: {
      faults: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            message: { type: 'integer' },
            kind: { type: 'string', enum: SimulatorFault.shape.kind.options },
            explanation: text,
            correct_behavior: text,
            is_critical: { type: 'boolean' },
          },
          required: ['message', 'kind', 'explanation', 'correct_behavior', 'is_critical'],
          additionalProperties: false,
        },
      },
    },
    required: ['faults'],
    additionalProperties: false,
  },
};
