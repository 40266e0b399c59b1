import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { Adjustment, MeasuringCost, TokenUsage } from '@proofmark/contracts/case-outcome';
import { sumUsage } from '@proofmark/domain/totals';
import type { CallResult, ModelPort } from '../models/model-port.ts';

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

interface MeteredModels extends Meter {
  /** One entry per role that was called. Failed tries count as calls, and their usage is not known. */
  readonly spent: MeasuringCost[];
}

/** The models behind a meter. A `WeakMap` with three of them for each test run costs more than all that they do. */
const original = Symbol('models behind a meter');
interface Meter extends ModelPort {
  readonly [original]: ModelPort;
}

/** The same models, with a count of what their calls cost; `chatRole` is who is asked to write something. */
export function meterModels(models: ModelPort, chatRole: 'judge' | 'simulator' = 'judge'): MeteredModels {
  const calls: Call[] = [];
  /** A call that never came back is counted too: the provider may charge for it. */
  async function counted<T extends { usage: TokenUsage | null; isShared?: true }>(
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
      if (isCall) calls.push({ role, usage, costUsd: costUsd(usage, settings) });
    }
  }
  return {
    [original]: models,
    chat: (settings, request, signal) => counted(chatRole, settings, models.chat(settings, request, signal)),
    embed: (settings, inputs, signal) => counted('embedding', settings, models.embed(settings, inputs, signal)),
    get spent() {
      if (calls.length === 0) return [];
      return (['judge', 'embedding', 'simulator'] as const).flatMap((role) =>
        sumOf(calls.filter((call) => call.role === role)),
      );
    },
  };
}

interface NotingModels extends Meter {
  /** What was asked otherwise than it was meant, each once. */
  readonly adjustments: Adjustment[];
}

/** The same models, with a note of what they refused of the requests of one test run. */
export function noteAdjustments(models: ModelPort): NotingModels {
  let noted: Map<string, Adjustment> | undefined;
  return {
    [original]: models,
    chat: async (settings, request, signal) => {
      const answered = await models.chat(settings, request, signal);
      if (answered.ok && answered.value.adjustments !== undefined) {
        noted ??= new Map();
        for (const adjustment of answered.value.adjustments) noted.set(JSON.stringify(adjustment), adjustment);
      }
      return answered;
    },
    embed: (settings, inputs, signal) => models.embed(settings, inputs, signal),
    get adjustments() {
      return noted === undefined ? [] : [...noted.values()];
    },
  };
}

/** The models behind all meters, which live as long as the process; models without a meter are their own. */
export function unmetered(models: ModelPort | Meter): ModelPort {
  return original in models ? unmetered(models[original]) : models;
}

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
