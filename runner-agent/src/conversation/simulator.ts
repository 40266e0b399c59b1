import type { ConversationFacts, TokenUsage } from '@proofmark/contracts/case-outcome';
import type { CaseContext } from '../case/case-state.ts';
import { costUsd } from '../case/cost-usd.ts';
import { measuringCall } from '../checks/measuring-call.ts';
import { badAnswer } from '../models/bad-answer.ts';
import type { CallResult, ChatAnswer } from '../models/model-port.ts';
import { sumUsage } from '../models/sum-usage.ts';
import type { SimulatorAction } from './simulator-action.ts';
import { actionSchema, parseSimulatorAction } from './simulator-action.ts';
import type { Utterance } from './simulator-prompt.ts';
import { simulatorMessages } from './simulator-prompt.ts';
import { simulatorTemplate } from './simulator-template.ts';

/** `discard`: the test run has to start over. `broken`: starting over would end the same way. */
export type SimulatorMove =
  | { kind: 'acted'; action: SimulatorAction; durationMs: number }
  | { kind: 'discard'; why: string }
  | { kind: 'broken'; why: string };

/** The model that plays the person. It keeps count of what it cost; what was said is given to it each time. */
export class Simulator {
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
    const { work, ports, signal } = this.#context;
    const { simulator } = work.instrument;
    if (simulator === null) return { kind: 'broken', why: 'The suite has no `simulator` that could play the person' };
    const request = {
      messages: simulatorMessages(work.case, said, { isReminded }),
      temperature: simulator.settings.temperature,
      seed: seedNumber(work.seed),
      schema: actionSchema,
    };
    try {
      const tried = await measuringCall<SimulatorAction>(this.#context, async (trySignal) =>
        this.#read(await ports.models.chat(simulator.model, request, trySignal)),
      );
      if (tried.ok) return { kind: 'acted', action: tried.value, durationMs: tried.latencyMs };
      return { kind: tried.failure.retryable ? 'discard' : 'broken', why: tried.failure.message };
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

  #read(answered: CallResult<ChatAnswer>): CallResult<SimulatorAction> {
    if (!answered.ok) return answered;
    const { text, usage, model } = answered.value;
    this.#usages.push(usage);
    this.#model = model ?? this.#model;
    const action = parseSimulatorAction(text);
    return action ? { ok: true, value: action } : badAnswer('The simulator gave no usable action');
  }
}

/** The seed of the test run as the number that providers take: 32 bits of it. */
function seedNumber(seed: string): number {
  const number = Number.parseInt(seed.slice(0, 8), 16);
  return Number.isNaN(number) ? 0 : number;
}
