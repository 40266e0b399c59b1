import { z } from 'zod';

/** A remark on a line of a file, as the coordinator renders it. */
export const AnsweredAnnotation = z.looseObject({
  path: z.string(),
  line: z.int().min(1),
  level: z.enum(['failure', 'warning', 'notice']),
  title: z.string(),
  message: z.string(),
});
