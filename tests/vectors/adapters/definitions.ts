import { validateEvaluationConfig, validateMetric } from '@proofmark/contracts/validate-metric';
import { validateSuite } from '@proofmark/contracts/validate-suite';
import { validateFileInput, validateTestCase } from '@proofmark/contracts/validate-test-case';
import { validateVariables } from '@proofmark/contracts/validate-variables';
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
  definition: adapter(Documents, ({ value }) => validateVariables(value)),
};
