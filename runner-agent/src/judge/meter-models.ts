import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { Adjustment, MeasuringCost, TokenUsage } from '@proofmark/contracts/case-outcome';
import { sumUsage } from '@proofmark/domain/totals';
import type { CallResult, ChatAnswer, ChatRequest, Embeddings, ModelPort } from '../models/model-port.ts';
import type { TrySignal } from '../retry/try-scope.ts';

/** US dollars; null when tokens or price are unknown, because a guess would be summed up as if it were true. */
export function costUsd(usage: TokenUsage | null, model: Pick<ModelSettings, 'price'> | null): number | null {
  const price = model?.price;
  if (!usage || !price) return null;
  const cached = Math.min(usage.cachedTokens ?? 0, usage.promptTokens);
  const inputUsd = (usage.promptTokens - cached) * price.input + cached * (price.cached_input ?? price.input);
  return (inputUsd + usage.completionTokens * price.output) / 1e6;
}

type Role = MeasuringCost['role'];

interface Call {
  role: Role;
  usage: TokenUsage | null;
  costUsd: number | null;
}

/** Models behind a meter, which lives no longer than a test run. */
class Meter {
  readonly behind: ModelPort;

  constructor(behind: ModelPort) {
    this.behind = behind;
  }
}

/** The same models, with a count of what their calls cost; `chatRole` is who is asked to write something. */
export class MeteredModels extends Meter implements ModelPort {
  readonly #chatRole: Role;
  readonly #calls: Call[] = [];

  constructor(behind: ModelPort, chatRole: 'judge' | 'simulator' = 'judge') {
    super(behind);
    this.#chatRole = chatRole;
  }

  chat(settings: ModelSettings, request: ChatRequest, signal: TrySignal): Promise<CallResult<ChatAnswer>> {
    return this.#counted(this.#chatRole, settings, this.behind.chat(settings, request, signal));
  }

  embed(settings: ModelSettings, inputs: readonly string[], signal: TrySignal): Promise<CallResult<Embeddings>> {
    return this.#counted('embedding', settings, this.behind.embed(settings, inputs, signal));
  }

  /** One entry per role that was called. Failed tries count as calls, and their usage is not known. */
  get spent(): MeasuringCost[] {
    if (this.#calls.length === 0) return [];
    return (['judge', 'embedding', 'simulator'] as const).flatMap((role) =>
      sumOf(this.#calls.filter((call) => call.role === role)),
    );
  }

  /** A call that never came back is counted too: the provider may charge for it. */
  async #counted<T extends { usage: TokenUsage | null; isShared?: true }>(
    role: Role,
    settings: ModelSettings,
    answering: Promise<CallResult<T>>,
  ): Promise<CallResult<T>> {
    let usage: TokenUsage | null = null;
    let isCall = true;
    try {
      const answered = await answering;
      if (answered.ok) {
        usage = answered.value.usage;
        isCall = !answered.value.isShared;
      } else isCall = !answered.failure.isNotAsked;
      return answered;
    } finally {
      if (isCall) this.#calls.push({ role, usage, costUsd: costUsd(usage, settings) });
    }
  }
}

/** The same models, with a note of what they refused of the requests of one test run. */
export class NotingModels extends Meter implements ModelPort {
  #noted: Map<string, Adjustment> | undefined;
  readonly #note = (answered: CallResult<ChatAnswer>): CallResult<ChatAnswer> => {
    if (answered.ok && answered.value.adjustments !== undefined) {
      this.#noted ??= new Map();
      for (const adjustment of answered.value.adjustments) this.#noted.set(JSON.stringify(adjustment), adjustment);
    }
    return answered;
  };

  chat(settings: ModelSettings, request: ChatRequest, signal: TrySignal): Promise<CallResult<ChatAnswer>> {
    return this.behind.chat(settings, request, signal).then(this.#note);
  }

  embed(settings: ModelSettings, inputs: readonly string[], signal: TrySignal): Promise<CallResult<Embeddings>> {
    return this.behind.embed(settings, inputs, signal);
  }

  /** What was asked otherwise than it was meant, each once. */
  get adjustments(): Adjustment[] {
    return this.#noted === undefined ? [] : [...this.#noted.values()];
  }
}

/** The models behind all meters; models without a meter are their own. */
export const unmetered = (models: ModelPort): ModelPort =>
  models instanceof Meter ? unmetered(models.behind) : models;

function sumOf(calls: readonly Call[]): MeasuringCost[] {
  const [first] = calls;
  if (first === undefined) return [];
  const costs = calls.flatMap((call) => call.costUsd ?? []);
  return [
    {
      role: first.role,
      calls: calls.length,
      usage: sumUsage(calls.map(({ usage }) => usage)),
      costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    },
  ];
}
