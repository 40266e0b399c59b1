import { z } from 'zod';
import { isTooDeep } from '../models/json-depth.ts';

const Passed = z.union([
  z.boolean(),
  z
    .string()
    .regex(/^(?:true|false)$/i)
    .transform((text) => text.toLowerCase() === 'true'),
]);
const Verdict = z.object({
  passed: Passed,
  reasoning: z
    .string()
    .nullish()
    .transform((text) => text ?? ''),
});
export type JudgeVerdict = z.infer<typeof Verdict>;

/**
 * The judge's verdict, or null when the answer is unusable. Only a whole message counts: the object itself or, where
 * `allowsFence`, one fenced block at the end with no brace outside it, so that an echoed forgery is never taken for a verdict.
 */
export function parseJudgeAnswer(text: string, { allowsFence = false } = {}): JudgeVerdict | null {
  const json = allowsFence ? (fencedBlock(text) ?? text) : text;
  if (isTooDeep(json)) return null;
  try {
    return Verdict.safeParse(JSON.parse(json)).data ?? null;
  } catch {
    return null;
  }
}

function fencedBlock(text: string): string | undefined {
  const match = /^([^{}]*?)```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text);
  const [, before, block] = match ?? [];
  return before === undefined || block === undefined || before.includes('```') || block.includes('```')
    ? undefined
    : block;
}
