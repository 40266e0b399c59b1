import { z } from 'zod';

const text = (what: string, most: number) => {
  // GitHub counts bytes here, whatever its documentation says (github/docs#35252).
  const fits = (value: string) => Buffer.byteLength(value) <= most;
  return z.string().refine(fits, `Only ${most} bytes are allowed for ${what}`);
};

const Annotation = z
  .object({
    path: z.string().min(1),
    start_line: z.number().int().min(1),
    end_line: z.number().int().min(1),
    start_column: z.number().int().optional(),
    end_column: z.number().int().optional(),
    annotation_level: z.enum(['notice', 'warning', 'failure']),
    message: text('message', 65_536).min(1),
    title: z.string().max(255).optional(),
    raw_details: text('raw_details', 65_536).optional(),
  })
  .refine(({ start_line, end_line }) => start_line <= end_line, 'end_line must not be before start_line')
  .refine(
    ({ start_line, end_line, start_column, end_column }) =>
      start_line === end_line || (start_column === undefined && end_column === undefined),
    'columns are only allowed on a single line',
  );
export type Annotation = z.infer<typeof Annotation>;

const Output = z.object({
  title: z.string().min(1).max(255),
  summary: text('summary', 65_535),
  text: text('text', 65_535).optional(),
  annotations: z.array(Annotation).max(50, 'No more than 50 annotations are allowed per request').default([]),
});

const Action = z.object({
  label: z.string().min(1).max(20),
  description: z.string().min(1).max(40),
  identifier: z.string().min(1).max(20),
});

const conclusions = ['action_required', 'cancelled', 'failure', 'neutral', 'success', 'skipped', 'timed_out'] as const;

const shared = {
  details_url: z.url({ protocol: /^https?$/ }).optional(),
  external_id: z.string().optional(),
  status: z.enum(['queued', 'in_progress', 'completed']).optional(),
  started_at: z.iso.datetime({ offset: true }).optional(),
  conclusion: z.enum(conclusions).optional(),
  completed_at: z.iso.datetime({ offset: true }).optional(),
  actions: z.array(Action).max(3, 'No more than 3 actions are allowed').optional(),
};

const hasConclusion = ({ status, conclusion }: { status?: string | undefined; conclusion?: string | undefined }) =>
  status !== 'completed' || conclusion !== undefined;
const missingConclusion = { path: ['conclusion'], message: 'is required when status is completed' };

/** What POST takes. */
export const NewCheckRun = z
  .object({
    ...shared,
    name: z.string().min(1),
    head_sha: z.string().regex(/^[0-9a-f]{40}$/),
    output: Output.optional(),
  })
  .refine(hasConclusion, missingConclusion);

/** What PATCH takes; the title stays when it is left out. */
export const CheckRunChange = z
  .object({ ...shared, name: z.string().min(1).optional(), output: Output.partial({ title: true }).optional() })
  .refine(hasConclusion, missingConclusion);
export type CheckRunChange = z.infer<typeof CheckRunChange>;
