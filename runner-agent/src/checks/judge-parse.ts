import { z } from 'zod';
import { parseWholeJson } from '../judge/whole-json.ts';

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
  return Verdict.safeParse(parseWholeJson(text, { allowsFence })).data ?? null;
}
