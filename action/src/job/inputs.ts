import { isSecureUrl } from '@proofmark/client/coordinator-client';
import { parseAssignments } from '@proofmark/domain/parse-assignments';
import { z } from 'zod';

/** Shapes of single inputs. GitHub hands over texts only, so each says in its message what is allowed. */
const lines = z.string().transform((text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== ''),
);

const textOrNull = z
  .string()
  .trim()
  .transform((text) => (text === '' ? null : text));

/** GitHub's own rule for booleans in YAML 1.2. */
const boolean = z.string().transform((text, context) => {
  if (['true', 'True', 'TRUE'].includes(text)) return true;
  if (['false', 'False', 'FALSE'].includes(text)) return false;
  context.addIssue({ code: 'custom', message: `'${text}' is not one of true, false` });
  return z.NEVER;
});

function oneOf<const Word extends string>(...words: readonly Word[]) {
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
function numberOrNull({ min, max, isWhole = false }: Range) {
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

const key = z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be 1 to 40 lower-case letters, digits and -');

const coordinatorUrl = textOrNull.refine(isSecureUrl, 'must be an https URL (http only on this machine)');

const assignments = lines.transform((given, context) => {
  const parsed = parseAssignments(given);
  if (parsed.ok) return parsed.assignments;
  context.addIssue({ code: 'custom', message: parsed.error.message });
  return z.NEVER;
});

const axes = assignments.transform((given) =>
  given.map(({ name, text }) => ({
    name,
    values: text
      .split(',')
      .map((value) => value.trim())
      .filter((value) => value !== ''),
  })),
);

const difficulty = oneOf('', 'normal', 'hard').transform((word) => (word === '' ? null : word));

export const inputShapes = {
  coordinator: coordinatorUrl,
  'api-token': textOrNull,
  'oidc-audience': textOrNull,
  'github-token': textOrNull,
  suites: lines,
  'working-directory': z.string().trim(),
  'only-affected': boolean,
  cases: lines,
  tags: lines,
  difficulty,
  variables: assignments,
  preset: textOrNull,
  matrix: axes,
  baseline: z.string().trim().min(1, 'must be auto, run, none or a ref'),
  'base-path': textOrNull,
  repetitions: numberOrNull({ min: 1, max: 100, isWhole: true }),
  'min-pass-rate': numberOrNull({ min: 0, max: 100 }),
  'on-error': oneOf('block', 'allow'),
  reuse: boolean,
  'budget-usd': numberOrNull({ min: 0.01, max: 1_000_000 }),
  concurrency: numberOrNull({ min: 1, max: 1000, isWhole: true }),
  'fail-on': oneOf('auto', 'never', 'error', 'failure', 'neutral'),
  report: oneOf('auto', 'app', 'token', 'summary'),
  comment: oneOf('regressions', 'changes', 'always', 'off'),
  'comment-key': key,
  'check-name': key,
  wait: boolean,
  'timeout-minutes': numberOrNull({ min: 0.01, max: 1440 }).transform((minutes) => minutes ?? 30),
  'pull-request': numberOrNull({ min: 1, max: 2_147_483_647, isWhole: true }),
  'head-sha': textOrNull.refine(
    (sha) => sha === null || /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(sha),
    'must be a full commit id',
  ),
};

/** The inputs of the step, parsed. */
export const Inputs = z
  .object(inputShapes)
  .refine((given) => (given['pull-request'] === null) === (given['head-sha'] === null), {
    path: ['pull-request'],
    message: 'goes together with head-sha: give both or neither',
  });
export type Inputs = z.infer<typeof Inputs>;

type ReadInputs = { ok: true; inputs: Inputs } | { ok: false; messages: string[] };

/** Every input through `read`, or what is wrong with each of them, all at once. */
export function readInputs(read: (name: string) => string): ReadInputs {
  const texts = Object.fromEntries(Object.keys(inputShapes).map((name) => [name, read(name)]));
  const parsed = Inputs.safeParse(texts);
  if (parsed.success) return { ok: true, inputs: parsed.data };
  return { ok: false, messages: parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) };
}
