import { z } from 'zod';
import { FileInput } from '../definitions/test-case.ts';
import { JsonData } from '../definitions/texts.ts';

/** A file of a case after it became Markdown (seed 000). */
export const ProcessedFileInput = z
  .strictObject({
    original: FileInput,
    markdown_content: z.string(),
    metadata: z.record(z.string(), JsonData).default({}),
    cached_path: z.string().nullable().default(null),
    processing_time_ms: z.int().min(0),
    error: z.string().nullable().default(null),
  })
  .superRefine((file, context) => {
    if (file.error === null && file.markdown_content === '') {
      const message = 'a file without an error has text';
      context.addIssue({ code: 'custom', path: ['markdown_content'], message, params: { code: 'too_short' } });
    }
  });
export type ProcessedFileInput = z.infer<typeof ProcessedFileInput>;
