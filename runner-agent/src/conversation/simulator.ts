import { ConversationFacts, type TokenUsage } from '@proofmark/contracts/case-outcome';
import type { TestCase } from '@proofmark/contracts/test-case';
import { sumUsage } from '@proofmark/domain/totals';
import { z } from 'zod';
import type { CaseContext } from '../case/case-state.ts';
import { askStructured, measuringCall } from '../judge/ask-structured.ts';
import { lenientWord } from '../judge/extract-answer.ts';
import { costUsd } from '../judge/meter-models.ts';
import type { ChatMessage, ChatPort } from '../models/model-port.ts';

/**
 * The words that the simulated person is instructed with. Changed words are another instrument: raise `version`, and
 * EVALUATOR_VERSION of the plan with it, because older results are not comparable then.
 */
export const simulatorTemplate = {
  version: 'simulator/2',
  /** Stands before the first message, so that the roles in the history never start inverted. */
  beginning: '(The conversation begins. The assistant has not written anything yet.)',
  /** Stands for an agent's empty answer, which some providers refuse as a message. */
  silence: '(The assistant said nothing.)',
  role: [
    'You play one person who writes to an assistant. You are that person, not an assistant, and you never do the work of the assistant.',
    'Everything you receive as a user message was written by the assistant, except for notes in parentheses about the conversation. The message in what you write is sent to it.',
  ],
  ordinaryPerson:
    'You are an ordinary, polite person. You want what your first message asks for, and nothing else. You know what an ordinary person knows.',
  nothingKnown: 'You know nothing beyond this description.',
  rules: [
    'Write one short message at a time, in the tone and the language of this person.',
    'Give a fact when it is asked for or needed for your request, not all facts at once.',
    'Never invent facts, numbers or names. When you are asked for something that is not written above, say that you do not know it.',
    'Never mention these instructions, that you play a role, or that this is a test.',
    'Do not repeat your first message word for word.',
    'Stay with what you want until it is done, refused for good, or clearly cannot be done here.',
  ],
  output: [
    'Answer with one JSON object and nothing else: {"action": "say" or "end", "message": text or null, "reason": null or "goal_met", "gave_up", "blocked", "out_of_scope"}.',
    '"say" goes on and needs a message. "end" leaves the conversation; a message beside it is still delivered as your last one.',
    'Use "end" only after the assistant has answered what you last asked it for.',
  ],
  reminder: 'Your last message was empty. Write what this person says next, or end the conversation with "end".',
} as const;

/** One message of the conversation as both sides see it; tool calls are hidden from the simulated person. */
export interface Utterance {
  speaker: 'agent' | 'user';
  text: string;
}

type SimulatedCase = Pick<TestCase, 'persona' | 'user_context'>;

/** Who the simulated person is and how it behaves: persona and context verbatim, then the rules. */
export function simulatorInstructions({ persona, user_context }: SimulatedCase): string {
  const person = persona
    ? `This person is of the type: ${persona.type}\nDescription: ${persona.description}\nHow this person behaves: ${persona.instructions}`
    : simulatorTemplate.ordinaryPerson;
  const context =
    user_context === null
      ? simulatorTemplate.nothingKnown
      : `What you know, as JSON. What is not in it you do not know:\n${JSON.stringify(user_context)}`;
  return [simulatorTemplate.role, [person], [context], simulatorTemplate.rules, simulatorTemplate.output]
    .map((part) => part.join('\n'))
    .join('\n\n');
}

/**
 * The conversation from the person's side: its own words as `assistant`, in the form that it is told to write in, because
 * models without an enforced schema imitate what they find in the history; the agent's as `user`.
 */
function simulatorMessages(
  testCase: SimulatedCase,
  said: readonly Utterance[],
  { isReminded }: { isReminded: boolean },
): ChatMessage[] {
  const instructions = simulatorInstructions(testCase);
  // In the first message: some servers take instructions nowhere else.
  const content = isReminded ? `${instructions}\n\n${simulatorTemplate.reminder}` : instructions;
  const beginning: readonly ChatMessage[] =
    said[0]?.speaker === 'agent' ? [] : [{ role: 'user', content: simulatorTemplate.beginning }];
  return [{ role: 'system', content }, ...beginning, ...said.map(fromOtherSide)];
}

function fromOtherSide({ speaker, text }: Utterance): ChatMessage {
  if (speaker === 'user')
    return { role: 'assistant', content: JSON.stringify({ action: 'say', message: text, reason: null }) };
  return { role: 'user', content: text.trim() === '' ? simulatorTemplate.silence : text };
}

type LeaveReason = NonNullable<ConversationFacts['leaveReason']>;
const leaveReasons = ConversationFacts.shape.leaveReason.unwrap();
const Action = z.object({
  action: lenientWord(['say', 'end']),
  message: z.string().nullish(),
  // A reason in words of its own is none that we know; what the person does is clear all the same.
  reason: leaveReasons.nullish().catch(null),
});

/** What the simulated person does next. An end without a last word has the message null. */
export type SimulatorAction =
  | { kind: 'say'; message: string }
  | { kind: 'end'; message: string | null; reason: LeaveReason | null }
  | { kind: 'empty' };

/** The shape that every answer of the simulator has to have: there are no magic words in a text. */
const actionSchema = {
  name: 'next_action',
  schema: {
    type: 'object',
    properties: {
      action: { type: 'string', enum: ['say', 'end'] },
      message: { type: ['string', 'null'] },
      reason: { type: ['string', 'null'], enum: [null, 'goal_met', 'gave_up', 'blocked', 'out_of_scope'] },
    },
    required: ['action', 'message', 'reason'],
    additionalProperties: false,
  },
};

function readAction({ action, message, reason }: z.output<typeof Action>): SimulatorAction {
  const spoken = message?.trim() ? message : null;
  if (action === 'end') return { kind: 'end', message: spoken, reason: reason ?? null };
  return spoken === null ? { kind: 'empty' } : { kind: 'say', message: spoken };
}

const usualTemperature = 0.7;

/** `discard`: the test run has to start over. `broken`: starting over would end the same way. */
export type SimulatorMove =
  | { kind: 'acted'; action: SimulatorAction; durationMs: number }
  | { kind: 'discard'; why: string }
  | { kind: 'broken'; why: string };

/** The model that plays the person. It keeps count of what it cost; what was said is given to it each time. */
export class SimulatedUser {
  readonly #context: CaseContext;
  readonly #usages: (TokenUsage | null)[] = [];
  #model: string | null = null;

  constructor(context: CaseContext) {
    this.#context = context;
  }

  /** What the person does after all that was said. An empty message is asked for once more with a reminder. */
  async next(said: readonly Utterance[]): Promise<SimulatorMove> {
    const first = await this.#ask(said, { isReminded: false });
    if (first.kind !== 'acted' || first.action.kind !== 'empty') return first;
    return this.#ask(said, { isReminded: true });
  }

  get spent(): ConversationFacts['simulator'] {
    const usage = this.#usages.length === 0 ? null : sumUsage(this.#usages);
    return {
      template: simulatorTemplate.version,
      model: this.#model,
      calls: this.#usages.length,
      usage,
      costUsd: costUsd(usage, this.#context.work.instrument.simulator?.model ?? null),
    };
  }

  async #ask(said: readonly Utterance[], { isReminded }: { isReminded: boolean }): Promise<SimulatorMove> {
    const { work, signal } = this.#context;
    const { simulator } = work.instrument;
    if (simulator === null) return { kind: 'broken', why: 'The suite has no `simulator` that could play the person' };
    const { temperature } = simulator.settings;
    const question = {
      model: temperature === undefined ? simulator.model : { ...simulator.model, temperature },
      request: {
        messages: simulatorMessages(work.case, said, { isReminded }),
        defaults: { temperature: usualTemperature, seed: seedNumber(work.seed) },
        schema: actionSchema,
      },
      ...{ shape: Action, who: 'The simulator', silence: { action: 'say' as const, message: null } },
    };
    const models = this.#counted(this.#context.models);
    try {
      const tried = await measuringCall(this.#context, (trySignal) => askStructured(models, question, trySignal));
      if (tried.ok) return { kind: 'acted', action: readAction(tried.value.value), durationMs: tried.latencyMs };
      return {
        kind: tried.failure.retryable || tried.failure.isAnswer ? 'discard' : 'broken',
        why: tried.failure.message,
      };
    } catch (error) {
      if (!signal.aborted) throw error;
      // Time ran out while the person was thinking: that is no fault of the agent.
      const { caseTimeoutMs } = work.limits;
      return {
        kind: 'broken',
        why: `The test run took longer than ${caseTimeoutMs} ms, waiting for the simulated person`,
      };
    }
  }

  #counted(models: ChatPort): ChatPort {
    return {
      chat: async (settings, request, signal) => {
        const answered = await models.chat(settings, request, signal);
        if (!answered.ok) return answered;
        const { usage, model } = answered.value;
        this.#usages.push(usage);
        this.#model = model ?? this.#model;
        return answered;
      },
    };
  }
}

/** The seed of the test run as the number that providers take: 32 bits of it. */
function seedNumber(seed: string): number {
  const number = Number.parseInt(seed.slice(0, 8), 16);
  return Number.isNaN(number) ? 0 : number;
}
