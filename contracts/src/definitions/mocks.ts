import { z } from 'zod';
import { FreeForm, JsonData } from './json-data.ts';
import { KeyName } from './texts.ts';

export const MockFault = z.strictObject({
  kind: z.enum(['timeout', 'http_error', 'malformed', 'empty', 'slow']),
  status: z.int().min(100).max(599).optional(),
  message: z.string().optional(),
  delay_ms: z.int().min(0).max(10_000).optional(),
});
export type MockFault = z.infer<typeof MockFault>;

const answer = { returns: JsonData.optional(), fault: MockFault.optional() };
const path = z.array(z.union([z.string(), z.int(), z.strictObject({ $from: z.string() })])).min(1);

export const MockEntry = z.strictObject({
  tool: KeyName,
  when: FreeForm.optional(),
  times: z.union([z.int().min(1), z.literal('always')]).default(1),
  set: z
    .array(z.strictObject({ op: z.enum(['add', 'replace', 'remove']), path, value: JsonData.optional() }))
    .default([]),
  sequence: z.array(z.strictObject(answer)).min(1).optional(),
  ...answer,
});
export type MockEntry = z.infer<typeof MockEntry>;

export const MockSettings = z.strictObject({
  mode: z.enum(['mock', 'mixed', 'live']).default('mock'),
  unmatched: z.enum(['error', 'invalid', 'fail']).default('error'),
  state: FreeForm.default({}),
});
export type MockSettings = z.infer<typeof MockSettings>;
