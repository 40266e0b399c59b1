import type { Check } from '@proofmark/contracts/checks';
import type { CheckVerdict } from './check-verdict.ts';
import { checkError, verdict } from './check-verdict.ts';

type CheckOf<Type extends Check['type']> = Extract<Check, { type: Type }>;

export function checkLatency({ max_ms }: CheckOf<'latency'>, latencyMs: number | null): CheckVerdict {
  if (latencyMs === null) return checkError('The time of the answer is not known');
  return verdict(latencyMs <= max_ms, `The agent took ${Math.round(latencyMs)} ms`);
}

/** An unknown cost is an error: a provider that reports no usage must not pass for free. */
export function checkCost({ max_usd }: CheckOf<'cost'>, costUsd: number | null): CheckVerdict {
  if (costUsd === null) return checkError('The cost is not known: usage or price is missing');
  return verdict(costUsd <= max_usd, `The agent cost ${costUsd.toFixed(6)} USD`);
}

export function checkToolCount(
  { tool, min = 0, max = Number.POSITIVE_INFINITY }: CheckOf<'tool_count'>,
  calls: readonly { name: string }[],
): CheckVerdict {
  const count = calls.filter(({ name }) => tool === undefined || name === tool).length;
  return verdict(count >= min && count <= max, `${tool ?? 'Tools'} called ${count} times`);
}
