import {
  validateEvaluationConfig,
  validateFileInput,
  validateMetric,
  validateSuite,
  validateTestCase,
  validateVariableDocuments,
} from '@proofmark/contracts/validate';
import { z } from 'zod';
import { adapter } from './adapter.ts';

const Written = z.object({ value: z.unknown() });
const WrittenCase = Written.extend({ source: z.object({ file: z.string(), index: z.number() }).optional() });
const Documents = z.object({
  value: z.object({ type: z.unknown(), test: z.unknown().optional(), suite: z.unknown().optional() }),
});

export const definitions = {
  test_case: adapter(WrittenCase, ({ value, source }) => validateTestCase(value, source)),
  file_input: adapter(Written, ({ value }) => validateFileInput(value)),
  metric: adapter(Written, ({ value }) => validateMetric(value)),
  evaluation_config: adapter(Written, ({ value }) => validateEvaluationConfig(value)),
  suite: adapter(Written, ({ value }) => validateSuite(value)),
  definition: adapter(Documents, ({ value }) => validateVariableDocuments(value)),
};
