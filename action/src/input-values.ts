import { isSecureUrl } from '@proofmark/client/coordinator-client';
import { z } from 'zod';

/** Shapes of single inputs. GitHub hands over texts only, so each says in its message what is allowed. */
export const lines = z.string().transform((text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== ''),
);

export const textOrNull = z
  .string()
  .trim()
  .transform((text) => (text === '' ? null : text));

/** GitHub's own rule for booleans in YAML 1.2. */
export const boolean = z.string().transform((text, context) => {
  if (['true', 'True', 'TRUE'].includes(text)) return true;
  if (['false', 'False', 'FALSE'].includes(text)) return false;
  context.addIssue({ code: 'custom', message: `'${text}' is not one of true, false` });
  return z.NEVER;
});

export function oneOf<const Word extends string>(...words: readonly Word[]) {
  return z.string().transform((text, context): Word => {
    const word = words.find((one) => one === text);
    if (word !== undefined) return word;
    context.addIssue({
      code: 'custom',
      message: `'${text}' is not one of ${words.filter((one) => one !== '').join(', ')}`,
    });
    return z.NEVER;
  });
}

interface Range {
  min: number;
  max: number;
  isWhole?: boolean;
}

/** A number, or null when the input is empty. */
export function numberOrNull({ min, max, isWhole = false }: Range) {
  return z.string().transform((text, context): number | null => {
    if (text === '') return null;
    const value = Number(text);
    const isNumber = /^\d+(\.\d+)?$/.test(text) && (!isWhole || Number.isInteger(value));
    if (isNumber && value >= min && value <= max) return value;
    context.addIssue({
      code: 'custom',
      message: `'${text}' is not a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}`,
    });
    return z.NEVER;
  });
}

export const key = z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be 1 to 40 lower-case letters, digits and -');

export const coordinatorUrl = textOrNull.refine(isSecureUrl, 'must be an https URL (http only on this machine)');
